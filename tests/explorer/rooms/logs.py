"""Comparisons of the rows of rooms in a database with the rooms' logs."""

import json

from explorer.rooms.events import fold, person_record, rebuild
from explorer.rooms.room import Room
from explorer.storage import RoomRows, Storage, room_topic
from explorer.storage.schema import answers, episodes, leaders, people, room_seats, room_tables
from nip_core.play import STANDS_IN_FOR

__all__ = ["assert_logs_say_the_rows", "assert_rebuilt"]

PARTS = (people, room_tables, room_seats, leaders, answers)


def rows_of(storage: Storage) -> dict:
    """Return all rows of rooms, in an order that is the same for equal rows."""
    with storage._engine.connect() as connection:
        found = {
            table.name: sorted(map(repr, map(dict, connection.execute(table.select()).mappings())))
            for table in PARTS
        }
        wanted = episodes.select().where(episodes.c.room.is_not(None)).order_by(episodes.c.number)
        found["episodes"] = [
            (row["id"], row["sealed"], bool(row["halted"]))
            for row in connection.execute(wanted).mappings()
        ]
    found["rooms"] = storage.rooms.listed()
    return found


def flat(number: int, rows: RoomRows) -> dict:
    """Return the rows that follow from a log, as text."""
    beside = {"people": rows.people, "seats": rows.seats, "tables": rows.tables}
    found = {name: sorted(map(_text, each.values())) for name, each in beside.items()}
    return {**found, "room": _text(rows.room), "leaders": sorted(rows.leaders)}


def _text(row) -> str:
    return json.dumps(dict(row), sort_keys=True)


def assert_logs_say_the_rows(storage: Storage) -> None:
    """Assert that the rows of every room follow from its log."""
    for listed in storage.rooms.listed():
        number, log = storage.rooms.log(listed["code"])
        said = fold(number, log)
        there = storage.rooms.read(listed["code"])
        assert flat(number, said) == flat(number, there)
        assert_kept_is(storage, there)
        given = storage.rooms.answers_of(number)
        assert sorted(map(_text, said.answers.values())) == sorted(map(_text, given))
        assert len(log) == listed["position"]
        assert_seats_agree(storage, number, said)


def assert_seats_agree(storage: Storage, number: int, rows: RoomRows) -> None:
    """Assert that the room's log and the episode's agree on who plays each seat."""
    for (turn, table, agent), seat in rows.seats.items():
        played = rows.tables[turn, table]
        if played["episode"] is None or played["phase"] == "over":
            continue
        episode = storage.within(number).load(played["episode"]).episode
        player = dict(episode.players.get(agent, {}))
        # A bot that makes a single move for a person who is late.
        player = player.get(STANDS_IN_FOR, player) if player.get("late") else player
        if seat["bot"] is not None:
            assert player == json.loads(seat["bot"])
        elif seat["person"] is not None:
            assert player == person_record(seat["person"])


def assert_kept_is(storage: Storage, there: RoomRows) -> None:
    """Assert that a room in memory equals the stored one, with rows in the same order."""
    kept: Room | None = storage.cache.last(room_topic(there.room["code"]))
    if kept is None or not kept.rows.are_at(there.room["number"], there.room["version"]):
        return
    for part in ("people", "tables", "seats", "leaders"):
        assert getattr(kept.rows, part) == getattr(there, part)
        if part != "leaders":
            assert list(getattr(kept.rows, part)) == list(getattr(there, part))
    # An answer changes nothing else.
    assert {**kept.rows.room, "position": 0} == {**there.room, "position": 0}
    assert not kept.rows.answers


def assert_rebuilt(storage: Storage) -> None:
    """Delete everything that follows from the logs, and assert that rebuilding gives the same."""
    before = rows_of(storage)
    for listed in storage.rooms.listed():
        rebuild(storage, listed["code"])
    assert rows_of(storage) == before
