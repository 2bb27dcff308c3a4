"""The events of an episode: small frozen records in an append-only list.

An episode is the fold of its events: undo and fork add to the list and never rewrite it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, cast

from nip_core.displays import displayed
from nip_core.documents import as_fields, text_fault
from nip_core.errors import PlayError
from nip_core.play.moves import Move

__all__ = [
    "INSTEAD_OF",
    "STANDS_IN_FOR",
    "Commented",
    "Event",
    "Moved",
    "Seated",
    "Went",
    "Withdrew",
    "comments_of",
    "event_from_dict",
    "stands_in",
]

MAX_COMMENT = 5_000

# The keys of a substitute's record for the player it replaces: until further notice, or for one
# move.
INSTEAD_OF = "instead_of"
STANDS_IN_FOR = "stands_in_for"


@displayed
@dataclass(frozen=True, kw_only=True)
class Event:
    """An event.

    Parameters
    ----------
    at : str, optional
        The time by the caller's clock (ISO 8601); the rules ignore it.
    """

    type: ClassVar[str]

    at: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the event as a plain document."""
        document: dict[str, Any] = {"type": self.type}
        for name in _names_of(type(self)):
            value = getattr(self, name)
            if value is not None and value != {}:
                document[name] = value.to_dict() if isinstance(value, Move) else value
        return document


@cache
def _names_of(kind: type[Event]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@displayed
@dataclass(frozen=True, kw_only=True)
class Moved(Event):
    """A seat has made its move, which is held back until all seats of the round have moved.

    Parameters
    ----------
    move : Move
    origin : mapping
        Its origin in the form of :class:`~nip_core.play.Origin`. Never part of a view.
    """

    type = "moved"

    move: Move
    origin: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])


@displayed
@dataclass(frozen=True, kw_only=True)
class Withdrew(Event):
    """A seat has taken its move back before the round's moves were revealed."""

    type = "withdrew"

    agent: str


@displayed
@dataclass(frozen=True, kw_only=True)
class Went(Event):
    """Play has gone to another position of the tree; moves that were held back are dropped."""

    type = "went"

    node: int


@displayed
@dataclass(frozen=True, kw_only=True)
class Seated(Event):
    """A player has taken a seat.

    Parameters
    ----------
    agent : str
    player : mapping
        The player's record: ``kind`` and, for a model, its name and settings, never a key.
    """

    type = "seated"

    agent: str
    player: Mapping[str, Any]


def stands_in(player: Mapping[str, Any]) -> bool:
    """Return whether a player is a substitute, by its record."""
    return INSTEAD_OF in player or STANDS_IN_FOR in player


@displayed
@dataclass(frozen=True, kw_only=True)
class Commented(Event):
    """A comment on a position was written, for readers of the transcript.

    Parameters
    ----------
    node : int
    text : str
        Empty if the comment was withdrawn.
    author : str, optional
        The author's name.
    agent, channel : str, optional
        The sender and channel of the message that it is about.
    quote : str, optional
        The part of the message that it is about.
    thread : str, optional
        Identifies the versions of one comment; a later one replaces those before.
    """

    type = "commented"

    node: int
    text: str
    author: str | None = None
    agent: str | None = None
    channel: str | None = None
    quote: str | None = None
    thread: str | None = None

    def __post_init__(self) -> None:
        for name, limit in (("text", MAX_COMMENT), ("quote", MAX_COMMENT), *_NAMES):
            text = getattr(self, name)
            if name == "text" and text == "" and self.thread is not None:
                continue
            if text is not None and (fault := text_fault(text, limit)):
                what = "A comment" if name == "text" else f"The {name} of a comment"
                raise PlayError(f"{what} must be {fault}.")


_NAMES = tuple((name, 100) for name in ("author", "agent", "channel", "thread"))


def comments_of(events: Iterable[Event]) -> list[Commented]:
    """Return the present comments in their latest versions, in the order of their first ones.

    A comment without a thread stands alone; a later version may give its time as the thread.
    """
    standing: dict[str | int, Commented] = {}
    began: dict[str, int] = {}
    for number, event in enumerate(events):
        if not isinstance(event, Commented):
            continue
        if event.thread is None:
            standing[number] = event
            began.setdefault(event.at or "", number)
            continue
        known = event.thread in standing or event.thread not in began
        key = event.thread if known else began[event.thread]
        # Editing a comment cannot move it to another position.
        if key not in standing or standing[key].node == event.node:
            standing[key] = event
    return [comment for comment in standing.values() if comment.text]


EVENTS: dict[str, type[Event]] = {
    kind.type: kind for kind in (Moved, Withdrew, Went, Seated, Commented)
}


def event_from_dict(document: object) -> Event:
    """Read what :meth:`Event.to_dict` made.

    Raises
    ------
    PlayError
        If it is malformed. Whether the rules allow the event is checked when it is applied.
    """
    named = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    if not isinstance(named.get("type"), str) or named["type"] not in EVENTS:
        raise PlayError(f"An event must be an object with a type: {', '.join(EVENTS)}.")
    kind = EVENTS[named["type"]]
    given = {name: value for name, value in named.items() if name != "type"}
    values = as_fields(given, kind, f"the event {kind.type!r}", error=PlayError)
    if "move" in values:
        values["move"] = Move.from_dict(values["move"])
    return kind(**values)
