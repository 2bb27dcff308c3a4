"""Add whether all variations of an episode are over, so that nothing is hidden from any seat."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column. An episode with a single variation is settled once that variation is over."""
    op.add_column("episodes", sa.Column("settled", sa.Boolean))
    episodes = sa.table("episodes", *map(sa.column, ("number", "outcome", "settled")))
    events = sa.table("events", *map(sa.column, ("episode", "body")))
    left = sa.exists().where(
        events.c.episode == episodes.c.number, events.c.body.contains('"type": "went"')
    )
    one_line = sa.and_(episodes.c.outcome != "running", ~left)
    op.execute(sa.update(episodes).values(settled=sa.case((one_line, sa.true()), else_=sa.false())))
