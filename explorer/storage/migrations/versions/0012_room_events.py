"""Add the log of a room. Existing rooms get a log that begins with their present rows."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

SECRET = ("key", "invitation")
# The fields that stay in the log itself.
OWN = ("number", "version", "updated", "position")


def upgrade() -> None:
    """Make the tables and the column, and the logs."""
    room = sa.ForeignKey("rooms.number", ondelete="CASCADE")
    op.create_table(
        "room_events",
        sa.Column("room", sa.Integer, room, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "room_private",
        sa.Column(
            "room", sa.Integer, sa.ForeignKey("rooms.number", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ("room", "position"),
            ("room_events.room", "room_events.position"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("room_private_by_owner", "room_private", ["room", "owner"])
    op.add_column("rooms", sa.Column("position", sa.Integer))
    for room_row in _rows("rooms"):
        _write_log(room_row)


def _rows(table: str, room: int | None = None, order: str = "") -> list[dict[str, Any]]:
    wanted = f"SELECT * FROM {table}"
    wanted += "" if room is None else f" WHERE room = {room}"
    wanted += f" ORDER BY {order}" if order else ""
    found = op.get_bind().execute(sa.text(wanted)).mappings()
    return [{name: value for name, value in row.items() if name != "room"} for row in found]


def _write_log(row: dict[str, Any]) -> None:
    number, bind = row["number"], op.get_bind()
    imported = {
        "room": {n: value for n, value in row.items() if n not in (*SECRET, *OWN, "state")},
        "tables": _rows("room_tables", number, "turn, number"),
        "seats": _rows("room_seats", number, "turn, number, agent"),
    }
    state: dict[str, Any] = json.loads(row["state"])
    spectators = state.pop("watch", [])
    secret = {"secrets": {name: row[name] for name in SECRET}, "state": json.dumps(state)}
    log: list[tuple[str, Any, str, Any, str]] = [
        ("RoomImported", imported, "", secret, row["updated"])
    ]
    # Each browser's name is stored separately, so that it can be deleted.
    leaders = [each["visitor"] for each in _rows("leaders", number)]
    for role, visitors in (("leader", leaders), ("spectator", spectators)):
        for visitor in visitors:
            known = {"visitor": visitor}
            log.append((f"{role.title()}Added", {}, f"{role} {visitor}", known, row["updated"]))
    for person in _rows("people", number, "number"):
        said = {name: person[name] for name in ("joined", "left", "consent")}
        known = {name: person[name] for name in ("visitor", "name")}
        owner = f"person {person['number']}"
        body = {"person": person["number"], **said}
        log.append(("PersonImported", body, owner, known, row["updated"]))
    version = len(log)
    for answer in _rows("answers", number, "at, person, number"):
        at, value = answer.pop("at"), answer.pop("value")
        owner = f"person {answer['person']}"
        log.append(("AnswerGiven", answer, owner, {"value": value}, at))
    for position, (kind, body, owner, known, at) in enumerate(log, 1):
        place = {"room": number, "position": position}
        bind.execute(
            sa.text("INSERT INTO room_events VALUES (:room, :position, :kind, :body, :at)"),
            {**place, "kind": kind, "body": json.dumps(body), "at": at},
        )
        bind.execute(
            sa.text("INSERT INTO room_private VALUES (:room, :position, :owner, :body)"),
            {**place, "owner": owner, "body": json.dumps(known)},
        )
    bind.execute(
        sa.text(
            "UPDATE rooms SET version = :version, position = :position, state = :state "
            "WHERE number = :room"
        ),
        {
            "room": number,
            "version": version,
            "position": len(log),
            # In the order in which the log adds them.
            "state": json.dumps({**state, "watch": spectators} if spectators else state),
        },
    )
