"""Add the limits and the usage of an episode's models."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables. Earlier usage is in the episodes' own records."""
    for name, *more in (
        ("budgets", sa.Column("visitor", sa.String(32), primary_key=True)),
        ("spending",),
    ):
        op.create_table(
            name,
            sa.Column(
                "episode",
                sa.Integer,
                sa.ForeignKey("episodes.number", ondelete="CASCADE"),
                primary_key=True,
            ),
            *more,
            sa.Column("tokens", sa.BigInteger, nullable=False),
            sa.Column("money", sa.Float, nullable=name == "budgets"),
        )
