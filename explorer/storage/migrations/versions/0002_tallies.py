"""Add the counts of a class's results in lessons."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table of tallies."""
    op.create_table(
        "tallies",
        sa.Column("room", sa.String(12), primary_key=True),
        sa.Column("lesson", sa.String(60), primary_key=True),
        sa.Column("block", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("outcome", sa.String(60), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("updated", sa.Text, nullable=False),
    )
