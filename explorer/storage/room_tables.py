"""The tables of rooms: small rows, since many people write at once."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from explorer.storage.tables import metadata

__all__ = [
    "answers",
    "leaders",
    "people",
    "presence",
    "processes",
    "room_seats",
    "room_tables",
    "rooms",
    "servers",
    "tries",
]

rooms = Table(
    "rooms",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("code", String(12), nullable=False, unique=True),
    Column("kind", String(12), nullable=False),
    Column("plan", Text, nullable=False),  # what the facilitator chose, as JSON
    Column("phase", String(12), nullable=False),
    Column("turn", Integer, nullable=False),  # which task the tables are at, from 1 on
    Column("state", Text, nullable=False),  # what else changes, as JSON
    Column("version", Integer, nullable=False),
    Column("key", String(64), nullable=False),  # a hash: a copy of the table leads no room
    Column("created", Text, nullable=False),
    Column("updated", Text, nullable=False),
    Column("closed", Text),
    Column("expires", Text, nullable=False),
    # In the links and pictures that a room hands out: whoever has it has not guessed the code.
    Column("invitation", String(32)),
    Column("overdue", Text),  # since when the room has been found overdue; it is deleted later
    Index("rooms_by_end", "expires"),
)


def _room() -> Column[int]:
    """The column by which a table belongs to the rooms."""
    home = ForeignKey("rooms.number", ondelete="CASCADE")
    return Column("room", Integer, home, primary_key=True)


def _number(name: str) -> Column[int]:
    return Column(name, Integer, primary_key=True, autoincrement=False)


people = Table(
    "people",
    metadata,
    _room(),
    _number("number"),
    Column("visitor", String(32)),  # none: somebody of a rehearsal, or forgotten
    Column("name", Text, nullable=False),
    Column("joined", Text, nullable=False),
    Column("left", Text),
    Column("consent", Text, nullable=False),  # what was told of what is recorded
    Index("people_by_visitor", "visitor"),
)

leaders = Table("leaders", metadata, _room(), Column("visitor", String(32), primary_key=True))

room_tables = Table(
    "room_tables",
    metadata,
    _room(),
    _number("turn"),
    _number("number"),
    Column("episode", String(32)),  # its id
    Column("condition", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("phase", String(12), nullable=False),
    Column("round", Integer, nullable=False),  # that the deadline is of
    Column("deadline", Text),
    Column("left", Float),  # seconds that were left of the round when it was paused
    Index("room_tables_by_episode", "episode"),
    Index("room_tables_by_deadline", "deadline"),
)

room_seats = Table(
    "room_seats",
    metadata,
    _room(),
    _number("turn"),
    _number("number"),
    Column("agent", String(60), primary_key=True),
    Column("person", Integer),
    Column("bot", Text),  # who plays in place of a person, as JSON
    Column("told", Text, nullable=False),  # what the facilitator is told of it
    ForeignKeyConstraint(
        ("room", "turn", "number"),
        ("room_tables.room", "room_tables.turn", "room_tables.number"),
        ondelete="CASCADE",
    ),
    # Whatever goes on at once: nobody holds two seats.
    UniqueConstraint("room", "turn", "person", name="one_seat_a_person"),
)

answers = Table(
    "answers",
    metadata,
    _room(),
    _number("person"),
    Column("lesson", String(60), primary_key=True),
    _number("block"),
    Column("part", String(60), primary_key=True),
    _number("number"),  # of several outcomes of one person; 0 where there is one answer
    Column("kind", String(12), nullable=False),
    Column("value", Text, nullable=False),
    Column("at", Text, nullable=False),
)

# Which processes of the app are there, and whose windows are open at them.
processes = Table(
    "processes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("seen", Text, nullable=False),
)

presence = Table(
    "presence",
    metadata,
    Column("process", String(32), ForeignKey("processes.id", ondelete="CASCADE"), primary_key=True),
    Column("window", String(32), primary_key=True),
    Column("room", Integer, ForeignKey("rooms.number", ondelete="CASCADE"), nullable=False),
    Column("watcher", Text, nullable=False),
    Column("since", Text, nullable=False),
    Index("presence_by_room", "room"),
)

# Where the servers that use this database are found, and when each was started last.
servers = Table(
    "servers",
    metadata,
    Column("address", String(300), primary_key=True),
    Column("started", Text, nullable=False),
)

# How often something was tried in a span of time, by each (a hash) and, under an empty name, by
# all. Old spans go when a new one begins.
tries = Table(
    "tries",
    metadata,
    Column("what", String(12), primary_key=True),
    _number("span"),
    Column("who", String(32), primary_key=True),
    Column("count", Integer, nullable=False),
)
