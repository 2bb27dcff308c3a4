"""One episode: its state, legal moves, views, undo and forks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nip_core.play.episode import MAX_EVENTS, MAX_POSITIONS, Episode
from nip_core.play.events import (
    INSTEAD_OF,
    STANDS_IN_FOR,
    Commented,
    Event,
    Moved,
    Seated,
    Went,
    Withdrew,
    comments_of,
    event_from_dict,
    stands_in,
)
from nip_core.play.expectation import ChanceValues, mean_at_random, values_at_chances
from nip_core.play.moves import (
    MAX_CONFIDENCE,
    NO_DECISION,
    Legal,
    Move,
    count_words,
    most_characters,
    verify_move,
)
from nip_core.play.origin import Origin, Refused
from nip_core.play.outcomes import Result
from nip_core.play.redacted import REDACTED
from nip_core.play.setup import DEFAULT_MAX_WORDS, Protocol, Setup
from nip_core.play.tree import Branch, Node
from nip_core.play.view import Briefing, Ending, View

# The code for version 2 is in the subpackage `turns`, which is loaded on first use.
if TYPE_CHECKING:
    from nip_core.play import turns as turns

__all__ = [
    "DEFAULT_MAX_WORDS",
    "INSTEAD_OF",
    "MAX_CONFIDENCE",
    "MAX_EVENTS",
    "MAX_POSITIONS",
    "NO_DECISION",
    "REDACTED",
    "STANDS_IN_FOR",
    "Branch",
    "Briefing",
    "ChanceValues",
    "Commented",
    "Ending",
    "Episode",
    "Event",
    "Legal",
    "Move",
    "Moved",
    "Node",
    "Origin",
    "Protocol",
    "Refused",
    "Result",
    "Seated",
    "Setup",
    "View",
    "Went",
    "Withdrew",
    "comments_of",
    "count_words",
    "event_from_dict",
    "mean_at_random",
    "most_characters",
    "stands_in",
    "turns",
    "values_at_chances",
    "verify_move",
]


def __getattr__(name: str) -> Any:
    if name == "turns":
        return import_module("nip_core.play.turns")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
