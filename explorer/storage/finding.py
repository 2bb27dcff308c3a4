"""Search criteria for episodes, as SQL conditions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, case, exists, func, or_

from explorer.storage.entries import EpisodeStatus, fold
from explorer.storage.records import open_to
from explorer.storage.schema import episodes, events, tags
from nip_core.displays import displayed

__all__ = ["ORDERS", "Criteria", "Order"]

Order = Literal["latest", "oldest", "title", "rounds", "tokens"]

MAX_SEARCH = 200
RUNNING = "running"
EXACT = ("protocol", "kind", "task", "outcome")


@displayed
@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Search criteria; an episode has to meet all that are given.

    Parameters
    ----------
    text : str
        Every word must occur in the title, a tag or the episode's messages, also as part of a word
        and in any case. Messages are searched only when all variations are over: a search must not
        reveal to a player what others say privately.
    tag, protocol, kind, task : str, optional
    outcome : {"running", "reject", "accept", "terminated"}, optional
    right : bool, optional
        Whether the verdict was correct.
    y : {0, 1}, optional
        The label, of episodes of which the present variation has ended.
    player : str, optional
        A kind of player in any seat, or the name of a model.
    settled : bool
        Only episodes of which every variation is over.
    deleted : bool
        The deleted episodes instead of all others.
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
        """Return the conditions, limited to episodes that a room, or everybody, may see."""
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
