"""Stored episodes in lists: their metadata, titles and tags, filters, search and order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from sqlalchemy import ColumnElement, and_, case, exists, func, or_

from explorer.storage.errors import StorageInputError
from explorer.storage.records import MAX_TITLE, EpisodeRow, EpisodeStatus, fold, open_to
from explorer.storage.schema import episodes, events, tags
from nip_core.displays import brief, displayed, line
from nip_core.documents import text_fault
from nip_core.play import Moved, Setup
from nip_core.tasks import Task

# Text that is in the stored form of a move, but not of any other event.
MOVED = json.dumps({"type": Moved.type})[1:-1]
MAX_TAG = 50
MAX_TAGS = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored episode as a row of a list. It may reveal the outcome, so no seat may see it."""

    id: str  # 32 random hexadecimal digits
    title: str
    tags: tuple[str, ...]  # in alphabetical order
    protocol: str  # the name of its specification
    kind: str  # of task
    task: str  # the task's id, which does not reveal the label
    version: int  # the number of events
    rounds: int  # how many rounds have been played in the present variation
    # Of the present variation: the verdict, or that the rounds ran out without one; of protocols of
    # version 2 also that it ended with another verdict.
    outcome: EpisodeStatus
    right: bool | None  # whether the verdict is correct
    settled: bool  # whether every variation has ended, so that nothing needs to be hidden any more
    y: int | None  # the label
    tokens: int | None  # tokens used by models for the moves, counted when a variation last ended
    # Counted when a variation last ended, by agent: the `kind` of player, a `model`'s name, and the
    # `reward`. Episodes stored by older versions have no reward.
    seats: Mapping[str, Mapping[str, Any]]
    # ISO 8601, UTC. A remark does not change `updated`.
    created: str
    updated: str
    deleted: str | None  # when it was deleted, if so

    # The outcome could reveal the label to somebody who is still playing another variation.
    def __repr__(self) -> str:
        judged = {True: ["right"], False: ["wrong"], None: list[str]()}[self.right]
        came = [self.outcome, *judged] if self.settled else ["not over"]
        return line(self, brief(self.title), brief(self.protocol), *came)

    @property
    def minute(self) -> str:
        """Return when it was last changed; if it is running, when it began, to hide moves."""
        time = self.created if self.outcome == "running" else self.updated
        return time[:16].replace("T", " ")


def entry_of(row: EpisodeRow, labels: Mapping[int, tuple[str, ...]]) -> Entry:
    """Return an episode's metadata, from its row and all tags."""
    values = cast("dict[str, Any]", row._mapping)
    plain = {name: values[name] for name in Entry.__slots__ if name not in ("tags", "seats")}
    seats = json.loads(values["seats"] or "{}")
    return Entry(**plain, tags=labels[row.number], seats=seats)


def default_title(setup: Setup) -> str:
    """Return the default title of an episode, made of what every seat may see."""
    title = setup.task.title
    if not title and isinstance(setup.task, Task):
        title = setup.task.question.strip().partition("\n")[0]
    return " ".join((title or setup.rules.full_name)[:MAX_TITLE].split())


def checked_title(title: str) -> str:
    """Return a title on one line, or raise a StorageInputError."""
    if fault := text_fault(title, MAX_TITLE):
        raise StorageInputError(f"The title must be {fault}.")
    return " ".join(title.split())


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags sorted and without repetition, or raise a StorageInputError."""
    checked: set[str] = set()
    for tag in tags:
        if fault := text_fault(tag, MAX_TAG):
            raise StorageInputError(f"A tag must be {fault}.")
        checked.add(" ".join(tag.split()))
    if len(checked) > MAX_TAGS:
        raise StorageInputError(
            f"There are {len(checked)} tags; an episode has at most {MAX_TAGS}."
        )
    return tuple(sorted(checked))


Order = Literal["latest", "oldest", "title", "rounds", "tokens"]

MAX_SEARCH = 200
RUNNING = "running"
EXACT = ("protocol", "kind", "task", "outcome")


@displayed
@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Search criteria; an episode has to meet all that are given."""

    # Every word must occur in the title, a tag or the episode's messages, also as part of a word
    # and in any case. Messages are searched only when all variations are over: a search must not
    # reveal to a player what others say privately.
    text: str = ""
    tag: str | None = None
    protocol: str | None = None
    kind: str | None = None
    task: str | None = None
    outcome: EpisodeStatus | None = None
    right: bool | None = None  # whether the verdict was correct
    y: int | None = None  # the label, of episodes of which the present variation has ended
    player: str | None = None  # a kind of player in any seat, or the name of a model
    settled: bool = False  # only episodes of which every variation is over
    begun: bool = False  # only episodes in which somebody has made a move
    deleted: bool = False  # the deleted episodes instead of all others

    def conditions(self, room: int | None = None) -> list[ColumnElement[bool]]:
        """Return the conditions, limited to episodes that a room, or everybody, may see."""
        gone = episodes.c.deleted
        wanted_conditions: list[ColumnElement[bool]] = [
            gone.is_not(None) if self.deleted else gone.is_(None),
            open_to(room),
        ]
        for name in EXACT:
            wanted = getattr(self, name)
            if wanted is not None:
                wanted_conditions.append(episodes.c[name] == _keepable(wanted))
        if self.right is not None:
            wanted_conditions.append(episodes.c.right.is_(self.right))
        if self.y is not None:
            wanted_conditions += [episodes.c.y == self.y, episodes.c.outcome != RUNNING]
        if self.player is not None:
            wanted_conditions.append(
                episodes.c.seats.contains(json.dumps(_keepable(self.player)), autoescape=True)
            )
        if self.settled:
            wanted_conditions.append(episodes.c.settled.is_(True))
        if self.begun:
            wanted_conditions.append(_has_a_move())
        if self.tag is not None:
            wanted_conditions.append(
                exists().where(
                    tags.c.episode == episodes.c.number, tags.c.tag == _keepable(self.tag)
                )
            )
        wanted_conditions.extend(map(_says, fold(self.text[:MAX_SEARCH]).split()))
        return wanted_conditions


# Sort orders. Running episodes sort as unknown where the order would reveal how much was said.
ORDERS: Mapping[Order, tuple[ColumnElement[Any], ...]] = {
    "latest": (episodes.c.updated.desc(), episodes.c.number.desc()),
    "oldest": (episodes.c.updated, episodes.c.number),
    "title": (func.lower(episodes.c.title), episodes.c.number.desc()),
    "rounds": (episodes.c.rounds.desc(), episodes.c.number.desc()),
    "tokens": (
        case((episodes.c.outcome == RUNNING, 0), else_=func.coalesce(episodes.c.tokens, 0)).desc(),
        episodes.c.number.desc(),
    ),
}


def _has_a_move() -> ColumnElement[bool]:
    """Return the condition that a seat has moved in any variation, even in an unfinished round."""
    moved = exists().where(
        events.c.episode == episodes.c.number, events.c.body.contains(MOVED, autoescape=True)
    )
    return or_(episodes.c.rounds > 0, moved)


def _says(word: str) -> ColumnElement[bool]:
    written = exists().where(
        events.c.episode == episodes.c.number, events.c.words.contains(word, autoescape=True)
    )
    return or_(
        episodes.c.words.contains(word, autoescape=True),
        and_(episodes.c.settled.is_(True), written),
    )


def _keepable(text: str) -> str:
    """Return a search text without the characters that databases reject."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()
