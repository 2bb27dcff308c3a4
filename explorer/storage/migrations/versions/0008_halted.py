"""Add whether an episode's table is paused, so that no move is stored during a pause."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column, and halt the episodes of paused tables."""
    op.add_column("episodes", sa.Column("halted", sa.Boolean))
    episodes = sa.table("episodes", sa.column("id"), sa.column("halted"))
    tables = sa.table("room_tables", sa.column("episode"), sa.column("phase"))
    resting = sa.exists().where(tables.c.episode == episodes.c.id, tables.c.phase != "running")
    op.execute(sa.update(episodes).where(resting).values(halted=sa.true()))
