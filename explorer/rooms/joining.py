"""Coming and going: joining, choosing a seat, leaving, being forgotten."""

from __future__ import annotations

from explorer.rooms.changes import changing, set_state
from explorer.rooms.dealing import person_record
from explorer.rooms.drafts import drafts_of
from explorer.rooms.errors import (
    DoorLockedError,
    NotNowError,
    NotYoursError,
    RemovedError,
    RoomError,
    RoomFullError,
    SeatTakenError,
)
from explorer.rooms.names import checked_name
from explorer.rooms.replacing import put_bot
from explorer.rooms.room import (
    FORGOTTEN,
    REMOVED,
    REMOVED_FORGOTTEN,
    Person,
    Room,
    RoomTable,
    load_room,
)
from explorer.rooms.seating import free_place
from explorer.rooms.spectators import WATCH, without_spectator
from explorer.rooms.tables import carry_on, carry_table_on, episode_at
from explorer.storage import ConflictError, RoomChange, Storage, stamp
from nip_core.play import Seated

__all__ = [
    "NAMED",
    "add_person",
    "forget",
    "forget_words",
    "join",
    "leave",
    "send_out",
    "take_seat",
]

MOST_PEOPLE = 500  # who are here at once
MOST_EVER = 3000  # who have joined, with those who have gone: a flood that was cleared is no end
NAMED = "named"  # where the room's state has whom the facilitator has given their names
MOST_OF_A_BROWSER = 40  # in a rehearsal
DELETED = "(deleted)"


def join(storage: Storage, code: str, visitor: str, name: str = "") -> Person:
    """Join a room, or come back to it: a browser is one person, but in a rehearsal.

    Raises
    ------
    NoSuchRoomError, RoomClosedError, RoomFullError
    RemovedError
        If the facilitator has removed this browser's person.
    DoorLockedError
        If the facilitator lets nobody new in; whoever was inside may come back.
    RoomError
        If the name is too long, or the browser leads the room.
    """
    words = checked_name(name)
    with changing(storage, code) as (change, room):
        if room.leads(visitor) and not room.plan.rehearsal:
            raise RoomError(
                "You lead this room, and a facilitator sees more than a participant may. Join from "
                "another browser or a private window, or make a room to rehearse."
            )
        if visitor in room.state.get(WATCH, ()):
            if not room.revealed:
                raise RoomError(
                    "This browser looks on at a table, and sees more than a participant may. Join "
                    "once the truth is told, or from a device on which nobody has looked on."
                )
            set_state(change, room, **{WATCH: without_spectator(room, visitor)})
        if room.removed(visitor) is not None and not room.leads(visitor):
            raise RemovedError
        words = words if room.plan.names else ""
        before = [person for person in room.people if person.visitor == visitor]
        again = bool(before) and not room.plan.rehearsal
        if not room.lets_in(visitor):
            raise DoorLockedError
        if again:
            number = before[0].number
            if number in room.state.get(NAMED, ()):
                words = ""  # the name that the facilitator has given them stays
            if before[0].left:
                named = {"name": words} if words else {}
                change.set_person(number, left=None, consent="told", **named)
        else:
            again = any(p.visitor == room.trace(visitor) for p in room.people)
            full = len(room.here) >= MOST_PEOPLE or len(room.people) >= MOST_EVER
            if full or len(before) >= MOST_OF_A_BROWSER:
                raise RoomFullError("This room is full. Ask whoever leads it.")
            number = len(room.people) + 1
            add_person(change, number, visitor, words)
        if again:
            _seat_again(storage, change, room, number)
        else:
            _seat_late_one(change, room, number)
    return load_room(storage, code).person(number)


def add_person(change: RoomChange, number: int, visitor: str | None, name: str = "") -> None:
    """Note that somebody is there; nobody in particular, for a rehearsal, without a browser."""
    change.add_person(
        number=number,
        visitor=visitor,
        name=name,
        joined=stamp(),
        consent="told" if visitor else "bot",
    )


def take_seat(storage: Storage, code: str, person: int, table: int, agent: str, *, by: str) -> None:
    """Choose a seat, before it starts or one that is free later.

    Raises
    ------
    SeatTakenError, NotYoursError, NotNowError
    """
    try:
        with changing(storage, code) as (change, room):
            somebody = room.own(person, by)
            if room.plan.seating != "choice":
                raise NotNowError("Seats are drawn in this room. You get yours when it starts.")
            if somebody.seat == (table, agent):
                return
            wanted = room.table(table)
            if wanted is None or agent not in wanted.seats or somebody.left:
                raise NotNowError("There is no such seat. Choose one of those that are shown.")
            if wanted.seats[agent].person is not None or room.plan.seat_kind(agent) != "person":
                raise SeatTakenError
            if room.phase != "gathering" and somebody.seat is not None:
                raise NotNowError("Seats cannot be changed any more: the room has started.")
            if somebody.seat is not None:
                change.set_seat(room.turn, *somebody.seat, person=None)
            _sit(change, room, wanted, agent, person)
    except ConflictError:
        raise SeatTakenError from None


def _sit(change: RoomChange, room: Room, table: RoomTable, agent: str, person: int) -> None:
    """Let somebody sit down; where it is played already, in place of a bot."""
    change.set_seat(room.turn, table.number, agent, person=person, bot=None, told="")
    if table.episode_id is not None and table.phase != "over":
        change.seat(table.episode_id, agent, person_record(person))


def _seat_late_one(change: RoomChange, room: Room, number: int) -> None:
    """Give somebody who comes while tables are played at a seat, if one is free."""
    drawn = room.plan.kind == "tables" and room.plan.seating == "random"
    if room.phase not in ("running", "paused") or not drawn:
        return
    if any(person.number == number and person.seat for person in room.people):
        return
    tables = {table.number: table for table in room.tables if table.phase != "over"}
    places = {
        table.number: room.plan.people_seats(room.plan.condition(table.condition))
        for table in tables.values()
    }
    taken = {(n, agent): seat.person for n, t in tables.items() for agent, seat in t.seats.items()}
    place = free_place(places, taken)
    if place is not None:
        _sit(change, room, tables[place[0]], place[1], number)


def _seat_again(storage: Storage, change: RoomChange, room: Room, number: int) -> None:
    """Give somebody who comes back the seat that was theirs, if it is free, and no other one.

    They have seen what it saw; with another seat at the same table they would know more than it
    may. There is a new one with the next task.
    """
    if room.phase not in ("running", "paused"):
        return
    if any(person.number == number and person.seat for person in room.people):
        return
    for table in room.tables:
        if table.episode_id is None or table.phase == "over":
            continue
        events = episode_at(storage, room, table.episode_id).events
        for agent, seat in table.seats.items():
            mine = [e for e in events if isinstance(e, Seated) and e.agent == agent]
            if seat.person is None and person_record(number) in [e.player for e in mine]:
                _sit(change, room, table, agent, number)
                return


def leave(storage: Storage, code: str, person: int, *, by: str) -> None:
    """Go. The table goes on: a bot plays for whoever has left, until somebody else sits down.

    Raises
    ------
    NotYoursError
    """
    with changing(storage, code, even_closed=True) as (change, room):
        somebody = _of_browser(room, person, by)
        table = None if somebody.left else send_out(storage, change, room, somebody)
    if table is not None:
        carry_table_on(storage, code, table)


def send_out(
    storage: Storage, change: RoomChange, room: Room, somebody: Person, **said: str
) -> int | None:
    """Note that somebody has gone, and free their seat.

    Parameters
    ----------
    storage : Storage
    change : RoomChange
    room : Room
    somebody : Person
    **said : str
        What else is noted of them.

    Returns
    -------
    int, optional
        The number of the table at which a bot plays now: it may have to move.
    """
    table = _get_up(storage, change, room, somebody)
    change.set_person(somebody.number, left=stamp(), **said)
    return table


def _get_up(storage: Storage, change: RoomChange, room: Room, somebody: Person) -> int | None:
    """Free somebody's seat, and return the number of the table at which a bot plays now."""
    table = None if somebody.seat is None else room.table(somebody.seat[0])
    if somebody.seat is None or table is None or table.phase == "over":
        return None
    agent = somebody.seat[1]
    if table.episode_id is None:
        change.set_seat(room.turn, table.number, agent, person=None)
        return None
    if room.plan.bots:
        put_bot(storage, change, room, table, agent, keeps_person=False)
    else:
        change.set_seat(room.turn, table.number, agent, person=None, bot=None)
    return table.number


def forget(storage: Storage, code: str, person: int, *, by: str) -> None:
    """Leave, and have one's part deleted: name, answers, and all words that were written.

    Which verdict was given stays, since the others' episode would be none without it. Whoever was
    removed may still have their part deleted; the browser is known again by what is kept of it.

    Raises
    ------
    NotYoursError
    """
    leave(storage, code, person, by=by)
    with changing(storage, code, even_closed=True) as (change, room):
        somebody = _of_browser(room, person, by)
        forget_words(change, room, somebody)
    storage.drafts.forget(drafts_of(room, person))
    carry_on(storage, code)


def forget_words(change: RoomChange, room: Room, somebody: Person) -> None:
    """Delete somebody's name and answers, and put a remark in place of all that they wrote."""
    number = somebody.number
    for table in room.everything:
        if table.episode_id is not None:
            change.blank(table.episode_id, person_record(number), DELETED)
    change.forget_answers(number)
    if somebody.forgotten:
        return
    trace = None if somebody.visitor is None else room.trace(somebody.visitor)
    consent = REMOVED_FORGOTTEN if somebody.sent_away == REMOVED else FORGOTTEN
    change.set_person(number, name="", visitor=trace, consent=consent)


def _of_browser(room: Room, number: int, visitor: str) -> Person:
    """Somebody by their number, if it is this browser, even if they were removed."""
    somebody = room.person(number)
    if somebody.visitor is None or somebody.visitor != visitor:
        raise NotYoursError
    return somebody
