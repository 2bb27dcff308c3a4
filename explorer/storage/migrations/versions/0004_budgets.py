"""What the models of an episode may use, and what they have used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables. What was used before is in the episodes' own records."""
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
