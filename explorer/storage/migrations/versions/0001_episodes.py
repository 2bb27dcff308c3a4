"""Episodes, their events and tags, and drafts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "episodes",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("protocol", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("right", sa.Boolean),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("updated", sa.Text, nullable=False),
        sa.Column("deleted", sa.Text),
    )
    op.create_index("episodes_by_time", "episodes", ["updated", "number"])
    op.create_table("setups", _episode(), sa.Column("body", sa.Text, nullable=False))
    op.create_table(
        "events",
        _episode(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("words", sa.Text),
        sa.Column("written", sa.Text, nullable=False),
    )
    op.create_table("tags", _episode(), sa.Column("tag", sa.Text, primary_key=True))
    op.create_index("tags_by_name", "tags", ["tag"])
    op.create_table(
        "drafts",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("place", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("updated", sa.Text, nullable=False),
    )


def _episode() -> sa.Column[int]:
    return sa.Column(
        "episode",
        sa.Integer,
        sa.ForeignKey("episodes.number", ondelete="CASCADE"),
        primary_key=True,
    )
