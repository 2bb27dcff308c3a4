"""What a class finds is answers in its room; the counts of before, kept for days, go."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Take the table of tallies away."""
    op.drop_table("tallies")
