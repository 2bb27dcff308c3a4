"""Add the drawings that visitors keep."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "drawings",
        sa.Column("visitor", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(12), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("kept", sa.Text, nullable=False),
        sa.Column("deleted", sa.Text),
    )
