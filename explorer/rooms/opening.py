"""Making a room, leading it, closing it, and deleting what is overdue."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from explorer.rooms.changes import changing, in_seconds, leading, now
from explorer.rooms.codes import new_code, read_code
from explorer.rooms.errors import NoSuchRoomError, NotLeaderError, RoomError, TooManyError
from explorer.rooms.making import check_may_open, most_days
from explorer.rooms.plan import Plan
from explorer.rooms.room import Room, room_of
from explorer.rooms.starting import lay_tables
from explorer.storage import ConflictError, Storage, hashed_key, stamp
from nip_core.displays import displayed

__all__ = ["Opened", "Steadiness", "close", "lead", "open_room", "purge_overdue", "recover_link"]

MOST_ROOMS = 500
DAY = 24 * 3600
# For how long a room is marked before it is deleted, and how far two clocks may drift apart.
MARKED_FOR = timedelta(seconds=DAY)
JUMP = 600.0
ATTEMPTS = 20
WRONG_LINK = (
    "This facilitator's link does not lead this room, or a newer one has taken its place. Ask "
    "whoever has made the room, or whoever runs the server."
)


@displayed
@dataclass(frozen=True, slots=True)
class Opened:
    """A room that was made.

    Parameters
    ----------
    code : str
        By which people join.
    key : str
        By which another browser may lead it. It is told once, and only a hash of it is kept.
    """

    code: str
    key: str = field(repr=False)


def open_room(
    storage: Storage, plan: Plan, visitor: str, password: str = "", *, signed_in: bool = False
) -> Opened:
    """Make a room, which a browser leads from now on.

    Raises
    ------
    MayNotOpenError
        If the operator of a public server has set a password, and this is another one; or asks
        people to sign in, and they have not.
    PlanError
        If the plan cannot be played.
    TooManyError
        If the server holds too many.
    """
    check_may_open(password, signed_in=signed_in)
    plan.check()
    if len(storage.rooms.listed()) >= MOST_ROOMS:
        raise TooManyError("This server holds too many rooms. Ask its operator to delete old ones.")
    key = secrets.token_urlsafe(16)
    for _ in range(ATTEMPTS):
        opened = Opened(new_code(), key)
        try:
            storage.rooms.add(
                code=opened.code,
                kind=plan.kind,
                plan=plan.to_dict(),
                key=key,
                visitor=visitor,
                expires=in_seconds(min(plan.keep_days, most_days()) * DAY),
            )
        except ConflictError:
            continue  # somebody has this code
        if plan.kind == "tables" and plan.seating == "choice":
            with changing(storage, opened.code) as (change, room):
                lay_tables(change, room, plan.tables or 1)
        return opened
    raise TooManyError("No code is free at the moment. Try again.")


def lead(storage: Storage, code: str, key: str, visitor: str) -> None:
    """Let a browser that has the facilitator's link lead the room.

    Raises
    ------
    NotLeaderError
        If the link is not, or no longer, the right one.
    RoomError
        If somebody sits at a table in this browser: they would see more than their seat may.
    """
    # Read first: wrong links, however many come, make nobody wait who changes the room.
    try:
        _check_link(room_of(storage, code), key, visitor)
    except NoSuchRoomError:
        # Short codes cannot be tried by links: a wrong one is told the same in any case.
        raise NotLeaderError(WRONG_LINK) from None
    with changing(storage, code, even_closed=True) as (change, room):
        if room.leads(visitor):
            return
        _check_link(room, key, visitor)
        if room.persons_of(visitor) and not room.plan.rehearsal:
            raise RoomError(
                "This browser has joined the room, and a facilitator sees more than a participant "
                "may. Open the link in another browser or in a private window, or leave the room "
                "first."
            )
        change.add_leader(visitor)


def _check_link(room: Room, key: str, visitor: str) -> None:
    right = secrets.compare_digest(hashed_key(key), room.rows.room["key"])
    if not right and not room.leads(visitor):
        raise NotLeaderError(WRONG_LINK)


def recover_link(
    storage: Storage, code: str, *, only: str | None = None, by: str | None = None
) -> str:
    """Make a new token to lead a room by; the old one is worth nothing from now on.

    Parameters
    ----------
    storage : Storage
    code : str
    only : str, optional
        The one browser that goes on leading; ``""`` is none of them. All do if it is left out.
    by : str, optional
        Who asks, and has to lead. Whoever runs the server is asked for nothing.

    Raises
    ------
    NotLeaderError
    """
    key = secrets.token_urlsafe(16)
    with changing(storage, code, even_closed=True) as (change, room):
        if by is not None and not room.leads(by):
            raise NotLeaderError
        change.set_room(key=hashed_key(key))
        if only is not None:
            change.remove_leaders(but=only)
    return key


def close(storage: Storage, code: str, by: str) -> None:
    """Let nobody in any more. Results stay for the facilitator until all of it is deleted."""
    with leading(storage, code, by, even_closed=True) as (change, room):
        if room.phase != "closed":
            change.set_room(phase="closed", closed=stamp())
            for table in room.tables:
                if table.phase != "over":
                    change.set_table(room.turn, table.number, phase="over", deadline=None)


def delete(storage: Storage, code: str) -> None:
    """Delete a room with its people, answers and episodes. For whoever runs the server."""
    with changing(storage, code, even_closed=True) as (change, _):
        change.delete()


@displayed
@dataclass
class Steadiness:
    """Tells whether the clock of this machine has gone on as time has, from look to look.

    Parameters
    ----------
    wall : datetime, optional
        What it said at the last look.
    steady : float
        The seconds of a clock that nobody sets.
    """

    wall: datetime | None = None
    steady: float = 0.0

    def holds(self, wall: datetime, steady: float) -> bool:
        """Has the clock not been set since the last look? At the first one nobody knows."""
        before, self.wall = self.wall, wall
        past, self.steady = steady - self.steady, steady
        return before is not None and abs((wall - before).total_seconds() - past) < JUMP


def purge_overdue(storage: Storage, clock: Steadiness | None = None) -> list[str]:
    """Delete the rooms whose time is over; return their codes.

    A clock may be wrong for a while, and what is deleted is gone. So a room is marked a day before
    its time is over, and deleted only once it has been marked for a day, by this machine's clock
    and by that of the database. A mark that was made while a clock was wrong is taken away by the
    next look while it is right.

    Parameters
    ----------
    storage : Storage
    clock : Steadiness, optional
        Of whoever looks again and again: nothing is deleted by the first look, nor by one before
        which the clock was set.
    """
    at = now()
    steady = clock is None or clock.holds(at, time.monotonic())
    # A database on another machine has a clock of its own; the one that is behind counts.
    at = min(at, storage.rooms.database_time() or at)
    soon, due = stamp(at + MARKED_FOR), stamp(at - MARKED_FOR)
    gone: list[str] = []
    for row in storage.rooms.listed():
        since = row["overdue"]
        try:
            if row["expires"] > soon:
                if since is not None:
                    _mark(storage, row["code"], None)
            elif since is None or since > stamp(at):
                _mark(storage, row["code"], stamp(at))
            elif row["expires"] <= stamp(at) and since <= due and steady:
                delete(storage, read_code(row["code"]))
                gone.append(row["code"])
        except NoSuchRoomError:
            continue  # another process was faster
    return gone


def _mark(storage: Storage, code: str, since: str | None) -> None:
    with changing(storage, code, even_closed=True) as (change, _):
        change.set_room(overdue=since)
