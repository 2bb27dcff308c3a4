"""Add counts of recent attempts, shared by all processes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "tries",
        sa.Column("what", sa.String(12), primary_key=True),
        sa.Column("span", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("who", sa.String(32), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )
