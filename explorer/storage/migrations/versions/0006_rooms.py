"""Add rooms: people, tables, seats, answers and presence."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


def _room() -> sa.Column[int]:
    home = sa.ForeignKey("rooms.number", ondelete="CASCADE")
    return sa.Column("room", sa.Integer, home, primary_key=True)


def _text(name: str, length: int | None = None, *, nullable: bool = False) -> sa.Column[str]:
    kind = sa.Text() if length is None else sa.String(length)
    return sa.Column(name, kind, nullable=nullable)


def upgrade() -> None:
    """Make the tables."""
    op.add_column("episodes", sa.Column("room", sa.Integer))
    op.add_column("episodes", sa.Column("sealed", sa.Boolean))
    op.create_index("episodes_by_room", "episodes", ["room"])
    op.create_table(
        "rooms",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("code", sa.String(12), nullable=False, unique=True),
        _text("kind", 12),
        _text("plan"),
        _text("phase", 12),
        sa.Column("turn", sa.Integer, nullable=False),
        _text("state"),
        sa.Column("version", sa.Integer, nullable=False),
        _text("key", 64),
        _text("created"),
        _text("updated"),
        _text("closed", nullable=True),
        _text("expires"),
    )
    op.create_index("rooms_by_end", "rooms", ["expires"])
    op.create_table(
        "people",
        _room(),
        _number("number"),
        _text("visitor", 32, nullable=True),
        _text("name"),
        _text("joined"),
        _text("left", nullable=True),
        _text("consent"),
    )
    op.create_index("people_by_visitor", "people", ["visitor"])
    op.create_table("leaders", _room(), sa.Column("visitor", sa.String(32), primary_key=True))
    op.create_table(
        "room_tables",
        _room(),
        _number("turn"),
        _number("number"),
        _text("episode", 32, nullable=True),
        _text("condition"),
        _text("task"),
        _text("phase", 12),
        sa.Column("round", sa.Integer, nullable=False),
        _text("deadline", nullable=True),
        sa.Column("left", sa.Float),
    )
    op.create_index("room_tables_by_episode", "room_tables", ["episode"])
    op.create_index("room_tables_by_deadline", "room_tables", ["deadline"])
    op.create_table(
        "room_seats",
        _room(),
        _number("turn"),
        _number("number"),
        sa.Column("agent", sa.String(60), primary_key=True),
        sa.Column("person", sa.Integer),
        _text("bot", nullable=True),
        _text("told"),
        sa.ForeignKeyConstraint(
            ("room", "turn", "number"),
            ("room_tables.room", "room_tables.turn", "room_tables.number"),
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("room", "turn", "person", name="one_seat_a_person"),
    )
    op.create_table(
        "answers",
        _room(),
        _number("person"),
        sa.Column("lesson", sa.String(60), primary_key=True),
        _number("block"),
        sa.Column("part", sa.String(60), primary_key=True),
        _number("number"),
        _text("kind", 12),
        _text("value"),
        _text("at"),
    )
    op.create_table("processes", sa.Column("id", sa.String(32), primary_key=True), _text("seen"))
    process = sa.ForeignKey("processes.id", ondelete="CASCADE")
    home = sa.ForeignKey("rooms.number", ondelete="CASCADE")
    op.create_table(
        "presence",
        sa.Column("process", sa.String(32), process, primary_key=True),
        sa.Column("window", sa.String(32), primary_key=True),
        sa.Column("room", sa.Integer, home, nullable=False),
        _text("watcher"),
        _text("since"),
    )
    op.create_index("presence_by_room", "presence", ["room"])
