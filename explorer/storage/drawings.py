"""The drawings that visitors keep: each has versions, which are histories of how it was drawn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, func, insert, select, update

from explorer.storage.engines import DatabasePart, reading, writing
from explorer.storage.erasing import erase
from explorer.storage.errors import StorageInputError
from explorer.storage.limits import charge
from explorer.storage.records import stamp
from explorer.storage.schema import drawings
from nip_core.displays import displayed

# Of one visitor, and of one drawing.
MOST_DRAWINGS, MOST_VERSIONS = 200, 50
# How long a deleted drawing can be restored.
SECOND_THOUGHTS = timedelta(days=30)


@displayed
@dataclass(frozen=True, slots=True)
class KeptVersion:
    """A version of a drawing, without its history."""

    name: str  # of the drawing, in addresses
    number: int  # counted from 1
    title: str
    kept: str  # when, in ISO 8601 and UTC
    is_deleted: bool


class Drawings(DatabasePart):
    """Drawings by visitor and name. Keeping adds a version; deleting can be undone for a while."""

    def keep(self, visitor: str, name: str, title: str, body: str) -> int:
        """Keep a history as the latest version, and return its number.

        Nothing is added if it is the latest version already. The oldest version goes if there are
        too many.
        """
        charge(len(body))
        of_visitor = drawings.c.visitor == visitor
        here = of_visitor & (drawings.c.name == name)
        with writing(self._engine) as connection:
            erase(connection, delete(drawings).where(of_visitor, drawings.c.deleted <= _limit()))
            wanted = select(drawings.c.number, drawings.c.body).where(here)
            last = connection.execute(wanted.order_by(drawings.c.number.desc()).limit(1)).first()
            if last is None:
                names = select(func.count(drawings.c.name.distinct())).where(of_visitor)
                if (connection.scalar(names) or 0) >= MOST_DRAWINGS:
                    raise StorageInputError(
                        f"Your library holds {MOST_DRAWINGS} drawings, the most that it can. "
                        "Delete one first, or download this one."
                    )
            connection.execute(update(drawings).where(here).values(deleted=None))
            if last is not None and last.body == body:
                return last.number
            number = 1 if last is None else last.number + 1
            row = {"title": title, "body": body, "kept": stamp()}
            place = {"visitor": visitor, "name": name, "number": number}
            connection.execute(insert(drawings).values(**place, **row))
            old = drawings.c.number <= number - MOST_VERSIONS
            erase(connection, delete(drawings).where(here, old), soon=True)
        return number

    def listed(self, visitor: str) -> list[KeptVersion]:
        """Return all versions of a visitor's drawings, the latest first."""
        columns = (drawings.c.name, drawings.c.number, drawings.c.title, drawings.c.kept)
        wanted = (
            select(*columns, drawings.c.deleted)
            .where(drawings.c.visitor == visitor)
            .order_by(drawings.c.kept.desc(), drawings.c.number.desc())
        )
        with reading(self._engine) as connection:
            return [KeptVersion(*row[:4], row[4] is not None) for row in connection.execute(wanted)]

    def body(self, visitor: str, name: str, number: int | None = None) -> str | None:
        """Return the history of a version, by default of the latest; None if there is none."""
        here = (drawings.c.visitor == visitor) & (drawings.c.name == name)
        wanted = select(drawings.c.body).where(here, drawings.c.deleted.is_(None))
        if number is not None:
            wanted = wanted.where(drawings.c.number == number)
        with reading(self._engine) as connection:
            return connection.scalar(wanted.order_by(drawings.c.number.desc()).limit(1))

    def delete(self, visitor: str, name: str) -> None:
        """Delete a drawing with its versions, so that it can still be restored."""
        self._mark(visitor, name, stamp())

    def restore(self, visitor: str, name: str) -> None:
        """Restore a deleted drawing."""
        self._mark(visitor, name, None)

    def _mark(self, visitor: str, name: str, when: str | None) -> None:
        here = (drawings.c.visitor == visitor) & (drawings.c.name == name)
        with writing(self._engine) as connection:
            connection.execute(update(drawings).where(here).values(deleted=when))


def _limit() -> str:
    return stamp(datetime.now(UTC) - SECOND_THOUGHTS)
