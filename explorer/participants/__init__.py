"""Studies with people: how each takes part, step by step, and what the organiser gets.

The study's file says what people read, are asked, play and are paid (`explorer.studies`). What a
person does is a list of events (`machine`), kept in the database by a `StudyDesk`. Games are played
at the tables of a room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.participants.machine import (
        Game as Game,
        Given as Given,
        Period as Period,
        State as State,
        fold as fold,
        stage_of as stage_of,
    )
    from explorer.participants.opened import (
        Here as Here,
        OpenStudy as OpenStudy,
        TakingPartError as TakingPartError,
        delete_study as delete_study,
        open_study as open_study,
    )
    from explorer.participants.results import (
        PeopleTable as PeopleTable,
        PlayedGame as PlayedGame,
        analysed as analysed,
        everybody as everybody,
        excluded as excluded,
        export_files as export_files,
        games_of as games_of,
        outside_ids as outside_ids,
        progress as progress,
    )
    from explorer.participants.taking_part import StudyDesk as StudyDesk

__all__, __getattr__, __dir__ = exported(__name__)
