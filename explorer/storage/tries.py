"""How often something was tried lately, counted by all processes that use the database."""

from __future__ import annotations

from hashlib import blake2b

from sqlalchemy import Engine, case, delete, select

from explorer.storage.engines import insert_into, reading, writing
from explorer.storage.room_tables import tries
from nip_core.displays import line

__all__ = ["MINUTES", "Tries"]

# All processes begin to count anew at the same moment: their clocks agree well enough for that.
MINUTES = 10

# Whose row counts for all together.
ALL = ""


class Tries:
    """Counts of tries in the present ten minutes. Times are seconds since 1970."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)

    def made(self, what: str, who: str, now: float) -> tuple[int, int]:
        """How often somebody has tried, and how often all together have."""
        span = _span(now)
        rows = (tries.c.what == what) & (tries.c.span == span)
        mine = _name(what, who, span)
        wanted = select(tries.c.who, tries.c.count).where(rows, tries.c.who.in_((ALL, mine)))
        with reading(self._engine) as connection:
            found = {row[0]: row[1] for row in connection.execute(wanted)}
        return found.get(mine, 0), found.get(ALL, 0)

    def count(self, what: str, who: str, now: float) -> tuple[int, int]:
        """Count a try, and say how often somebody has tried, and all together have, with it."""
        span = _span(now)
        add = insert_into(self._engine, tries)
        with writing(self._engine) as connection:
            # Always in this order, so that nobody waits for one who waits for them.
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
        """Take a turn if one is free: one is every so many seconds, and some are saved up.

        In the row stands, in thousandths of a second since the ten minutes began, when the next
        turn would be if none were saved up.

        Parameters
        ----------
        what, who : str
        now : float
        every : float
            Seconds from one turn to the next.
        at_once : int
            How many turns are saved up while nobody takes any.

        Returns
        -------
        float
            0 if a turn was taken; else in how many seconds the next one is free.
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
        """Let go of what was counted before."""
        with writing(self._engine) as connection:
            connection.execute(delete(tries).where(tries.c.span < _span(now)))


def _span(now: float) -> int:
    return int(now // (60 * MINUTES))


def _name(what: str, who: str, span: int) -> str:
    """What somebody is called here: in another span otherwise, and not by their address."""
    return blake2b(f"{what} {span} {who}".encode(), digest_size=16).hexdigest()
