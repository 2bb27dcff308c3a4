"""What a database holds: counts, sizes and ages, by kind and by user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from explorer.storage.engines import DatabasePart, reading, writing
from explorer.storage.erasing import erase
from explorer.storage.limits import share, written_today
from explorer.storage.records import stamp
from explorer.storage.schema import (
    answers,
    drafts,
    drawings,
    episodes,
    events,
    leaders,
    participant_events,
    people,
    private,
    room_events,
    rooms,
    setups,
)
from nip_core.displays import displayed

# Episodes deleted because of their age can be restored for this long, so that a wrong clock does
# not delete anything for good.
SECOND_THOUGHTS = timedelta(days=1)
AGES: Mapping[str, tuple[int, int | None]] = {
    "today": (0, 1),
    "this week": (1, 7),
    "this month": (7, 30),
    "this year": (30, 365),
    "older": (365, None),
}


@displayed
@dataclass(frozen=True, slots=True)
class UsageShare:
    """A part of the stored data."""

    name: str
    count: int
    size: int  # characters of text, roughly bytes


class StorageUsage(DatabasePart):
    """The stored data, and what is too old to be kept."""

    def kinds(self) -> list[UsageShare]:
        """Return the stored data by kind."""
        outside = episodes.c.room.is_(None)
        there = episodes.c.deleted.is_(None)
        with reading(self._engine) as connection:
            return [
                _episodes(connection, "episodes outside rooms", outside & there),
                _episodes(connection, "episodes of rooms", ~outside & there),
                _episodes(connection, "deleted episodes", ~there),
                _rows(connection, "answers in lessons", func.length(answers.c.value)),
                _rows(connection, "drafts", func.length(drafts.c.body)),
                _rows(connection, "versions of drawings", func.length(drawings.c.body)),
                _rows(
                    connection,
                    "events of people in studies",
                    func.length(participant_events.c.body),
                ),
                _rows(connection, "rooms", func.length(rooms.c.plan) + func.length(rooms.c.state)),
                _rows(connection, "people in rooms", func.length(people.c.name)),
                _rows(connection, "events of rooms", func.length(room_events.c.body)),
                _rows(connection, "names and answers of events", func.length(private.c.body)),
            ]

    def ages(self) -> list[UsageShare]:
        """Return the episodes outside rooms, by the time of their last change."""
        now = datetime.now(UTC)
        with reading(self._engine) as connection:
            shares: list[UsageShare] = []
            for name, (least, most) in AGES.items():
                here = episodes.c.room.is_(None) & episodes.c.deleted.is_(None)
                if least:
                    here &= episodes.c.updated <= stamp(now - timedelta(days=least))
                if most is not None:
                    here &= episodes.c.updated > stamp(now - timedelta(days=most))
                shares.append(_episodes(connection, name, here))
            return shares

    def facilitators(self) -> list[UsageShare]:
        """Return the rooms by facilitator, largest first, without names."""
        sizes = (
            select(episodes.c.room, func.sum(func.length(events.c.body)).label("size"))
            .join_from(episodes, events)
            .where(episodes.c.room.is_not(None))
            .group_by(episodes.c.room)
            .subquery()
        )
        wanted = (
            select(func.count(leaders.c.room), func.coalesce(func.sum(sizes.c.size), 0))
            .select_from(leaders.outerjoin(sizes, sizes.c.room == leaders.c.room))
            .group_by(leaders.c.visitor)
        )
        with reading(self._engine) as connection:
            rows = [(count, int(size)) for count, size in connection.execute(wanted)]
        rows.sort(key=lambda size_and_rooms: (-size_and_rooms[1], -size_and_rooms[0]))
        return [UsageShare(f"facilitator {n}", *row) for n, row in enumerate(rows, 1)]

    def visitors(self) -> list[UsageShare]:
        """Return what a public server's visitors have written today, largest first."""
        sizes = written_today(self._engine)
        return [UsageShare(f"visitor {number}", 1, size) for number, size in enumerate(sizes, 1)]

    def share(self) -> None:
        """Publish what was written through this process to the other processes."""
        share(self._engine)

    def delete_old(self, days: int) -> int:
        """Delete episodes outside rooms that have not changed for some days.

        They are marked as deleted first, and removed a day later; return how many were removed.
        """
        now = datetime.now(UTC)
        old = episodes.c.room.is_(None) & (episodes.c.updated <= stamp(now - timedelta(days=days)))
        marked = episodes.c.deleted.is_not(None)
        with writing(self._engine) as connection:
            # Marked while a clock was ahead.
            early = episodes.c.room.is_(None) & (episodes.c.deleted > stamp(now + SECOND_THOUGHTS))
            connection.execute(update(episodes).where(early).values(deleted=None))
            late = episodes.c.deleted <= stamp(now - SECOND_THOUGHTS)
            gone = erase(connection, delete(episodes).where(old, late)).rowcount
            connection.execute(update(episodes).where(old, ~marked).values(deleted=stamp(now)))
        return gone


def _episodes(connection: Connection, name: str, here: ColumnElement[bool]) -> UsageShare:
    count = connection.scalar(select(func.count()).select_from(episodes).where(here)) or 0
    size = 0
    for table, text in (
        (setups, func.length(setups.c.body)),
        (events, func.length(events.c.body) + func.coalesce(func.length(events.c.words), 0)),
    ):
        wanted = select(func.sum(text)).join_from(table, episodes).where(here)
        size += int(connection.scalar(wanted) or 0)
    return UsageShare(name, count, size)


def _rows(connection: Connection, name: str, text: ColumnElement[int]) -> UsageShare:
    count, size = connection.execute(select(func.count(), func.sum(text))).one()
    return UsageShare(name, count, int(size or 0))
