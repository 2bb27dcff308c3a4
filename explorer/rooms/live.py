"""What the facilitator's board and the projector show of tables in play, as plain data.

Of an episode there is in it only where it stands, seat by seat: made of what :func:`board` tells,
which holds no message, no verdict and no truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from explorer.figures.palette import agent_styles
from explorer.rooms.plan import Condition
from explorer.rooms.signs import sign_of
from nip_core.spec import ProtocolSpec

__all__ = ["board_screen", "lanes_of", "totals", "wall_screen"]


def board_screen(
    conditions: Sequence[Condition],
    rows: Iterable[Mapping[str, Any]],
    *,
    selected: int | None = None,
) -> dict[str, Any]:
    """The data of ``explorer/front/board.js`` for the facilitator.

    Parameters
    ----------
    conditions : sequence of Condition
        Of the room's plan.
    rows : iterable of mapping
        From :func:`~explorer.rooms.board.board`.
    selected : int, optional
        The table whose details are shown.
    """
    several = len(conditions) > 1
    return {
        "kinds": {each.name: _kind(each.spec, each.name * several) for each in conditions},
        "tables": [_table(row, row["condition"]) for row in rows],
        "selected": selected,
        "still": False,
        "now": datetime.now(UTC).isoformat(),
    }


def wall_screen(
    specs: Mapping[int, ProtocolSpec], rows: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """The same for a projector, on which nobody is named, and no condition.

    Parameters
    ----------
    specs : mapping of int to ProtocolSpec
        What is played at each table. Tables with one schedule are drawn alike, whatever else
        their conditions are.
    rows : iterable of mapping
        From :func:`~explorer.rooms.board.public_board`.
    """
    kinds: list[dict[str, Any]] = []
    tables: list[dict[str, Any]] = []
    for row in rows:
        kind = _kind(specs[row["number"]], "")
        if kind not in kinds:
            kinds.append(kind)
        tables.append(_table(row, str(kinds.index(kind))))
    return {
        "kinds": {str(place): kind for place, kind in enumerate(kinds)},
        "tables": tables,
        "selected": None,
        "still": True,
        "now": datetime.now(UTC).isoformat(),
    }


def _kind(spec: ProtocolSpec, mark: str) -> dict[str, Any]:
    return {
        "mark": mark,
        "rounds": spec.max_message_rounds,
        "seats": {
            look.agent: {
                "name": look.name,
                "label": look.label,
                # The only prover has the first one's colour.
                "colour": "p1" if look.label == "P" else look.label.lower(),
            }
            for look in agent_styles(spec).values()
        },
        "lanes": lanes_of(spec),
    }


@lru_cache(maxsize=64)
def lanes_of(spec: ProtocolSpec) -> list[dict[str, Any]]:
    """A lane for each seat on each channel on which it may speak, and in which rounds.

    Of a protocol with several schedules, the rounds of all of them: which one an episode has is
    nobody's to know.
    """
    rounds = spec.max_message_rounds
    spoken: dict[tuple[str, str], set[int]] = {}
    for schedule in spec.schedules:
        for turn, numbers in schedule.rounds_of_turns(rounds):
            for agent, channel in turn.speakers:
                spoken.setdefault((channel, agent), set()).update(numbers)
    return [
        {
            "band": band,
            "seat": agent,
            "speaks": [number in spoken[channel.name, agent] for number in range(rounds)],
        }
        for band, channel in enumerate(spec.channels)
        for agent in spec.agent_names
        if (channel.name, agent) in spoken
    ]


def _table(row: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {
        "number": row["number"],
        "sign": sign_of(row["number"]).to_dict(),
        "kind": kind,
        **({"says": "Over, with bots"} if row["bots"] and row["phase"] == "over" else {}),
        "phase": row["phase"],
        "round": row["round"],
        "ends": row["deadline"],
        "spoken": _by_seat(row["lit"]),
        "bots": _by_seat(row["lit_by_bots"]),
        "seats": [_seat(seat) for seat in row["seats"]],
    }


def _by_seat(moves: Iterable[Sequence[Any]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for round_id, agent in moves:
        found.setdefault(agent, []).append(round_id)
    return found


def _seat(seat: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "agent": seat["agent"],
        "who": seat.get("who") or ("Bot" if seat.get("bot") else ""),
        "state": seat["state"],
        "asked": seat.get("asked", seat["state"] == "asked"),
    }


def totals(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How far the tables are: of how many, over, and rounds played of all there may be.

    ``bots`` says how many of those that are over do not count, since bots have moved there.
    """
    found = {"tables": 0, "over": 0, "bots": 0, "played": 0, "rounds": 0}
    for row in rows:
        over = row["phase"] == "over"
        found["tables"] += 1
        found["over"] += over
        found["bots"] += over and not row["counted"]
        found["rounds"] += row["rounds"]
        found["played"] += row["rounds"] if over else min(row["round"], row["rounds"])
    return found
