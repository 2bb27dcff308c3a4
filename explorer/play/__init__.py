"""Playing an episode: its table and journal, who sits there, what a seat sees, and what is learned.

A :class:`Table` plays an episode in memory; a :class:`StoredTable` keeps it in a database. What a
page shows is made of :meth:`Table.seen_by`, and of what everybody may read once it is over.
"""

from __future__ import annotations

from explorer.play.dataframes import COLUMNS, episodes_df, messages_df, rounds_df
from explorer.play.downloads import FORMATS, as_csv, as_text, as_view, is_empty
from explorer.play.headline import why_paid
from explorer.play.hotseat import cover, is_covered, screen_mark, seat_at_screen
from explorer.play.model_grants import Keys, ModelGrants, loans
from explorer.play.moves import draft_of, in_words, move_of, new_thread, refusal, was_made, wrote
from explorer.play.review import (
    Asked,
    Course,
    Lie,
    MessageReaders,
    Reading,
    best_question,
    calibrated,
    courses,
    first_lies,
    message_readers,
    readings,
    reviewed,
    what_could_be_asked,
)
from explorer.play.screens import gallery, screen
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
    player_of,
    stand_in,
    task_choices,
)
from explorer.play.seen import Seen, tree
from explorer.play.stored import StoredTable, latest, play_on
from explorer.play.table import QUICK, Journal, Table, now
from explorer.play.workers import (
    Worker,
    unconfirmed,
    visible_words,
    what_failed,
    what_goes_on,
    work_at,
    worker_of,
)
from explorer.play.working import AtWork, Watched, Working

__all__ = [
    "COLUMNS",
    "FORMATS",
    "HUMAN",
    "KINDS",
    "PERSON",
    "PROBLEM",
    "QUICK",
    "SCRIPTED",
    "Asked",
    "AtWork",
    "Course",
    "Journal",
    "Keys",
    "Lie",
    "MessageReaders",
    "ModelGrants",
    "Reading",
    "Seen",
    "Start",
    "StoredTable",
    "Table",
    "Watched",
    "Worker",
    "Working",
    "as_csv",
    "as_text",
    "as_view",
    "best_question",
    "calibrated",
    "courses",
    "cover",
    "default_seats",
    "draft_of",
    "episodes_df",
    "find_task",
    "first_lies",
    "gallery",
    "in_words",
    "is_covered",
    "is_empty",
    "kind_title",
    "latest",
    "loans",
    "message_readers",
    "messages_df",
    "move_of",
    "new_thread",
    "now",
    "play_on",
    "player_of",
    "readings",
    "refusal",
    "reviewed",
    "rounds_df",
    "screen",
    "screen_mark",
    "seat_at_screen",
    "stand_in",
    "task_choices",
    "tree",
    "unconfirmed",
    "visible_words",
    "was_made",
    "what_could_be_asked",
    "what_failed",
    "what_goes_on",
    "why_paid",
    "work_at",
    "worker_of",
    "wrote",
]


def __dir__() -> list[str]:
    return __all__
