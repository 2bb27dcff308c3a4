"""Whose windows are open, in all processes that use the database."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Engine, delete, func, insert, select

from explorer.storage.engines import insert_into, reading, writing
from explorer.storage.entries import stamp
from explorer.storage.errors import ConflictError
from explorer.storage.news import News, presence_topic
from explorer.storage.room_tables import presence, processes, rooms, servers
from nip_core.displays import line

__all__ = ["BEAT", "Presence"]

# A process says that it is there; one that has not said so for some time is not. So those whose
# process was killed, and who did not come back through another one, are missed after 15 seconds.
BEAT = timedelta(seconds=5)
SILENT = 3 * BEAT


class Presence:
    """Windows that look at rooms: where, and as whom. Each change of it is told.

    Attributes
    ----------
    process : str
        The name of this process here.
    """

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)

    def __init__(self, engine: Engine, news: News) -> None:
        self._engine = engine
        self._news = news
        self.process = secrets.token_hex(16)

    def enter(self, code: str, watcher: str, window: str) -> None:
        """A window, named by whoever holds it, looks at a room from now on, if that is there."""
        entered = stamp(now())
        with suppress(ConflictError), self._news.writing(presence_topic(code)) as connection:
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
        """A window looks there no longer."""
        with self._news.writing(presence_topic(code)) as connection:
            connection.execute(delete(presence).where(presence.c.window == window))

    def there(self, room: int) -> Mapping[str, int]:
        """Who looks at a room, given its number, and with how many windows."""
        wanted = (
            select(presence.c.watcher, func.count())
            .join_from(presence, processes)
            .where(presence.c.room == room, processes.c.seen > _limit())
            .group_by(presence.c.watcher)
        )
        with reading(self._engine) as connection:
            return {row[0]: row[1] for row in connection.execute(wanted)}

    def beat(self) -> None:
        """Say that this process is there, and clear up after those that are not."""
        silent = processes.c.seen <= _limit()
        left = (
            select(rooms.c.code)
            .join_from(presence, processes)
            .join(rooms)
            .where(silent, processes.c.id != self.process)
            .distinct()
        )
        with writing(self._engine) as connection:
            self._say_here(connection, stamp(now()))
        with reading(self._engine) as connection:
            codes = connection.scalars(left).all()
        with self._news.writing(*map(presence_topic, codes)) as connection:
            connection.execute(delete(processes).where(silent))

    def serve_at(self, address: str) -> None:
        """Note that a server of this database was started at an address."""
        started = stamp(now())
        add = insert_into(self._engine, servers).values(address=address[:300], started=started)
        with writing(self._engine) as connection:
            connection.execute(
                add.on_conflict_do_update(index_elements=["address"], set_={"started": started})
            )

    def served_at(self) -> str | None:
        """The address of the server that was started last, if there was one."""
        wanted = select(servers.c.address).order_by(servers.c.started.desc()).limit(1)
        with reading(self._engine) as connection:
            return connection.scalar(wanted)

    def go(self) -> None:
        """Nobody looks through this process any more: it ends."""
        own = processes.c.id == self.process
        looked_at = (
            select(rooms.c.code).join_from(presence, processes).join(rooms).where(own).distinct()
        )
        with reading(self._engine) as connection:
            codes = connection.scalars(looked_at).all()
        with self._news.writing(*map(presence_topic, codes)) as connection:
            connection.execute(delete(processes).where(own))

    def _say_here(self, connection: Connection, seen: str) -> None:
        add = insert_into(self._engine, processes).values(id=self.process, seen=seen)
        connection.execute(add.on_conflict_do_update(index_elements=["id"], set_={"seen": seen}))


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def _limit() -> str:
    return stamp(now() - SILENT)
