"""Metadata of stored episodes, for lists, filters and search."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from explorer.storage.errors import StorageInputError
from nip_core.displays import line, told
from nip_core.documents import text_fault
from nip_core.play import Commented, Episode, Event, Moved, Origin, Setup

__all__ = [
    "Entry",
    "EpisodeStatus",
    "checked_tags",
    "checked_title",
    "default_title",
    "fold",
    "outcome_of",
    "seats_of",
    "stamp",
    "tokens_of",
    "words_of",
]

MAX_TITLE = 200
MAX_TAG = 50
MAX_TAGS = 20

EpisodeStatus = Literal["running", "reject", "accept", "terminated"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored episode as a row of a list. It may reveal the outcome, so no seat may see it.

    Parameters
    ----------
    id : str
        32 random hexadecimal digits.
    title : str
    tags : tuple of str
        In alphabetical order.
    protocol : str
        The name of its specification.
    kind : str
        The kind of task.
    task : str
        The task's id, which does not reveal the label.
    version : int
        The number of events.
    rounds : int
        How many rounds have been played in the present variation.
    outcome : {"running", "reject", "accept", "terminated"}
        Of the present variation: the verdict, or that the rounds ran out without one.
    right : bool, optional
        Whether the verdict is correct.
    settled : bool
        Whether every variation has ended, so that nothing needs to be hidden any more.
    y : {0, 1}, optional
        The label.
    tokens : int, optional
        Tokens used by models for the moves, counted when a variation last ended.
    seats : mapping of str to mapping
        Counted when a variation last ended, by agent: the ``kind`` of player, a ``model``'s name,
        and the ``reward``. Episodes stored by older versions have no reward.
    created, updated : str
        ISO 8601, UTC. A remark does not change ``updated``.
    deleted : str, optional
        When it was deleted, if so.
    """

    id: str
    title: str
    tags: tuple[str, ...]
    protocol: str
    kind: str
    task: str
    version: int
    rounds: int
    outcome: EpisodeStatus
    right: bool | None
    settled: bool
    y: int | None
    tokens: int | None
    seats: Mapping[str, Mapping[str, Any]]
    created: str
    updated: str
    deleted: str | None

    # The outcome could reveal the label to somebody who is still playing another variation.
    def __repr__(self) -> str:
        judged = {True: ["right"], False: ["wrong"], None: list[str]()}[self.right]
        came = [self.outcome, *judged] if self.settled else ["not over"]
        return line(self, told(self.title), told(self.protocol), *came)

    @property
    def minute(self) -> str:
        """Return when it was last changed; if it is running, when it began, to hide moves."""
        time = self.created if self.outcome == "running" else self.updated
        return time[:16].replace("T", " ")


def stamp(time: datetime | None = None) -> str:
    """Return a time, by default now, as text of fixed length, so that texts sort by time."""
    time = datetime.now(UTC) if time is None else time.astimezone(UTC)
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def fold(text: str) -> str:
    """Return a text normalised for search, without differences of case and Unicode form."""
    whole = text.replace("\0", " ").encode("utf-8", "ignore").decode()
    return unicodedata.normalize("NFKC", whole).casefold()


def words_of(event: Event) -> str | None:
    """Return what people and models have written in an event, for search."""
    match event:
        case Moved(move=move) if move.messages:
            return fold("\n".join(move.messages.values()))
        case Commented(text=text):
            return fold(text)
        case _:
            return None


def outcome_of(episode: Episode) -> tuple[EpisodeStatus, bool | None]:
    """Return how the present variation has ended, and whether the verdict is correct."""
    if not episode.over:
        return "running", None
    result = episode.result()
    if result.decision is None:
        return "terminated", None
    return ("accept" if result.decision == 1 else "reject"), result.right


def tokens_of(episode: Episode) -> int | None:
    """Return the tokens that models have used for all moves of an episode."""
    records = (Origin.from_dict(e.origin) for e in episode.events if isinstance(e, Moved))
    used = [record.tokens for record in records if record.tokens is not None]
    return sum(used) if used else None


def seats_of(episode: Episode) -> dict[str, dict[str, Any]]:
    """Return the player of each seat, and its reward in the present variation."""
    players = episode.players
    seats: dict[str, dict[str, Any]] = {}
    for agent in episode.spec.agent_names:
        player = players.get(agent, {})
        said = {name: player.get(name) for name in ("kind", "model")}
        seats[agent] = {k: v[:MAX_TITLE] for k, v in said.items() if isinstance(v, str)}
    for agent, paid in episode.result().totals.items():
        seats[agent]["reward"] = paid
    return seats


def default_title(setup: Setup) -> str:
    """Return the default title of an episode, made of what every seat may see."""
    first_line = setup.task.question.strip().partition("\n")[0]
    return " ".join((setup.task.title or first_line)[:MAX_TITLE].split())


def checked_title(title: str) -> str:
    """Return a title on one line.

    Raises
    ------
    StorageInputError
    """
    if fault := text_fault(title, MAX_TITLE):
        raise StorageInputError(f"The title must be {fault}.")
    return " ".join(title.split())


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags sorted and without repetition.

    Raises
    ------
    StorageInputError
    """
    found: set[str] = set()
    for tag in tags:
        if fault := text_fault(tag, MAX_TAG):
            raise StorageInputError(f"A tag must be {fault}.")
        found.add(" ".join(tag.split()))
    if len(found) > MAX_TAGS:
        raise StorageInputError(f"There are {len(found)} tags; an episode has at most {MAX_TAGS}.")
    return tuple(sorted(found))
