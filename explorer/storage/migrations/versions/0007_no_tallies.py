"""Drop the tallies: results of a class are answers in its room. The earlier counts are lost."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Drop the table of tallies."""
    op.drop_table("tallies")
