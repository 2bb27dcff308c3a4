"""People of a room: joining, choosing a seat, names, leaving and deletion."""

from __future__ import annotations

import unicodedata

from explorer.rooms.changes import changing, check_position, leading
from explorer.rooms.errors import (
    DoorLockedError,
    NotLeaderError,
    NotNowError,
    RemovedError,
    RoomError,
    SeatTakenError,
)
from explorer.rooms.events import (
    NAMED,
    BotSeated,
    PersonForgotten,
    PersonJoined,
    PersonLeft,
    PersonReturned,
    SeatFreed,
    SeatTaken,
    SpectatorLeft,
    person_record,
)
from explorer.rooms.room import Access, Person, Room, RoomTable, drafts_of, load_room
from explorer.rooms.seating import bot_record, free_place, model_record
from explorer.rooms.tables import carry_on, carry_table_on, episode_at
from explorer.storage import ConflictError, RoomChange
from nip_core.play import Seated


def put_bot(
    change: RoomChange, room: Room, table: RoomTable, agent: str, *, keeps_person: bool
) -> None:
    """Let a bot play a seat, which is either kept for its person or free for others."""
    assert table.episode_id is not None
    episode = episode_at(room, table.episode_id)
    person = table.seats[agent].person
    # A model's substitute is a scripted player, whichever bots the plan allows.
    record = bot_record(episode, agent, room.plan.bots or "scripted", person)
    kept = person if keeps_person else None
    change.append(BotSeated(**table.seat(agent), bot=record, person=kept))


def replace_by_bot(access: Access, table: int, agent: str) -> None:
    """Let a bot play for an absent person until the seat is given back."""
    with leading(access, table=table, agent=agent) as (change, room):
        facts = _played(room, table, agent)
        bot = facts.seats[agent].bot
        if bot is not None and bot["kind"] != "llm":
            return
        if not room.plan.bots and room.plan.seat_kind(agent) == "person":
            raise NotNowError("In this room, bots do not play for people.")
        put_bot(change, room, facts, agent, keeps_person=True)
    carry_table_on(room, table)


def hand_back(access: Access, table: int, agent: str) -> None:
    """Give a seat back to its person, by a leader or the person; or to its model."""
    with changing(access) as (change, room):
        facts = _played(room, table, agent)
        seat = facts.seats[agent]
        if seat.person is None and room.plan.seat_kind(agent) != "llm":
            raise NotNowError("Nobody has this seat. It goes to the next who joins.")
        own = None if seat.person is None else room.person(seat.person).visitor
        if not room.leads(access.visitor) and (own is None or own != access.visitor):
            raise NotLeaderError
        check_position(change, access.since, table, agent)
        if seat.person is None:
            model = model_record(room.plan, agent)
            if seat.bot != model:
                change.append(BotSeated(**facts.seat(agent), bot=model))
        elif seat.bot is not None:
            change.append(SeatTaken(**facts.seat(agent), person=seat.person))


def _played(room: Room, number: int, agent: str) -> RoomTable:
    table = room.table(number)
    if table is None or table.episode_id is None or agent not in table.seats:
        raise NotNowError("There is no such seat at a table in play.")
    if table.phase == "over":
        raise NotNowError("This table is over.")
    return table


MOST_NAME = 40
# Control characters, text direction marks, lone surrogates, and invisible characters.
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def checked_name(name: str) -> str:
    """Return a name on one line, of visible characters only; it may be empty.

    It is plain text, never markup. A name that is too long raises a RoomError.
    """
    if len(name) > 50 * MOST_NAME:
        raise RoomError(_TOO_LONG)
    # A zero-width joiner is valid only between two characters, as in emoji families.
    plain = "".join(
        c if unicodedata.category(c) not in UNSEEN or c == "\u200d" else " "
        for c in unicodedata.normalize("NFC", name)
    )
    words = " ".join(plain.split())
    if len(words) > MOST_NAME:
        raise RoomError(_TOO_LONG)
    return words if any(unicodedata.category(c)[0] in "LNSP" for c in words) else ""


_TOO_LONG = f"A name has at most {MOST_NAME} characters. Type a shorter one."


MOST_PEOPLE = 500  # who are present at the same time
MOST_EVER = 3000  # who have ever joined: the limit must leave room after a flood was cleared
MOST_OF_A_BROWSER = 40  # people of one browser, in a rehearsal
DELETED = "(deleted)"


def join(access: Access, name: str = "") -> Person:
    """Join a room, or come back to it. A browser is one person, except in a rehearsal."""
    words = checked_name(name)
    with changing(access) as (change, room):
        if room.leads(access.visitor) and not room.plan.rehearsal:
            raise RoomError(
                "You lead this room, and a facilitator sees more than a participant may. Join from "
                "another browser or a private window, or make a room to rehearse."
            )
        if access.visitor in room.spectators:
            if not room.revealed:
                raise RoomError(
                    "This browser has watched a table, and has seen more than a participant may. "
                    "Join after the truth is revealed, or from another device."
                )
            change.append(SpectatorLeft(visitor=access.visitor))
        if room.removed(access.visitor) is not None and not room.leads(access.visitor):
            raise RemovedError
        words = words if room.plan.names else ""
        before = [person for person in room.people if person.visitor == access.visitor]
        again = bool(before) and not room.plan.rehearsal
        if not room.lets_in(access.visitor):
            raise DoorLockedError
        if again:
            number = before[0].number
            if number in room.state.get(NAMED, ()):
                words = ""  # a name given by the facilitator stays
            if before[0].left:
                change.append(PersonReturned(person=number, name=words))
        else:
            again = any(p.visitor == room.trace(access.visitor) for p in room.people)
            full = len(room.here) >= MOST_PEOPLE or len(room.people) >= MOST_EVER
            if full or len(before) >= MOST_OF_A_BROWSER:
                raise RoomError("This room is full. Ask the facilitator.")
            number = len(room.people) + 1
            change.append(PersonJoined(person=number, visitor=access.visitor, name=words))
        seated = any(person.number == number and person.seat for person in room.people)
        if room.phase in ("running", "paused") and not seated:
            if again:
                _seat_again(change, room, number)
            else:
                _seat_late_one(change, room, number)
    return load_room(access).person(number)


def take_seat(access: Access, person: int, table: int, agent: str) -> None:
    """Choose a free seat, before or after the start."""
    try:
        with changing(access) as (change, room):
            somebody = room.own(person, access.visitor)
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
            check_position(change, access.since, table, agent, person)
            if somebody.seat is not None:
                before, was = somebody.seat
                change.append(SeatFreed(turn=room.turn, table=before, agent=was))
            change.append(SeatTaken(**wanted.seat(agent), person=person))
    except ConflictError:
        raise SeatTakenError from None


def _seat_late_one(change: RoomChange, room: Room, number: int) -> None:
    """Seat a person who arrives after the start, if a seat is free."""
    drawn = room.plan.kind == "tables" and room.plan.seating == "random"
    if not drawn:
        return
    tables = {table.number: table for table in room.tables if table.phase != "over"}
    places = {
        table.number: room.plan.people_seats(room.plan.condition(table.condition))
        for table in tables.values()
    }
    taken = {(n, agent): seat.person for n, t in tables.items() for agent, seat in t.seats.items()}
    place = free_place(places, taken)
    if place is not None:
        table, agent = place
        change.append(SeatTaken(**tables[table].seat(agent), person=number))


def _seat_again(change: RoomChange, room: Room, number: int) -> None:
    """Give a person who returns their former seat if it is free, and no other one.

    At another seat of the same table they would know more than it may. They get a new seat with the
    next task.
    """
    for table in room.tables:
        if table.episode_id is None or table.phase == "over":
            continue
        events = episode_at(room, table.episode_id).events
        for agent, seat in table.seats.items():
            mine = [e for e in events if isinstance(e, Seated) and e.agent == agent]
            if seat.person is None and person_record(number) in [e.player for e in mine]:
                change.append(SeatTaken(**table.seat(agent), person=number))
                return


def leave(access: Access, person: int) -> None:
    """Leave the room. A bot plays for the person until somebody else takes the seat."""
    with changing(access, even_closed=True) as (change, room):
        somebody = room.own(person, access.visitor, even_removed=True)
        table = None if somebody.left else send_out(change, room, somebody)
    if table is not None:
        carry_table_on(room, table)


def send_out(change: RoomChange, room: Room, somebody: Person, how: str = "") -> int | None:
    """Record that a person has left, or was sent away, and free their seat.

    Return the number of the table at which a bot plays now and may have to move.
    """
    change.append(PersonLeft(person=somebody.number, how=how))
    table = None if somebody.seat is None else room.table(somebody.seat[0])
    if somebody.seat is None or table is None or table.phase == "over":
        return None
    agent = somebody.seat[1]
    if table.episode_id is not None and room.plan.bots:
        put_bot(change, room, table, agent, keeps_person=False)
    else:
        change.append(SeatFreed(**table.seat(agent)))
    return None if table.episode_id is None else table.number


def forget(access: Access, person: int) -> None:
    """Leave, and delete one's data: name, answers and messages.

    Verdicts stay, since the others' episode would be invalid without them. A person who was removed
    may still delete their data; the room keeps a hash that identifies the browser.
    """
    leave(access, person)
    with changing(access, even_closed=True) as (change, room):
        somebody = room.own(person, access.visitor, even_removed=True)
        forget_words(change, room, somebody)
    access.storage.drafts.forget(drafts_of(room, person))
    carry_on(room)


def forget_words(change: RoomChange, room: Room, somebody: Person) -> None:
    """Delete a person's name and answers, and replace their messages with a note."""
    number = somebody.number
    for table in room.everything:
        if table.episode_id is not None:
            change.blank(table.episode_id, person_record(number), DELETED)
    known = somebody.visitor
    trace = known if known is None or somebody.forgotten else room.trace(known)
    change.append(PersonForgotten(person=number, trace=trace))
