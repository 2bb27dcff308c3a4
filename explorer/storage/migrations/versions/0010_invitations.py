"""Add unguessable links into rooms, and the time since which a room has been overdue."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the columns, and give existing rooms a key for their links."""
    op.add_column("rooms", sa.Column("invitation", sa.String(32)))
    op.add_column("rooms", sa.Column("overdue", sa.Text))
    rooms = sa.table("rooms", sa.column("number"), sa.column("invitation"))
    connection = op.get_bind()
    for number in list(connection.scalars(sa.select(rooms.c.number))):
        key = secrets.token_urlsafe(16)
        connection.execute(sa.update(rooms).where(rooms.c.number == number).values(invitation=key))
