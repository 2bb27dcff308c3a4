"""One episode: its state, legal moves, views, undo and forks."""

from __future__ import annotations

from nip_core.play.answers import read_answer
from nip_core.play.continued import Continued, continued, sample_task
from nip_core.play.deal import Deal, Message, Release
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
from nip_core.play.legal import Legal
from nip_core.play.material import Material
from nip_core.play.moves import (
    MAX_CONFIDENCE,
    NO_DECISION,
    Move,
    count_words,
    most_characters,
)
from nip_core.play.origin import Answered, Origin, Refused
from nip_core.play.outcomes import Ending, Result
from nip_core.play.seen import SeenChoices
from nip_core.play.setup import DEFAULT_MAX_WORDS, Protocol, Setup
from nip_core.play.tree import Branch, Node
from nip_core.play.verifying import chosen_in, verify_move
from nip_core.play.view import Briefing, View

__all__ = [
    "DEFAULT_MAX_WORDS",
    "INSTEAD_OF",
    "MAX_CONFIDENCE",
    "MAX_EVENTS",
    "MAX_POSITIONS",
    "NO_DECISION",
    "STANDS_IN_FOR",
    "Answered",
    "Branch",
    "Briefing",
    "ChanceValues",
    "Commented",
    "Continued",
    "Deal",
    "Ending",
    "Episode",
    "Event",
    "Legal",
    "Material",
    "Message",
    "Move",
    "Moved",
    "Node",
    "Origin",
    "Protocol",
    "Refused",
    "Release",
    "Result",
    "Seated",
    "SeenChoices",
    "Setup",
    "View",
    "Went",
    "Withdrew",
    "chosen_in",
    "comments_of",
    "continued",
    "count_words",
    "event_from_dict",
    "mean_at_random",
    "most_characters",
    "read_answer",
    "sample_task",
    "stands_in",
    "values_at_chances",
    "verify_move",
]


def __dir__() -> list[str]:
    return __all__
