"""Which episodes are meant: criteria as SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, case, exists, func, or_

from explorer.storage.entries import EpisodeStatus, fold
from explorer.storage.records import open_to
from explorer.storage.tables import episodes, events, tags
from nip_core.displays import displayed

__all__ = ["ORDERS", "Criteria", "Order"]

Order = Literal["latest", "oldest", "title", "rounds", "tokens"]

MAX_SEARCH = 200
RUNNING = "running"
EXACT = ("protocol", "kind", "task", "outcome")


@displayed
@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Which stored episodes are meant; those that meet all that is given.

    Parameters
    ----------
    text : str
        Every word of it occurs in the title, a tag, or what was written in the episode, as a part
        of a word or a whole one, whatever the case. What was written is searched only once all
        lines are over: a search must not tell a player what others say behind their back.
    tag, protocol, kind, task : str, optional
    outcome : {"running", "reject", "accept", "terminated"}, optional
    right : bool, optional
        Was the verdict the truth?
    y : {0, 1}, optional
        The label, of those of which the present line has ended.
    player : str, optional
        A kind of player that sits in a seat, or the name of a model.
    settled : bool
        Only those of which every line is over.
    deleted : bool
        The deleted ones, instead of all others.
    """

    text: str = ""
    tag: str | None = None
    protocol: str | None = None
    kind: str | None = None
    task: str | None = None
    outcome: EpisodeStatus | None = None
    right: bool | None = None
    y: int | None = None
    player: str | None = None
    settled: bool = False
    deleted: bool = False

    def conditions(self, room: int | None = None) -> list[ColumnElement[bool]]:
        """The criteria for a `WHERE` on the episodes that a room, or anybody, may look at."""
        gone = episodes.c.deleted
        found: list[ColumnElement[bool]] = [
            gone.is_not(None) if self.deleted else gone.is_(None),
            open_to(room),
        ]
        for name in EXACT:
            wanted = getattr(self, name)
            if wanted is not None:
                found.append(episodes.c[name] == _keepable(wanted))
        if self.right is not None:
            found.append(episodes.c.right.is_(self.right))
        if self.y is not None:
            found += [episodes.c.y == self.y, episodes.c.outcome != RUNNING]
        if self.player is not None:
            found.append(
                episodes.c.seats.contains(json.dumps(_keepable(self.player)), autoescape=True)
            )
        if self.settled:
            found.append(episodes.c.settled.is_(True))
        if self.tag is not None:
            found.append(
                exists().where(
                    tags.c.episode == episodes.c.number, tags.c.tag == _keepable(self.tag)
                )
            )
        found.extend(map(_says, fold(self.text[:MAX_SEARCH]).split()))
        return found


# How lists may be ordered. What goes on counts as unknown where it would tell how much was said.
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


def _says(word: str) -> ColumnElement[bool]:
    written = exists().where(
        events.c.episode == episodes.c.number, events.c.words.contains(word, autoescape=True)
    )
    return or_(
        episodes.c.words.contains(word, autoescape=True),
        and_(episodes.c.settled.is_(True), written),
    )


def _keepable(text: str) -> str:
    """A criterion from a stranger, without the characters that no database takes."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()
