"""Playing an episode: its table and journal, who sits there, what a seat sees, and what is learned.

A :class:`Table` plays an episode in memory; a :class:`StoredTable` keeps it in a database. What a
page shows is made of :meth:`Table.seen_by`, and of what everybody may read once it is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported

if TYPE_CHECKING:
    from explorer.play.at_screen import (
        Cover,
        Refusal,
        attempt,
        cover,
        draft_of,
        in_words,
        is_covered,
        move_of,
        refusal,
        seat_at_screen,
        sent_object,
        was_made,
    )
    from explorer.play.dataframes import (
        COLUMNS,
        FORMATS,
        as_csv,
        as_text,
        as_view,
        episodes_df,
        is_empty,
        messages_df,
        rounds_df,
    )
    from explorer.play.for_beginners import FOR_BEGINNERS, first_games
    from explorer.play.headline import why_paid
    from explorer.play.own_seat import (
        Around,
        act_at_table,
        around,
        failed_worker,
        is_at_work,
        stop_work,
        table_screen,
    )
    from explorer.play.positions import POSITIONS, all_positions
    from explorer.play.published import (
        TurnStart,
        material_named,
        materials,
        prepared_for,
        reads_passages,
        seats_of_turns,
        task_for,
        turn_start_of,
    )
    from explorer.play.reader_screens import gallery, minute_of, place_comments, screen_at
    from explorer.play.review import (
        brier_score,
        by_tenth,
        calibrated,
        clipped_log_score,
        courses,
        reviewed,
    )
    from explorer.play.screens import Seen, screen, tree
    from explorer.play.seats import (
        HUMAN,
        KINDS,
        PERSON,
        PROBLEM,
        SCRIPTED,
        Start,
        default_seats,
        find_task,
        kind_title,
        stand_in,
        start_of,
        task_choices,
        watched,
    )
    from explorer.play.stored import StoredTable, latest, play_on
    from explorer.play.table import QUICK, Journal, Table, new_thread, now, wrote
    from explorer.play.workers import (
        Keys,
        Worker,
        go_on,
        grants,
        unconfirmed,
        work_at,
        worker_of,
    )
    from explorer.play.working import (
        AtWork,
        Watched,
        Working,
        visible_words,
        what_failed,
        what_goes_on,
    )

__all__, __getattr__, __dir__ = exported(__name__)
