"""Studies with people on this server: opened from their file, read again, and deleted."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from explorer.participants.machine import State
from explorer.rooms import Access, RoomCondition, RoomPlan, delete, open_study_room
from explorer.storage import Participant, PeopleStudyRow, Storage, stamp
from explorer.studies import PeoplePlan, Study, people_seats, read_study
from nip_core.displays import displayed
from nip_core.errors import NipError

# Seconds of a round in which people play together, if the file gives no limit.
ROUND_TOGETHER = 600


class TakingPartError(NipError, ValueError):
    """Why somebody cannot take part, or an organiser's command cannot be done."""


@displayed
@dataclass(frozen=True)
class OpenStudy:
    """A study that people take part in."""

    row: PeopleStudyRow
    study: Study
    plan: PeoplePlan


def round_seconds_of(study: Study) -> int | None:
    """Return the time limit of a round, which people who play together always have.

    Without one, a person whose partner has closed the page would wait until the study's end.
    """
    assert study.people is not None
    together = any(len(people_seats(condition)) > 1 for condition in study.conditions)
    return study.people.round_seconds or (ROUND_TOGETHER if together else None)


@displayed
@dataclass(frozen=True, slots=True)
class Here:
    """A person who takes part, as they are now."""

    person: Participant
    state: State


@lru_cache(64)
def _read(body: str, folder: str) -> Study:
    return read_study(body, folder)


def opened_study(storage: Storage, code: str) -> OpenStudy:
    """Return an open study by the code in its link."""
    row = storage.participants.study(code[:64])
    if row is None:
        raise TakingPartError("There is no such study here. Check the link.")
    study = _read(row.body, row.folder)
    assert study.people is not None
    return OpenStudy(row, study, study.people)


def utc_now() -> datetime:
    """Return the present time; tests give another clock."""
    return datetime.now(UTC)


def open_study(storage: Storage, file: Path, clock: Callable[[], datetime] | None = None) -> str:
    """Open a study for people; return the code in its link."""
    body = file.read_text("utf-8")
    study = read_study(body, file.parent)
    plan = study.people
    if plan is None:
        raise TakingPartError(
            f"{file} has no table `people`, so nobody can take part. Play it with "
            f"nip-explorer study {file}."
        )
    conditions = tuple(RoomCondition(c.name, c.protocol.choice) for c in study.conditions)
    room = open_study_room(
        storage,
        RoomPlan(
            title="Study",
            conditions=conditions,
            gallery="none",
            round_seconds=round_seconds_of(study),
        ),
    )
    code = secrets.token_hex(8)
    at = stamp((clock or utc_now)())
    folder = str(file.parent.absolute())
    storage.participants.add_study(code, study.name, body, folder, room, at=at)
    return code


def delete_study(storage: Storage, code: str) -> None:
    """Delete a study with all that people gave and played."""
    row = opened_study(storage, code).row
    delete(Access(storage, row.room))
    storage.participants.delete_study(code)
