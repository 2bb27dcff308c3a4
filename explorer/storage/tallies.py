"""What a class found, as counts: no person, no time of a single play, nothing to trace."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from explorer.storage.engines import reading, writing
from explorer.storage.entries import stamp
from explorer.storage.errors import StorageInputError
from explorer.storage.tables import tallies
from nip_core.displays import line

__all__ = ["Tallies", "room_code"]

UPSERT = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}
MOST_OUTCOMES = 2_000  # of one room: a bound on what strangers can make the table hold
KEPT = timedelta(days=30)


def room_code(text: str) -> str | None:
    """A class's code as it is kept, or None if it is none: 3 to 12 letters and digits."""
    return text.upper() if re.fullmatch(r"[A-Za-z0-9]{3,12}", text) else None


class Tallies:
    """Counts by room, lesson, block and outcome."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)

    def add(self, room: str, lesson: str, block: int, outcome: str) -> None:
        """Count one more.

        Raises
        ------
        StorageInputError
            For what is no room, or a room that is full.
        """
        code = room_code(room)
        if code is None or len(lesson) > 60 or len(outcome) > 60:
            raise StorageInputError("A class's code is 3 to 12 letters and digits.")
        now = datetime.now(UTC)
        insert = UPSERT[self._engine.dialect.name](tallies)
        place = {"room": code, "lesson": lesson, "block": block, "outcome": outcome}
        with writing(self._engine) as connection:
            connection.execute(delete(tallies).where(tallies.c.updated < stamp(now - KEPT)))
            rows = select(func.count()).select_from(tallies).where(tallies.c.room == code)
            if (connection.scalar(rows) or 0) >= MOST_OUTCOMES:
                raise StorageInputError("This class's tally is full; begin another class.")
            connection.execute(
                insert.values(**place, count=1, updated=stamp(now)).on_conflict_do_update(
                    index_elements=list(place),
                    set_={"count": tallies.c.count + 1, "updated": stamp(now)},
                )
            )

    def of(self, room: str) -> dict[tuple[str, int], dict[str, int]]:
        """All counts of a room: by lesson and block, then by outcome."""
        found: dict[tuple[str, int], dict[str, int]] = {}
        columns = (tallies.c.lesson, tallies.c.block, tallies.c.outcome, tallies.c.count)
        with reading(self._engine) as connection:
            wanted = select(*columns).where(tallies.c.room == (room_code(room) or ""))
            for lesson, block, outcome, count in connection.execute(wanted):
                found.setdefault((lesson, block), {})[outcome] = count
        return found
