"""What a facilitator can do about people: remove, rename, lock the room, clear idle people."""

from __future__ import annotations

from collections.abc import Collection

from explorer.rooms.changes import leading
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.events import (
    CLEARED,
    REMOVED,
    DoorSet,
    PersonLeft,
    PersonLetIn,
    PersonNamed,
    person_record,
)
from explorer.rooms.people import checked_name, forget_words, send_out
from explorer.rooms.room import Access, Door, Person, Room, drafts_of
from explorer.rooms.tables import carry_table_on, episode_at
from nip_core.play import Episode, Moved, Seated

DOORS: tuple[Door, ...] = ("open", "wide", "locked")


def remove_people(access: Access, people: Collection[int], *, words: bool = False) -> None:
    """Remove people: their seats become free, and their browsers cannot join again.

    At a running table a bot plays for them until somebody else takes the seat. Bots of a rehearsal
    stay. With `words`, names, answers and messages are deleted too; verdicts stay.
    """
    _send_away(access, people, REMOVED, words=words)


def idle_people(room: Room) -> tuple[Person, ...]:
    """Return the people who have joined but never taken part.

    Where seats are chosen, they never had one. Where seats are drawn, and in a lesson, they have no
    open window and have neither moved nor answered.
    """
    here = [person for person in room.here if not person.bot]
    if room.kind == "tables" and room.plan.seating == "choice":
        seated = {seat.person for table in room.everything for seat in table.seats.values()}
        return tuple(person for person in here if person.number not in seated)
    there = room.storage.presence.there(room.number)
    away = [person for person in here if f"person:{person.number}" not in there]
    if not away:
        return ()
    active = {row["person"] for row in room.storage.rooms.answers_of(room.number)}
    records = set[str]()
    for table in room.everything:
        if table.episode_id is not None:
            records |= _movers(episode_at(room, table.episode_id))
    return tuple(
        person
        for person in away
        if person.number not in active and person_record(person.number)["who"] not in records
    )


def _movers(episode: Episode) -> set[str]:
    """Return the people who have made a move in an episode."""
    sits: dict[str, str] = {}
    movers: set[str] = set()
    for event in episode.events:
        if isinstance(event, Seated):
            sits[event.agent] = str(event.player.get("who", ""))
        elif isinstance(event, Moved):
            movers.add(sits.get(event.move.agent, ""))
    return movers


def clear_idle(access: Access) -> int:
    """Remove all idle people and return how many; they may join again."""
    with leading(access) as (_, room):
        idle = [person.number for person in idle_people(room)]
    _send_away(access, idle, CLEARED)
    return len(idle)


def _send_away(access: Access, people: Collection[int], how: str, *, words: bool = False) -> None:
    tables: set[int | None] = set()
    with leading(access, even_closed=True) as (change, room):
        gone = [person for person in map(room.person, sorted(set(people))) if not person.bot]
        for person in gone:
            if not person.left:
                tables.add(send_out(change, room, person, how))
            elif not person.forgotten and how == REMOVED:
                change.append(PersonLeft(person=person.number, how=how))
    if words:
        # In a separate transaction: the first one has just written to the episodes.
        with leading(access, even_closed=True) as (change, room):
            for person in gone:
                forget_words(change, room, room.person(person.number))
        for person in gone:
            access.storage.drafts.forget(drafts_of(room, person.number))
    for table in sorted(number for number in tables if number is not None):
        carry_table_on(room, table)


def let_back_in(access: Access, person: int) -> None:
    """Let somebody who was removed join again with the same browser."""
    with leading(access) as (change, room):
        somebody = room.person(person)
        if somebody.sent_away == REMOVED:
            change.append(PersonLetIn(person=person))


def rename_person(access: Access, person: int, name: str) -> None:
    """Give a person a name that they cannot change; if it is empty, they are called by number."""
    words = checked_name(name)
    with leading(access) as (change, room):
        somebody = room.person(person)
        if somebody.bot or somebody.forgotten:
            raise NotNowError("This person cannot be renamed: they are a bot, or deleted.")
        change.append(PersonNamed(person=person, name=words))


def set_door(access: Access, door: Door) -> None:
    """Set who may join from now on; people inside can always reload and come back.

    Either everybody ("open", at a rate that stops scripts from filling the room, or "wide", fast
    enough for a lecture hall), or nobody new ("locked").
    """
    if door not in DOORS:
        raise RoomError(f"A door is one of {', '.join(DOORS)}, not {door!r}.")
    with leading(access) as (change, room):
        if room.door != door:
            change.append(DoorSet(door=door))
