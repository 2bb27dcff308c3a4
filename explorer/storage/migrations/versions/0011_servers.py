"""Add the addresses at which the database's servers were started, for links made by commands."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "servers",
        sa.Column("address", sa.String(300), primary_key=True),
        sa.Column("started", sa.Text, nullable=False),
    )
