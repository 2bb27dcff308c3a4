"""Limits for visitors: on attempts, and on what each visitor writes in a day.

The daily limit keeps visitors from filling the disk. The caller names the writer with `writing_as`
or `set_source`. Only a public server counts, and only writes with a known writer, so neither
commands nor notebooks are limited. Each process counts by itself, and every minute exchanges its
counts with the others through the database.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b

from sqlalchemy import Engine, case, delete, select

from explorer.hosts import is_public
from explorer.storage.engines import DatabasePart, count_up, insert_into, reading, writing
from explorer.storage.errors import StorageInputError
from explorer.storage.schema import attempts
from nip_core.displays import displayed

# All processes begin a new count at the same moment; their clocks agree well enough for that.
MINUTES = 10

# The name of the row that counts everybody.
ALL = ""


class Attempts(DatabasePart):
    """Counts of attempts in the present ten minutes. Times are seconds since 1970."""

    def made(self, what: str, who: str, now: float) -> tuple[int, int]:
        """Return how often somebody has tried, and how often all together have."""
        span = _span(now)
        rows = (attempts.c.what == what) & (attempts.c.span == span)
        mine = _name(what, who, span)
        wanted = select(attempts.c.who, attempts.c.count).where(
            rows, attempts.c.who.in_((ALL, mine))
        )
        with reading(self._engine) as connection:
            counts = {row[0]: row[1] for row in connection.execute(wanted)}
        return counts.get(mine, 0), counts.get(ALL, 0)

    def count(self, what: str, who: str, now: float) -> tuple[int, int]:
        """Count an attempt, and return the counts of this person and of all together."""
        span = _span(now)
        with writing(self._engine) as connection:
            # Always in the same order, so that no two transactions wait for each other.
            everybody, mine = (
                connection.scalar(count_up(self._engine, attempts, _row(what, span, name), 1)) or 0
                for name in (ALL, _name(what, who, span))
            )
        if everybody == 1:
            self.forget(now)
        return mine, everybody

    def take_turn(self, what: str, who: str, now: float, *, every: float, at_once: int) -> float:
        """Take a turn if one is free and return 0; else return the seconds until the next is.

        A turn comes `every` so many seconds, and `at_once` of them are saved up. The row stores, in
        thousandths of a second since the ten minutes began, when the next turn would be if none
        were saved up.
        """
        span = _span(now)
        passed, step = round(1000 * (now - span * 60 * MINUTES)), round(1000 * every)
        place = _row(what, span, _name(what, who, span))
        due = case((attempts.c.count > passed, attempts.c.count), else_=passed)
        saved = (at_once - 1) * step
        with writing(self._engine) as connection:
            taken = connection.scalar(
                insert_into(self._engine, attempts)
                .values(**place, count=passed + step)
                .on_conflict_do_update(
                    index_elements=["what", "span", "who"],
                    set_={"count": due + step},
                    where=attempts.c.count <= passed + saved,
                )
                .returning(attempts.c.count)
            )
        if taken is not None:
            return 0.0
        here = [attempts.c[name] == value for name, value in place.items()]
        with reading(self._engine) as connection:
            later = connection.scalar(select(attempts.c.count).where(*here)) or 0
        return max(1, later - saved - passed) / 1000

    def forget(self, now: float) -> None:
        """Delete the counts of earlier periods."""
        with writing(self._engine) as connection:
            connection.execute(delete(attempts).where(attempts.c.span < _span(now)))


def _span(now: float) -> int:
    return int(now // (60 * MINUTES))


def _row(what: str, span: int, who: str) -> dict[str, object]:
    return {"what": what, "span": span, "who": who}


def _name(what: str, who: str, span: int) -> str:
    """Return a hashed name, different in every period, so that no address is stored."""
    return blake2b(f"{what} {span} {who}".encode(), digest_size=16).hexdigest()


KILOBYTE, MEGABYTE = 1_000, 1_000_000
# The name of these counts in the table of attempts.
WHAT = "written"
DAY = 24 * 3600
# A person types a few kilobytes a day; models and uploaded files write more.
MOST_EACH = 20 * MEGABYTE
# A whole school may share an address.
MOST_NEAR = 400 * MEGABYTE
MOST = 4_000 * MEGABYTE
# Seconds between two exchanges with the database, so that a full room costs little.
SHARE_EVERY = 60.0
# How many visitors and addresses are kept in memory.
KNOWN = 50_000


class TooMuchWrittenError(StorageInputError):
    """A visitor of a public server has reached the daily limit."""


@displayed
@dataclass(frozen=True, slots=True)
class Writer:
    """The visitor on whose behalf something is written."""

    visitor: str
    address: str = ""  # the IP address; empty if it is unknown


class DailyWrites:
    """Counts what visitors write."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._day = 0
        self._sizes: dict[tuple[str, str], int] = {}
        # Counts that the database does not have yet, of visitors only.
        self._unshared: dict[str, int] = {}
        self._shared = -SHARE_EVERY

    def charge(self, writer: Writer, size: int) -> None:
        """Add this many bytes, or raise a TooMuchWrittenError."""
        limits = {("visitor", writer.visitor): MOST_EACH, ("all", ""): MOST}
        if writer.address:
            limits["address", writer.address] = MOST_NEAR
        with self._lock:
            day = int(self._clock() // DAY)
            if day != self._day:
                self._day = day
                self._sizes.clear()
                self._unshared.clear()
            for whose, most in limits.items():
                if self._sizes.get(whose, 0) + size > most:
                    raise TooMuchWrittenError(_REFUSED[whose[0]].format(most // MEGABYTE))
            if len(self._sizes) > KNOWN:
                self._forget_small()
            for whose in limits:
                self._sizes[whose] = self._sizes.get(whose, 0) + size
            self._unshared[writer.visitor] = self._unshared.get(writer.visitor, 0) + size

    def share(self, engine: Engine) -> None:
        """Add new counts to the database, and read those of all processes."""
        with self._lock:
            if not self._unshared or self._clock() - self._shared < SHARE_EVERY:
                return
            day, unshared = self._day, self._unshared
            self._unshared, self._shared = {}, self._clock()
        # Always in the same order, so that no two processes wait for each other.
        named = sorted(
            (_name(WHAT, visitor, day), visitor, size) for visitor, size in unshared.items()
        )
        totals: dict[str, int] = {}
        with writing(engine) as connection:
            for name, visitor, size in named:
                kilobytes = -(-size // KILOBYTE)
                place = _row(WHAT, _last_span(day), name)
                total = connection.scalar(count_up(engine, attempts, place, kilobytes))
                totals[visitor] = KILOBYTE * (total or 0)
        with self._lock:
            if day == self._day:
                for visitor, total in totals.items():
                    whose = "visitor", visitor
                    known = total + self._unshared.get(visitor, 0)
                    self._sizes[whose] = max(self._sizes.get(whose, 0), known)

    def _forget_small(self) -> None:
        largest = sorted(self._sizes.items(), key=lambda name_and_size: -name_and_size[1])
        self._sizes = dict(largest[: KNOWN // 2])


_REFUSED = {
    "visitor": "You have written {} MB on this server today, the most that is kept. "
    "Go on tomorrow, or install the explorer on your own machine.",
    "address": "From your network address {} MB were written on this server today, the most that "
    "is kept. Go on tomorrow, or install the explorer on your own machine.",
    "all": "Visitors have written {:,} MB on this server today, the most that is kept. Go on "
    "tomorrow.",
}

_written = DailyWrites()
# Whose writes are counted in this context: nobody's is None. Where it is not set, `_source` says.
_writer: ContextVar[Writer | None] = ContextVar("writer")
_source: Callable[[], Writer | None] | None = None


@contextmanager
def writing_as(writer: Writer) -> Generator[None]:
    """Count what is written in this context as one visitor's; threads inherit the context.

    Whether the server is public is looked up once, at the beginning.
    """
    token = _writer.set(writer if is_public() else None)
    try:
        yield
    finally:
        _writer.reset(token)


def set_source(source: Callable[[], Writer | None]) -> None:
    """Set the function that returns the writer outside of `writing_as`."""
    global _source
    _source = source


def share(engine: Engine) -> None:
    """Publish what was written here to other processes and to `nip-explorer storage`."""
    _written.share(engine)


def written_today(engine: Engine, clock: Callable[[], float] = time.time) -> list[int]:
    """Return the bytes that each visitor has written today, largest first, without names."""
    rows = (attempts.c.what == WHAT) & (attempts.c.span == _last_span(int(clock() // DAY)))
    with reading(engine) as connection:
        kilobytes = connection.scalars(select(attempts.c.count).where(rows)).all()
    return sorted((KILOBYTE * count for count in kilobytes), reverse=True)


def _last_span(day: int) -> int:
    """Return the number of a day's last period, so that the row is deleted after that day."""
    return (day + 1) * DAY // (60 * MINUTES) - 1


def charge(size: int) -> None:
    """Count what is about to be written, or refuse it, if the writer is known."""
    try:
        writer = _writer.get()
    except LookupError:
        writer = _source() if _source is not None and is_public() else None
    if writer is not None:
        _written.charge(writer, size)
