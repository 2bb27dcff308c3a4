"""Add what lists show of an episode beside its outcome: truth, seats, rewards, tokens."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns and fill them, except rewards, which would need the rules."""
    for column in (
        sa.Column("y", sa.Integer),
        sa.Column("tokens", sa.BigInteger),
        sa.Column("seats", sa.Text),
    ):
        op.add_column("episodes", column)
    names = ("number", "y", "tokens", "seats")
    episodes = sa.table("episodes", *map(sa.column, names))
    setups = sa.table("setups", *map(sa.column, ("episode", "body")))
    events = sa.table("events", *map(sa.column, ("episode", "number", "body")))
    connection = op.get_bind()
    for number, body in connection.execute(sa.select(setups.c.episode, setups.c.body)).all():
        found = sa.select(events.c.body).where(events.c.episode == number)
        bodies = connection.scalars(found.order_by(events.c.number))
        values = _told(_read(body), map(_read, bodies))
        connection.execute(sa.update(episodes).where(episodes.c.number == number).values(values))


def _told(setup: dict[str, Any], happened: Iterable[dict[str, Any]]) -> dict[str, Any]:
    seats: dict[str, dict[str, str]] = {}
    tokens = None
    for event in happened:
        player, origin = event.get("player"), event.get("origin")
        if event.get("type") == "seated" and isinstance(player, dict):
            said = {name: cast("Any", player).get(name) for name in ("kind", "model")}
            seats[str(event.get("agent"))] = {k: v for k, v in said.items() if isinstance(v, str)}
        if isinstance(origin, dict):
            used = [cast("Any", origin).get(name) for name in ("tokens_in", "tokens_out")]
            if all(type(part) is int and 0 <= part < 10**15 for part in used):
                tokens = (tokens or 0) + sum(used)
    y = setup.get("task", {}).get("y")
    return {"y": y if y in (0, 1) else None, "tokens": tokens, "seats": json.dumps(seats)}


def _read(body: str) -> dict[str, Any]:
    # Damaged episodes stay unchanged; they are reported when somebody opens them.
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return cast("dict[str, Any]", document) if isinstance(document, dict) else {}
