"""Open windows and recent attempts, counted by all processes that use the database."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from sqlalchemy import Connection, Engine, case, delete, func, insert, select

from explorer.storage.change_feed import ChangeFeed, presence_topic
from explorer.storage.engines import insert_into, reading, writing
from explorer.storage.entries import stamp
from explorer.storage.errors import ConflictError
from explorer.storage.schema import presence, processes, rooms, servers, tries
from nip_core.displays import line

__all__ = ["BEAT", "MINUTES", "Attempts", "Presence"]

# Each process records regularly that it is running. Windows of a process that was killed are
# removed after 15 seconds unless they reconnect through another one.
BEAT = timedelta(seconds=5)
SILENT = 3 * BEAT


class Presence:
    """The windows that show rooms, and as whom. Each change is published.

    Attributes
    ----------
    process : str
        A random name of this process.
    """

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)

    def __init__(self, engine: Engine, news: ChangeFeed) -> None:
        self._engine = engine
        self._news = news
        self.process = secrets.token_hex(16)

    def enter(self, code: str, watcher: str, window: str) -> None:
        """Record that a window, named by its connection, shows a room, if the room exists."""
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
        """Record that a window has closed."""
        with self._news.writing(presence_topic(code)) as connection:
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
        """Record that a server of this database was started at an address."""
        started = stamp(now())
        add = insert_into(self._engine, servers).values(address=address[:300], started=started)
        with writing(self._engine) as connection:
            connection.execute(
                add.on_conflict_do_update(index_elements=["address"], set_={"started": started})
            )

    def served_at(self) -> str | None:
        """Return the address of the server that was started last, if there was one."""
        wanted = select(servers.c.address).order_by(servers.c.started.desc()).limit(1)
        with reading(self._engine) as connection:
            return connection.scalar(wanted)

    def go(self) -> None:
        """Remove all windows of this process when it ends."""
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
    """Return the current time."""
    return datetime.now(UTC)


def _limit() -> str:
    return stamp(now() - SILENT)


# All processes begin a new count at the same moment; their clocks agree well enough for that.
MINUTES = 10

# The name of the row that counts everybody.
ALL = ""


class Attempts:
    """Counts of attempts in the present ten minutes. Times are seconds since 1970."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)

    def made(self, what: str, who: str, now: float) -> tuple[int, int]:
        """Return how often somebody has tried, and how often all together have."""
        span = _span(now)
        rows = (tries.c.what == what) & (tries.c.span == span)
        mine = _name(what, who, span)
        wanted = select(tries.c.who, tries.c.count).where(rows, tries.c.who.in_((ALL, mine)))
        with reading(self._engine) as connection:
            found = {row[0]: row[1] for row in connection.execute(wanted)}
        return found.get(mine, 0), found.get(ALL, 0)

    def count(self, what: str, who: str, now: float) -> tuple[int, int]:
        """Count an attempt, and return the counts of this person and of all together."""
        span = _span(now)
        add = insert_into(self._engine, tries)
        with writing(self._engine) as connection:
            # Always in the same order, so that no two transactions wait for each other.
            everybody, mine = (
                connection.scalar(
                    add.values(what=what, span=span, who=each, count=1)
                    .on_conflict_do_update(
                        index_elements=["what", "span", "who"],
                        set_={"count": tries.c.count + 1},
                    )
                    .returning(tries.c.count)
                )
                or 0
                for each in (ALL, _name(what, who, span))
            )
        if everybody == 1:
            self.forget(now)
        return mine, everybody

    def take_turn(self, what: str, who: str, now: float, *, every: float, at_once: int) -> float:
        """Take a turn if one is free: one comes at regular intervals, and some are saved up.

        The row stores, in thousandths of a second since the ten minutes began, when the next turn
        would be if none were saved up.

        Parameters
        ----------
        what, who : str
        now : float
        every : float
            Seconds between turns.
        at_once : int
            How many unused turns are saved up.

        Returns
        -------
        float
            0 if a turn was taken; otherwise the seconds until the next one is free.
        """
        span = _span(now)
        passed, each = round(1000 * (now - span * 60 * MINUTES)), round(1000 * every)
        place = {"what": what, "span": span, "who": _name(what, who, span)}
        due = case((tries.c.count > passed, tries.c.count), else_=passed)
        saved = (at_once - 1) * each
        with writing(self._engine) as connection:
            taken = connection.scalar(
                insert_into(self._engine, tries)
                .values(**place, count=passed + each)
                .on_conflict_do_update(
                    index_elements=["what", "span", "who"],
                    set_={"count": due + each},
                    where=tries.c.count <= passed + saved,
                )
                .returning(tries.c.count)
            )
        if taken is not None:
            return 0.0
        here = [tries.c[name] == value for name, value in place.items()]
        with reading(self._engine) as connection:
            later = connection.scalar(select(tries.c.count).where(*here)) or 0
        return max(1, later - saved - passed) / 1000

    def forget(self, now: float) -> None:
        """Delete the counts of earlier periods."""
        with writing(self._engine) as connection:
            connection.execute(delete(tries).where(tries.c.span < _span(now)))


def _span(now: float) -> int:
    return int(now // (60 * MINUTES))


def _name(what: str, who: str, span: int) -> str:
    """Return a hashed name, different in every period, so that no address is stored."""
    return blake2b(f"{what} {span} {who}".encode(), digest_size=16).hexdigest()
