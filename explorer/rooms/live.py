"""What the facilitator's board and the projector show of tables in play, as plain data.

Of an episode there is in it only where it stands, seat by seat: made of what :func:`board` tells,
which holds no message, no verdict and no truth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from explorer.figures.palette import agent_styles
from explorer.rooms.plan import Condition
from nip_core.spec import ProtocolSpec

__all__ = ["board_screen", "lanes_of", "totals"]


def board_screen(
    conditions: Sequence[Condition],
    rows: Iterable[Mapping[str, Any]],
    *,
    lost: Collection[int] = (),
    names: bool = True,
    selected: int | None = None,
) -> dict[str, Any]:
    """The data of ``explorer/front/board.js``.

    Parameters
    ----------
    conditions : sequence of Condition
        Of the room's plan.
    rows : iterable of mapping
        From :func:`~explorer.rooms.board.board`.
    lost : collection of int
        The people of whom no window is open.
    names : bool
        Say who sits where? A projector does not.
    selected : int, optional
        The table whose details are shown.
    """
    return {
        "conditions": {each.name: _condition(each, len(conditions) > 1) for each in conditions},
        "tables": [_table(row, lost, names) for row in rows],
        "selected": selected,
        "now": datetime.now(UTC).isoformat(),
    }


def _condition(condition: Condition, several: bool) -> dict[str, Any]:
    spec = condition.spec
    return {
        "title": condition.name,
        "mark": condition.name if several else "",
        "rounds": spec.max_message_rounds,
        "seats": {
            look.agent: {"name": look.name, "label": look.label, "colour": look.label.lower()}
            if look.label != "P"
            else {"name": look.name, "label": "P", "colour": "p1"}
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


def _table(row: Mapping[str, Any], lost: Collection[int], names: bool) -> dict[str, Any]:
    spoken: dict[str, list[int]] = {}
    for round_id, agent in row["lit"]:
        spoken.setdefault(agent, []).append(round_id)
    return {
        "number": row["number"],
        "condition": row["condition"],
        "phase": row["phase"],
        "round": row["round"],
        "ends": row["deadline"],
        "spoken": spoken,
        "seats": [_seat(seat, lost, names) for seat in row["seats"]],
    }


def _seat(seat: Mapping[str, Any], lost: Collection[int], names: bool) -> dict[str, Any]:
    away = seat["person"] in lost and seat["state"] in ("asked", "waits", "moved")
    return {
        "agent": seat["agent"],
        "who": (seat["who"] or ("Bot" if seat["bot"] else "")) if names else "",
        # Only whom a table waits for holds it up.
        "state": "lost" if away else seat["state"],
    }


def totals(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How far the tables are: of how many, over, and rounds played of all there may be."""
    found = {"tables": 0, "over": 0, "played": 0, "rounds": 0}
    for row in rows:
        over = row["phase"] == "over"
        found["tables"] += 1
        found["over"] += over
        found["rounds"] += row["rounds"]
        found["played"] += row["rounds"] if over else min(row["round"], row["rounds"])
    return found
