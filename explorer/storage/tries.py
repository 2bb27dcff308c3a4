"""How often something was tried lately, counted by all processes that use the database."""

from __future__ import annotations

from hashlib import blake2b

from sqlalchemy import Engine, delete, select

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

    def forget(self, now: float) -> None:
        """Let go of what was counted before."""
        with writing(self._engine) as connection:
            connection.execute(delete(tries).where(tries.c.span < _span(now)))


def _span(now: float) -> int:
    return int(now // (60 * MINUTES))


def _name(what: str, who: str, span: int) -> str:
    """What somebody is called here: in another span otherwise, and not by their address."""
    return blake2b(f"{what} {span} {who}".encode(), digest_size=16).hexdigest()
