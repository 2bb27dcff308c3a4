"""Playing an episode: its table and journal, who sits there, what a seat sees, and what is learned.

A :class:`Table` plays an episode in memory; a :class:`StoredTable` keeps it in a database. What a
page shows is made of :meth:`Table.seen_by`, and of what everybody may read once it is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.play.at_screen import (
        Cover as Cover,
        Refusal as Refusal,
        attempt as attempt,
        cover as cover,
        draft_of as draft_of,
        in_words as in_words,
        is_covered as is_covered,
        move_of as move_of,
        refusal as refusal,
        seat_at_screen as seat_at_screen,
        sent_object as sent_object,
        was_made as was_made,
    )
    from explorer.play.comments import (
        minute_of as minute_of,
        new_thread as new_thread,
        place_comments as place_comments,
        wrote as wrote,
    )
    from explorer.play.dataframes import (
        COLUMNS as COLUMNS,
        FORMATS as FORMATS,
        as_csv as as_csv,
        as_text as as_text,
        as_view as as_view,
        episodes_df as episodes_df,
        is_empty as is_empty,
        messages_df as messages_df,
        rounds_df as rounds_df,
    )
    from explorer.play.desks import (
        desk_comes as desk_comes,
        known_verifier as known_verifier,
    )
    from explorer.play.for_beginners import (
        FOR_BEGINNERS as FOR_BEGINNERS,
        first_games as first_games,
    )
    from explorer.play.own_seat import (
        Around as Around,
        act_at_table as act_at_table,
        around as around,
        failed_worker as failed_worker,
        is_at_work as is_at_work,
        stop_work as stop_work,
        table_screen as table_screen,
    )
    from explorer.play.positions import (
        POSITIONS as POSITIONS,
        all_positions as all_positions,
    )
    from explorer.play.reader_screens import (
        gallery as gallery,
        screen_at as screen_at,
    )
    from explorer.play.review import (
        brier_score as brier_score,
        by_tenth as by_tenth,
        calibrated as calibrated,
        clipped_log_score as clipped_log_score,
        courses as courses,
        reviewed as reviewed,
    )
    from explorer.play.screen_parts import (
        choices_shown as choices_shown,
        task_shown as task_shown,
    )
    from explorer.play.screens import (
        Seen as Seen,
        screen as screen,
        tree as tree,
    )
    from explorer.play.seats import (
        HUMAN as HUMAN,
        KINDS as KINDS,
        PERSON as PERSON,
        Start as Start,
        default_seats as default_seats,
        setup_of as setup_of,
        stand_in as stand_in,
        start_of as start_of,
        watched as watched,
    )
    from explorer.play.stakes import why_paid as why_paid
    from explorer.play.stored import (
        StoredTable as StoredTable,
        latest as latest,
        play_on as play_on,
    )
    from explorer.play.table import (
        QUICK as QUICK,
        Journal as Journal,
        Table as Table,
        now as now,
    )
    from explorer.play.tasks import (
        PROBLEM as PROBLEM,
        find_task as find_task,
        materials as materials,
        prepared_for as prepared_for,
        reads_passages as reads_passages,
        takes_statements as takes_statements,
        task_choices as task_choices,
        task_for as task_for,
    )
    from explorer.play.workers import (
        Keys as Keys,
        Worker as Worker,
        go_on as go_on,
        grants as grants,
        unconfirmed as unconfirmed,
        work_at as work_at,
        worker_of as worker_of,
    )
    from explorer.play.working import (
        AtWork as AtWork,
        Watched as Watched,
        Working as Working,
        visible_words as visible_words,
        what_failed as what_failed,
        what_goes_on as what_goes_on,
    )

__all__, __getattr__, __dir__ = exported(__name__)
