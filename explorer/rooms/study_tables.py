"""A room for a study with people, in which tables are dealt one by one, as people are ready.

Nobody leads it, and its code is in no link: people get there through the page of the study. A
person has another number at each table.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from explorer.play import now as time_of_move
from explorer.rooms.changes import changing, in_seconds
from explorer.rooms.events import (
    DoorSet,
    PersonJoined,
    PersonLeft,
    RoomCreated,
    TableDealt,
    TableEnded,
    TaskStarted,
)
from explorer.rooms.people import forget, leave
from explorer.rooms.plan import RoomPlan
from explorer.rooms.room import Access, Room, new_code, room_of
from explorer.rooms.seating import player_record
from explorer.rooms.tables import carry_table_on, episode_at
from explorer.storage import NoSuchEpisodeError, Storage, hashed_key
from nip_core.play import Episode, Seated

YEARS = 50 * 366 * 24 * 3600
DEALT = "study"  # what the tables say that their task was drawn for


def open_study_room(storage: Storage, plan: RoomPlan) -> str:
    """Make the room of a study; return its code."""
    code = new_code()
    storage.rooms.add(
        RoomCreated(
            code=code,
            plan=plan.to_dict(),
            expires=in_seconds(YEARS),
            key=hashed_key(secrets.token_urlsafe(16)),
            invitation=secrets.token_urlsafe(16),
        ),
        # Nobody comes in by guessing the code, not even to a seat that somebody has left.
        DoorSet(door="locked"),
        TaskStarted(turn=1),
    )
    return code


def deal_table(
    access: Access,
    table: int,
    condition: str,
    episode: Episode,
    people: Mapping[str, int],
    bots: Mapping[str, Mapping[str, Any]],
) -> None:
    """Deal a table, unless it was dealt before.

    Parameters
    ----------
    people : mapping of str to int
        The people by agent.
    bots : mapping of str to mapping
        The records of the players of all other seats; empty for a stand-in.
    """
    with changing(access) as (change, room):
        if room.table(table) is not None:
            return
        seats: dict[str, dict[str, Any]] = {}
        for agent in episode.rules.seat_names:
            bot = None
            if agent not in people:
                bot = dict(bots[agent]) or player_record(episode, agent, "scripted")
            seats[agent] = {"person": people.get(agent), "bot": bot}
        limit = room.plan.round_seconds
        dealt = TableDealt(
            turn=1,
            table=table,
            episode=secrets.token_hex(16),
            condition=condition,
            task=DEALT,
            deadline=in_seconds(limit) if limit else None,
            seats=seats,
        )
        change.append(dealt)
        for agent, player in dealt.first_players():
            episode.apply(Seated(agent=agent, player=dict(player), at=time_of_move()))
        change.add_episode(dealt.episode, episode, ("study", condition[:50]))
    carry_table_on(room_of(access), table)


def enter_table(access: Access, person: int) -> Room:
    """Let the person of this browser be one of the people of a table; return the room."""
    room = room_of(access)
    if person not in room.rows.people:
        with changing(access) as (change, room):
            if person not in room.rows.people:
                change.append(PersonJoined(person=person, visitor=access.visitor))
        room = room_of(access)
    return room


def leave_table(access: Access, table: int, person: int, *, alone: bool) -> None:
    """Leave a table. A bot plays on, unless the person was `alone` with bots: then it ends."""
    enter_table(access, person)
    if not alone:
        leave(access, person)
        return
    with changing(access) as (change, room):
        facts = room.table(table)
        if facts is not None and facts.phase != "over":
            change.append(TableEnded(**facts.place))
        if not room.person(person).left:
            change.append(PersonLeft(person=person))


def forget_at_table(access: Access, table: int, person: int, *, alone: bool) -> None:
    """Leave a table and delete what the person wrote there; `alone` with bots, the whole game."""
    leave_table(access, table, person, alone=alone)
    forget(access, person)
    room = room_of(access)
    facts = room.table(table)
    if alone and facts is not None and facts.episode_id is not None:
        try:
            room.storage.delete(facts.episode_id)
            room.storage.purge(facts.episode_id)
        except NoSuchEpisodeError:
            return  # it was deleted before


def table_over(room: Room, table: int) -> bool | None:
    """Return whether a table was played to its end; None while it is played."""
    facts = room.table(table)
    if facts is None or facts.phase != "over":
        return None
    episode = study_episode(room, table)
    return episode is not None and episode.over


def study_episode(room: Room, table: int) -> Episode | None:
    """Return the episode of a table; None if it was deleted, or not dealt."""
    facts = room.table(table)
    if facts is None or facts.episode_id is None:
        return None
    try:
        return episode_at(room, facts.episode_id)
    except NoSuchEpisodeError:
        return None
