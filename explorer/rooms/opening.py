"""Opening, leading and closing rooms, and deleting overdue ones."""

from __future__ import annotations

import hmac
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal

from explorer.hosts import is_public
from explorer.rooms.changes import changing, in_seconds, leading, now
from explorer.rooms.errors import (
    MayNotOpenError,
    NoSuchRoomError,
    NotLeaderError,
    RoomError,
    WrongPasswordError,
)
from explorer.rooms.events import (
    LeaderAdded,
    LeaderRemoved,
    LinkReplaced,
    OverdueMarked,
    RoomClosed,
    RoomCreated,
    TableEnded,
)
from explorer.rooms.plan import MOST_DAYS, RoomPlan
from explorer.rooms.room import ALPHABET, Access, Room, new_code, read_code, room_of
from explorer.rooms.seating import laid_tables
from explorer.storage import ConflictError, Storage, hashed_key, stamp
from explorer.visitors import sign_in_before
from nip_core.displays import displayed

PASSWORD = "NIP_EXPLORER_ROOMS_PASSWORD"
# A file keeps the password out of the process list, which every user of the machine can read.
PASSWORD_FILE = "NIP_EXPLORER_ROOMS_PASSWORD_FILE"
# The most days for which rooms are kept, whatever facilitators choose.
DAYS = "NIP_EXPLORER_ROOMS_DAYS"
# The days without a change after which episodes outside rooms are deleted.
EPISODE_DAYS = "NIP_EXPLORER_EPISODES_DAYS"
MOST_EPISODE_DAYS = 3650
LEAST = 8
MOST = 1024
GROUP = 4


def who_may_open(
    environ: Mapping[str, str] = os.environ,
) -> Literal["all", "signed in", "password", "nobody"]:
    """Return who may create rooms, by the operator's settings.

    On a public server this needs a password or a sign-in. If both are required, this returns
    "password".
    """
    if environ.get(PASSWORD) or environ.get(PASSWORD_FILE):
        return "password"
    if sign_in_before(environ):
        return "signed in"
    return "nobody" if is_public(environ) else "all"


def most_episode_days(environ: Mapping[str, str] = os.environ) -> int | None:
    """Return after how many days episodes outside rooms are deleted; None for never."""
    return _days(environ, EPISODE_DAYS, MOST_EPISODE_DAYS)


def most_days(environ: Mapping[str, str] = os.environ) -> int:
    """Return the most days for which rooms are kept."""
    return _days(environ, DAYS, MOST_DAYS) or MOST_DAYS


def _days(environ: Mapping[str, str], name: str, most: int) -> int | None:
    """Return a setting that is a number of days, or raise a ValueError that says so."""
    text = environ.get(name)
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= most:
        option = f"--{name.removeprefix('NIP_EXPLORER_').lower().replace('_', '-')}"
        raise ValueError(
            f"{option} ({name}) must be a number of days, from 1 to {most:,}; not {text!r}."
        )
    return int(text)


def check_may_open(
    password: str = "", environ: Mapping[str, str] = os.environ, *, signed_in: bool = False
) -> None:
    """Check that a visitor, signed in or not, may create a room with this password."""
    who = who_may_open(environ)
    if sign_in_before(environ) and not signed_in:
        raise MayNotOpenError("Sign in to make a room on this server.")
    if who == "nobody":
        raise MayNotOpenError(
            "Nobody makes rooms on this server yet. Its operator sets a facilitator's password: "
            "nip-explorer --rooms-password-file FILE."
        )
    if who == "password" and not _same(password, _password(environ)):
        raise WrongPasswordError(
            "This is not the facilitator's password. The server printed it when it was started, "
            "or its operator has set it: ask them."
        )


def new_password() -> str:
    """Return a password that is easy to read aloud and impossible to guess."""
    letters = [secrets.choice(ALPHABET.lower()) for _ in range(3 * GROUP)]
    return "-".join("".join(letters[at : at + GROUP]) for at in range(0, len(letters), GROUP))


def password_in(file: Path) -> str:
    """Return the password in the first line of a file; an error does not quote it."""
    try:
        with file.open("rb") as opened:
            line = opened.readline(MOST + 1).decode("utf-8-sig").rstrip("\r\n")
    except (OSError, UnicodeDecodeError):
        raise ValueError(
            f"The file with the facilitator's password, {file}, cannot be read."
        ) from None
    if not LEAST <= len(line) <= MOST:
        raise ValueError(
            f"The first line of {file} must be the facilitator's password, of {LEAST} to {MOST:,} "
            "characters."
        )
    return line


def _password(environ: Mapping[str, str]) -> str:
    password = environ.get(PASSWORD)
    if password:
        return password
    try:
        return password_in(Path(environ[PASSWORD_FILE]))
    except ValueError as error:
        raise MayNotOpenError(f"{error} Ask the server's operator.") from None


def _same(password: str, wanted: str) -> bool:
    def hashed(text: str) -> bytes:
        # Hashes have one length, so that the time of the comparison does not reveal the password's.
        return sha256(text.strip().encode("utf-8", "surrogatepass")).digest()

    return hmac.compare_digest(hashed(password), hashed(wanted))


MOST_ROOMS = 500
DAY = 24 * 3600
# How long a room is marked before it is deleted, and how far two clocks may differ.
MARKED_FOR = timedelta(seconds=DAY)
JUMP = 600.0
ATTEMPTS = 20
WRONG_LINK = (
    "This facilitator's link does not belong to this room, or a newer link has replaced it. Ask "
    "the person who made the room, or the server's operator."
)


@displayed
@dataclass(frozen=True, slots=True)
class Opened:
    """A new room."""

    code: str  # the code with which people join
    # The key with which another browser may lead it. It is shown once; only its hash is stored.
    key: str = field(repr=False)


def open_room(
    storage: Storage, plan: RoomPlan, visitor: str, password: str = "", *, signed_in: bool = False
) -> Opened:
    """Create a room, led by this browser, if the operator allows it and the plan can be played."""
    check_may_open(password, signed_in=signed_in)
    plan.check()
    if len(storage.rooms.listed()) >= MOST_ROOMS:
        raise RoomError("This server holds too many rooms. Ask its operator to delete old ones.")
    key = secrets.token_urlsafe(16)
    for _ in range(ATTEMPTS):
        opened = Opened(new_code(), key)
        try:
            storage.rooms.add(
                RoomCreated(
                    code=opened.code,
                    plan=plan.to_dict(),
                    expires=in_seconds(min(plan.keep_days, most_days()) * DAY),
                    key=hashed_key(key),
                    invitation=secrets.token_urlsafe(16),
                ),
                LeaderAdded(visitor=visitor),
                *laid_tables(plan),
            )
        except ConflictError:
            continue  # the code is taken
        return opened
    raise RoomError("No code is free at the moment. Try again.")


def lead(access: Access, key: str) -> None:
    """Let a browser with the facilitator's present link lead the room.

    A browser that has joined is refused: a leader sees more than their seat may.
    """
    # Read without locking first, so that a flood of wrong links does not block changes.
    try:
        _check_link(room_of(access), key, access.visitor)
    except NoSuchRoomError:
        # The answer to a wrong link is always the same, so that it reveals no existing codes.
        raise NotLeaderError(WRONG_LINK) from None
    with changing(access, even_closed=True) as (change, room):
        if room.leads(access.visitor):
            return
        _check_link(room, key, access.visitor)
        if room.persons_of(access.visitor) and not room.plan.rehearsal:
            raise RoomError(
                "This browser has joined the room, and a facilitator sees more than a participant "
                "may. Open the link in another browser or in a private window, or leave the room "
                "first."
            )
        change.append(LeaderAdded(visitor=access.visitor))


def _check_link(room: Room, key: str, visitor: str) -> None:
    right = secrets.compare_digest(hashed_key(key), room.rows.room["key"])
    if not right and not room.leads(visitor):
        raise NotLeaderError(WRONG_LINK)


def recover_link(access: Access, *, only: str | None = None, operator: bool = False) -> str:
    """Make a new leading token and invalidate the old one.

    Only the browser `only` keeps leading; ``""`` means none, and by default all do. The visitor
    must lead, unless an `operator` asks.
    """
    key = secrets.token_urlsafe(16)
    with changing(access, even_closed=True) as (change, room):
        if not operator and not room.leads(access.visitor):
            raise NotLeaderError
        change.append(LinkReplaced(key=hashed_key(key)))
        if only is not None:
            gone = sorted(room.rows.leaders - {only})
            change.append(*(LeaderRemoved(visitor=visitor) for visitor in gone))
    return key


def close(access: Access) -> None:
    """Close a room to people. The facilitator keeps the results until they are deleted."""
    with leading(access, even_closed=True) as (change, room):
        if room.phase != "closed":
            playing = [table for table in room.tables if table.phase != "over"]
            ended = [TableEnded(**table.place) for table in playing]
            change.append(RoomClosed(), *ended)


def delete(access: Access) -> None:
    """Delete a room with its people, answers and episodes; for operators."""
    with changing(access, even_closed=True) as (change, _):
        change.delete()


@displayed
@dataclass
class Steadiness:
    """Detects whether this machine's clock was set between two checks."""

    wall: datetime | None = None  # the clock's time at the last check
    steady: float = 0.0  # the seconds of a monotonic clock

    def holds(self, wall: datetime, steady: float) -> bool:
        """Return whether the clock was not set since the last check; False at the first one."""
        before, self.wall = self.wall, wall
        past, self.steady = steady - self.steady, steady
        return before is not None and abs((wall - before).total_seconds() - past) < JUMP


def purge_overdue(storage: Storage, clock: Steadiness | None = None) -> list[str]:
    """Delete the rooms whose time is over; return their codes.

    A clock may be wrong for a while, and deletion cannot be undone. So an overdue room is marked,
    and deleted only after it has been marked for a day, by this machine's clock and by the
    database's. A mark made by a wrong clock is removed by the next check with a correct one. A
    caller that checks repeatedly gives its `clock`: nothing is deleted by its first check, nor by
    one before which the clock was set.
    """
    at = now()
    steady = clock is None or clock.holds(at, time.monotonic())
    # A database server has its own clock; the one that is behind counts.
    at = min(at, storage.rooms.database_time() or at)
    soon, due = stamp(at + MARKED_FOR), stamp(at - MARKED_FOR)
    gone: list[str] = []
    for row in storage.rooms.listed():
        since = row["overdue"]
        try:
            if row["expires"] > soon:
                if since is not None:
                    _mark(Access(storage, row["code"]), None)
            elif since is None or since > stamp(at):
                _mark(Access(storage, row["code"]), stamp(at))
            elif row["expires"] <= stamp(at) and since <= due and steady:
                delete(Access(storage, read_code(row["code"])))
                gone.append(row["code"])
        except NoSuchRoomError:
            continue  # another process was faster
    return gone


def _mark(access: Access, since: str | None) -> None:
    with changing(access, even_closed=True) as (change, _):
        change.append(OverdueMarked(since=since))
