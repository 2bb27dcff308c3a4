"""All that a room has brought, as CSV files. People are numbers in them, unless they have names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from explorer.csv_files import csv_bytes
from explorer.rooms.answers import answers
from explorer.rooms.bots import is_counted, seats_of_bots
from explorer.rooms.errors import NotLeaderError
from explorer.rooms.lesson_exports import COLUMNS as LESSON
from explorer.rooms.lesson_exports import lesson_table
from explorer.rooms.room import Room, RoomTable, room_of
from explorer.rooms.signs import sign_of
from explorer.rooms.tables import episode_at
from explorer.storage import Storage
from nip_core.play import INSTEAD_OF, STANDS_IN_FOR, Episode, Moved, Seated, stands_in
from nip_core.spec import shown_round

__all__ = ["files"]

PEOPLE = ("person", "name", "bot", "joined", "left", "sent_away")
TABLES = (
    "task_number", "table", "sign", "condition", "protocol", "task", "y", "phase", "rounds",
    "decision", "right", "bots", "counted", "episode",
)  # fmt: skip
SEATS = (
    "task_number", "table", "sign", "seat", "from", "person", "player", "instead_of", "late",
    "level",
)  # fmt: skip
MOVES = (
    "task_number", "table", "sign", "condition", "round", "seat", "person", "player", "channel",
    "text", "decision", "confidence", "bot", "at", "seconds",
)  # fmt: skip
ANSWERS = ("person", "lesson", "block", "part", "kind", "value", "at")


def files(storage: Storage, code: str, *, by: str) -> dict[str, bytes]:
    """The files by their names: people, tables, seats, moves and answers; of a lesson its answers.

    Rounds, tasks and tables count from 1. A move's ``seconds`` are those since the round began for
    the table; ``bot`` says that a bot made it, though the seat was meant for somebody else. A
    table's ``bots`` are the seats for which bots have moved, and ``counted`` says whether it counts
    in the room's result. ``instead_of`` says for whom a bot played ("nobody" in a seat that was
    empty), and ``late`` that it did so for one round whose time was up.

    Raises
    ------
    NotLeaderError
    """
    room = room_of(storage, code)
    if not room.leads(by):
        raise NotLeaderError
    made: dict[str, tuple[Sequence[str], list[dict[str, Any]]]] = {
        "people": (PEOPLE, _people(room))
    }
    if room.kind == "lesson":
        made["answers"] = LESSON, lesson_table(storage, code, by=by)
    else:
        played = [
            (table, episode_at(storage, room, table.episode_id))
            for table in room.everything
            if table.episode_id is not None
        ]
        made |= {
            "tables": (TABLES, [_table(room, *each) for each in played]),
            "seats": (SEATS, [row for each in played for row in _seats(*each)]),
            "moves": (MOVES, [row for each in played for row in _moves(*each)]),
            "answers": (
                ANSWERS,
                [{name: getattr(a, name) for name in ANSWERS} for a in answers(storage, code)],
            ),
        }
    return {f"{room.code}-{name}.csv": _csv(*rows) for name, rows in made.items()}


def _csv(columns: Sequence[str], rows: list[dict[str, Any]]) -> bytes:
    import pandas as pd

    return csv_bytes(pd.DataFrame(rows, columns=list(columns)))


def _people(room: Room) -> list[dict[str, Any]]:
    rows = {row["number"]: row for row in room.rows.people}
    return [
        {
            "person": person.number,
            "name": person.name,
            "bot": person.bot,
            "joined": rows[person.number]["joined"],
            "left": rows[person.number]["left"],
            "sent_away": person.sent_away,
        }
        for person in room.people
    ]


def _place(table: RoomTable) -> dict[str, Any]:
    return {
        "task_number": table.turn,
        "table": table.number,
        "sign": str(sign_of(table.number)),
    }


def _table(room: Room, table: RoomTable, episode: Episode) -> dict[str, Any]:
    result = episode.result() if episode.over else None
    bots = seats_of_bots(room, table, episode)
    return {
        **_place(table),
        "condition": table.condition,
        "protocol": episode.spec.name,
        "task": episode.task.statement.id,
        "y": episode.task.y,
        "phase": table.phase,
        "rounds": episode.node.round,
        "decision": None if result is None else result.decision,
        "right": None if result is None else result.right,
        "bots": " ".join(bots),
        "counted": result is not None and is_counted(room, bots),
        "episode": table.episode_id,
    }


def _seats(table: RoomTable, episode: Episode) -> list[dict[str, Any]]:
    return [
        {**_place(table), "seat": event.agent, "from": event.at, **_player(event.player)}
        for event in episode.events
        if isinstance(event, Seated)
    ]


def _moves(table: RoomTable, episode: Episode) -> list[dict[str, Any]]:
    """A row for each message, and one for each decision, in the order in which they were made."""
    rows: list[dict[str, Any]] = []
    sits: dict[str, Mapping[str, Any]] = {}
    # Played again, since only the rules know when a round is over.
    again = Episode.from_setup(episode.setup)
    began: str | None = None
    for event in episode.events:
        before = again.node.round
        again.apply(event)
        if isinstance(event, Seated):
            sits[event.agent] = event.player
            began = began or event.at
        if not isinstance(event, Moved):
            continue
        move = event.move
        who = _player(sits.get(move.agent, {}))
        row = {
            **_place(table),
            "condition": table.condition,
            "round": shown_round(before),
            "seat": move.agent,
            "person": who["person"],
            "player": who["player"],
            "bot": stands_in(sits.get(move.agent, {})),
            "at": event.at,
            "seconds": _between(began, event.at),
        }
        rows += [{**row, "channel": on, "text": text} for on, text in move.messages.items()]
        if move.decision != 2:
            rows.append({**row, "decision": move.decision, "confidence": move.confidence})
        if again.node.round != before:
            began = event.at
    return rows


def _player(player: Mapping[str, Any]) -> dict[str, Any]:
    who = str(player.get("who", ""))
    return {
        "person": int(who.removeprefix("person ")) if who.startswith("person ") else None,
        "player": player.get("model") or player.get("kind"),
        "instead_of": player.get(INSTEAD_OF) or _late_for(player),
        "late": player.get("late"),
        "level": player.get("level"),
    }


def _late_for(player: Mapping[str, Any]) -> Any:
    """For whom a bot has made one move."""
    late = player.get(STANDS_IN_FOR)
    return (late.get("who") or late.get("model")) if isinstance(late, Mapping) else None  # pyright: ignore


def _between(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return round(passed.total_seconds(), 3)
