"""What is said of a stored episode beside its events: for lists, filters and search."""

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
    """A stored episode as a row of a list. It may tell the outcome, so it is not for a seat.

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
        The task's id, which tells no label.
    version : int
        The number of events.
    rounds : int
        How many have been played on the present line.
    outcome : {"running", "reject", "accept", "terminated"}
        Of the present line: the verdict that counted, or that the rounds ran out without one.
    right : bool, optional
        Is the verdict the truth?
    settled : bool
        Has every line of it ended, so that nothing is to be kept from anybody any more?
    y : {0, 1}, optional
        The label.
    tokens : int, optional
        What models had used for the moves when a line last ended, if any did.
    seats : mapping of str to mapping
        When a line last ended, by agent: the ``kind`` of player, a ``model``'s name, and the
        ``reward``. Of an episode that an older version stored, nobody worked the reward out.
    created, updated : str
        ISO 8601, UTC. A remark is no change.
    deleted : str, optional
        When it was deleted, if it was.
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

    # What came of one line tells who plays another what is true.
    def __repr__(self) -> str:
        judged = {True: ["right"], False: ["wrong"], None: list[str]()}[self.right]
        came = [self.outcome, *judged] if self.settled else ["not over"]
        return line(self, told(self.title), told(self.protocol), *came)

    @property
    def minute(self) -> str:
        """When it was last changed, or begun while it goes on: that one has moved is a secret."""
        time = self.created if self.outcome == "running" else self.updated
        return time[:16].replace("T", " ")


def stamp(time: datetime | None = None) -> str:
    """A time, now if it is left out, as a text; all have one length, so that they sort."""
    time = datetime.now(UTC) if time is None else time.astimezone(UTC)
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def fold(text: str) -> str:
    """A text as search sees it: case and forms of the same character make no difference."""
    whole = text.replace("\0", " ").encode("utf-8", "ignore").decode()
    return unicodedata.normalize("NFKC", whole).casefold()


def words_of(event: Event) -> str | None:
    """What people and models have written in an event, for search."""
    match event:
        case Moved(move=move) if move.messages:
            return fold("\n".join(move.messages.values()))
        case Commented(text=text):
            return fold(text)
        case _:
            return None


def outcome_of(episode: Episode) -> tuple[EpisodeStatus, bool | None]:
    """How the present line has ended, and whether the verdict is right."""
    if not episode.over:
        return "running", None
    result = episode.result()
    if result.decision is None:
        return "terminated", None
    return ("accept" if result.decision == 1 else "reject"), result.right


def tokens_of(episode: Episode) -> int | None:
    """What models have used for all moves of an episode, as their records say."""
    records = (Origin.from_dict(e.origin) for e in episode.events if isinstance(e, Moved))
    used = [record.tokens for record in records if record.tokens is not None]
    return sum(used) if used else None


def seats_of(episode: Episode) -> dict[str, dict[str, Any]]:
    """Who sits where, and what each was paid on the present line."""
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
    """What an episode is called if nobody says: by what every seat may see."""
    first_line = setup.task.question.strip().partition("\n")[0]
    return " ".join((setup.task.title or first_line)[:MAX_TITLE].split())


def checked_title(title: str) -> str:
    """A title on one line.

    Raises
    ------
    StorageInputError
    """
    if fault := text_fault(title, MAX_TITLE):
        raise StorageInputError(f"The title must be {fault}.")
    return " ".join(title.split())


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags without repetition, in order.

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
