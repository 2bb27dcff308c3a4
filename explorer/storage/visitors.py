"""What the database keeps by visitor: open windows, drafts, and the budgets of their models."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    ScalarSelect,
    Select,
    delete,
    func,
    insert,
    select,
    update,
)

from explorer.storage.change_feed import ChangeFeed, presence_topic
from explorer.storage.engines import DatabasePart, insert_into, put, reading, writing
from explorer.storage.erasing import erase
from explorer.storage.errors import ConflictError, StorageInputError
from explorer.storage.limits import charge
from explorer.storage.records import has_id, stamp
from explorer.storage.rooms import TIMERS
from explorer.storage.schema import (
    budgets,
    drafts,
    episodes,
    presence,
    processes,
    rooms,
    servers,
    spending,
)
from explorer.usage import Usage, UsageBudget

# Each process records regularly that it is running. Windows of a process that was killed are
# removed after 15 seconds unless they reconnect through another one.
BEAT = timedelta(seconds=5)
SILENT = 3 * BEAT


class Presence(DatabasePart):
    """The windows that show rooms, and as whom. Each change is published."""

    def __init__(self, engine: Engine, feed: ChangeFeed) -> None:
        super().__init__(engine)
        self._feed = feed
        self.process = secrets.token_hex(16)  # a random name of this process

    def enter(self, code: str, watcher: str, window: str) -> None:
        """Record that a window, named by its connection, shows a room, if the room exists."""
        entered = stamp(now())
        with suppress(ConflictError), self._feed.writing(presence_topic(code)) as connection:
            self._say_here(connection, entered)
            number = connection.scalar(select(rooms.c.number).where(rooms.c.code == code))
            if number is not None:
                connection.execute(
                    insert(presence).values(
                        process=self.process,
                        window=window,
                        room=number,
                        watcher=watcher,
                        since=entered,
                    )
                )

    def leave(self, code: str, window: str) -> None:
        """Record that a window has closed."""
        with self._feed.writing(presence_topic(code)) as connection:
            connection.execute(delete(presence).where(presence.c.window == window))

    def there(self, room: int) -> Mapping[str, int]:
        """Return who has windows open in a room, given its number, and how many."""
        wanted = (
            select(presence.c.watcher, func.count())
            .join_from(presence, processes)
            .where(presence.c.room == room, processes.c.seen > _limit())
            .group_by(presence.c.watcher)
        )
        with reading(self._engine) as connection:
            return {row[0]: row[1] for row in connection.execute(wanted)}

    def beat(self) -> None:
        """Record that this process is running, and remove what ended processes left behind."""
        silent = (processes.c.seen <= _limit()) & (processes.c.id != TIMERS)
        with writing(self._engine) as connection:
            self._say_here(connection, stamp(now()))
        self._remove(silent)

    def serve_at(self, address: str) -> None:
        """Record that a server of this database was started at an address."""
        place = {"address": address[:300]}
        with writing(self._engine) as connection:
            connection.execute(put(self._engine, servers, place, {"started": stamp(now())}))

    def served_at(self) -> str | None:
        """Return the address of the server that was started last, if there was one."""
        wanted = select(servers.c.address).order_by(servers.c.started.desc()).limit(1)
        with reading(self._engine) as connection:
            return connection.scalar(wanted)

    def go(self) -> None:
        """Remove all windows of this process when it ends."""
        self._remove(processes.c.id == self.process)

    def _remove(self, gone: ColumnElement[bool]) -> None:
        """Remove processes with their windows, and publish the change in the rooms they showed."""
        shown = select(rooms.c.code).join_from(presence, processes).join(rooms).where(gone)
        with reading(self._engine) as connection:
            codes = connection.scalars(shown.distinct()).all()
        with self._feed.writing(*map(presence_topic, codes)) as connection:
            connection.execute(delete(processes).where(gone))

    def _say_here(self, connection: Connection, seen: str) -> None:
        connection.execute(put(self._engine, processes, {"id": self.process}, {"seen": seen}))


def now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


def _limit() -> str:
    return stamp(now() - SILENT)


MAX_DRAFT = 500_000
MAX_PLACE = 200


class Drafts(DatabasePart):
    """Drafts by their owner (the secret token of a seat or a browser) and their place."""

    def get(self, owner: str, place: str) -> Any:
        """Return a draft, or None."""
        with reading(self._engine) as connection:
            body = connection.scalar(select(drafts.c.body).where(_at(owner, place)))
        return None if body is None else json.loads(body)

    def put(self, owner: str, place: str, draft: Any) -> None:
        """Keep a text, or any JSON value, replacing the earlier draft."""
        body = json.dumps(draft, allow_nan=False)
        if len(body) > MAX_DRAFT:
            raise StorageInputError(
                f"A draft can have at most {MAX_DRAFT:,} characters; it is not kept until it is "
                "shorter."
            )
        charge(len(body))
        keys = {"owner": _hashed(owner), "place": _checked(place)}
        new = {"body": body, "updated": stamp()}
        with writing(self._engine) as connection:
            connection.execute(put(self._engine, drafts, keys, new))

    def clear(self, owner: str, place: str) -> None:
        """Delete a draft after it was sent."""
        with writing(self._engine) as connection:
            erase(connection, delete(drafts).where(_at(owner, place)), soon=True)

    def forget(self, owner: str) -> None:
        """Delete all drafts of an owner."""
        with writing(self._engine) as connection:
            erase(connection, delete(drafts).where(drafts.c.owner == _hashed(owner)))


def _at(owner: str, place: str) -> ColumnElement[bool]:
    return (drafts.c.owner == _hashed(owner)) & (drafts.c.place == _checked(place))


def _hashed(owner: str) -> str:
    return sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()


def _checked(place: str) -> str:
    if not place.isprintable() or not place.isascii() or len(place) > MAX_PLACE:
        raise StorageInputError("A draft's place must be a short name of plain letters.")
    return place


class Budgets(DatabasePart):
    """Budgets by episode and visitor, and what an episode has used of all of them."""

    def caps(self, episode_id: str, visitor: str) -> UsageBudget | None:
        """Return the budget that a visitor has set for an episode, if any."""
        here = (budgets.c.episode == _number(episode_id)) & (budgets.c.visitor == visitor)
        with reading(self._engine) as connection:
            row = connection.execute(select(budgets.c.tokens, budgets.c.money).where(here)).first()
        return None if row is None else UsageBudget(row.tokens, row.money)

    def set_caps(self, episode_id: str, visitor: str, caps: UsageBudget) -> None:
        """Store a visitor's budget for an episode, replacing the earlier one."""
        most = {"tokens": caps.tokens, "money": caps.money}
        with writing(self._engine) as connection:
            number = connection.scalar(_number_of(episode_id))
            if number is not None:
                place = {"episode": number, "visitor": visitor}
                connection.execute(put(self._engine, budgets, place, most))

    def use(self, episode_id: str) -> Usage | None:
        """Return what an episode has used, if anything was counted; all tokens as input tokens."""
        here = spending.c.episode == _number(episode_id)
        with reading(self._engine) as connection:
            row = connection.execute(
                select(spending.c.tokens, spending.c.money).where(here)
            ).first()
        return None if row is None else Usage(tokens_in=row.tokens, money=row.money)

    def spend(self, episode_id: str, use: Usage, before: Usage) -> None:
        """Add to an episode's use; `before` is what it had used before anything was counted."""
        insert = insert_into(self._engine, spending)
        with writing(self._engine) as connection:
            number = connection.scalar(_number_of(episode_id))
            if number is None:
                return  # it was deleted for good
            connection.execute(
                insert.values(
                    episode=number, tokens=before.tokens, money=before.money
                ).on_conflict_do_nothing()
            )
            connection.execute(
                update(spending)
                .where(spending.c.episode == number)
                .values(tokens=spending.c.tokens + use.tokens, money=spending.c.money + use.money)
            )


def _number_of(episode_id: str) -> Select[tuple[int]]:
    return select(episodes.c.number).where(has_id(episode_id))


def _number(episode_id: str) -> ScalarSelect[int]:
    return _number_of(episode_id).scalar_subquery()
