"""Add studies with people: each person's events, and the ids of other sites apart from them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "people_studies",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("code", sa.String(32), nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("room", sa.String(12), nullable=False),
        sa.Column("counts", sa.Text, nullable=False),
        sa.Column("fixed", sa.String(16)),
        sa.Column("opened", sa.Text, nullable=False),
        sa.Column("closed", sa.Text),
    )
    study = sa.ForeignKey("people_studies.number", ondelete="CASCADE")
    op.create_table(
        "participants",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("study", sa.Integer, study, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("visitor", sa.String(32), nullable=False),
        sa.Column("person", sa.String(64)),
        sa.Column("outside", sa.Text, nullable=False),
        sa.Column("seen", sa.Text, nullable=False),
        sa.UniqueConstraint("study", "number", name="one_number_each"),
        sa.UniqueConstraint("study", "person", name="one_session_an_id"),
    )
    participant = sa.ForeignKey("participants.id", ondelete="CASCADE")
    op.create_table(
        "participant_events",
        sa.Column("participant", sa.String(32), participant, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
