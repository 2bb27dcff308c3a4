"""Two protocols, or one with two settings, next to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from explorer.figures.frames import column, records
from explorer.figures.grid import grid_data
from explorer.figures.palette import Theme
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["compare_data", "compare_figure", "differences"]

Seeds = tuple[int | None, int | None]
SILENT = ("reads", "blind", "none")
NOTHING = ("", 0.0)


def compare_data(
    left: ProtocolSpec, right: ProtocolSpec, *, seeds: Seeds = (None, None)
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cells of both grids, with what differs marked.

    Returns
    -------
    left, right : DataFrame
        As :func:`~explorer.figures.grid.grid_data` gives them, and ``differs``: does something
        else happen in the cell than in that of the other protocol? Where there is no such cell,
        nothing happens. ``odd lane``: does the other protocol lack the lane, or does the agent
        see the channel in only one of them?
    """
    cells = [grid_data(spec, seed) for spec, seed in zip((left, right), seeds, strict=True)]
    return _marked(*cells), _marked(*reversed(cells))


def _marked(cells: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    here, there = _happenings(cells), _happenings(other)
    sees, sees_there = _sights(cells), _sights(other)
    lanes = [(channel, agent) for channel, agent, _ in here]
    odd = [sees[lane] != sees_there.get(lane) for lane in lanes]
    differs = [what != there.get(cell, NOTHING) for cell, what in here.items()]
    return cells.assign(**{"differs": differs, "odd lane": odd})


def _happenings(cells: pd.DataFrame) -> dict[tuple[str, str, int], tuple[str, float]]:
    """What happens in each cell, and how likely it is."""
    names = ("channel", "agent", "round", "state", "probability")
    columns = (column(cells, name) for name in names)
    return {
        (channel, agent, round_id): NOTHING if state in SILENT else (state, chance)
        for channel, agent, round_id, state, chance in zip(*columns, strict=True)
    }


def _sights(cells: pd.DataFrame) -> dict[tuple[str, str], bool]:
    """Does the agent of each lane see its channel?"""
    lanes = zip(*(column(cells, name) for name in ("channel", "agent", "state")), strict=True)
    return {(channel, agent): state != "blind" for channel, agent, state in lanes}


def differences(
    left: ProtocolSpec, right: ProtocolSpec, *, seeds: Seeds = (None, None)
) -> pd.DataFrame:
    """What differs, in words for people; empty if nothing does.

    Returns
    -------
    told : DataFrame
        ``what``, ``left`` and ``right``, all text; rounds count from 1.
    """
    rows: list[tuple[str, str, str]] = []

    def compare(what: str, one: object, two: object) -> None:
        if one != two:
            rows.append((what, str(one), str(two)))

    both = (left, right)
    seats = [", ".join(map(s.seat_name, s.agent_names)) for s in both]
    compare("seats", *seats)
    if len(set(seats)) == 1:
        compare("names in Python", *(", ".join(s.agent_names) for s in both))
    compare("rounds, at most", left.max_message_rounds, right.max_message_rounds)
    compare("a decision counts from round", *(max(1, s.min_message_rounds) for s in both))
    compare("schedules that a seed may pick", left.num_variants, right.num_variants)
    for channel in dict.fromkeys((*left.channel_names, *right.channel_names)):
        compare(f"who reads {_channel(both, channel)}", *(_readers(s, channel) for s in both))
    for agent in dict.fromkeys((*left.agent_names, *right.agent_names)):
        compare(f"{_seat(both, agent)} argues for", *(_side(s, agent) for s in both))
    marked = [records(part) for part in compare_data(left, right, seeds=seeds)]
    lanes = (
        (cell["channel"], cell["agent"]) for part in marked for cell in part if cell["differs"]
    )
    for channel, agent in dict.fromkeys(lanes):
        where = "the verifier may decide in"
        if channel:
            where = f"{_seat(both, agent)} speaks on {_channel(both, channel)} in"
        compare(where, *(_when(part, channel, agent) for part in marked))
    return pd.DataFrame(rows, columns=["what", "left", "right"])


def _readers(spec: ProtocolSpec, channel: str) -> str:
    if channel not in spec.channel_names:
        return "no such channel"
    viewers = sorted(spec.channel(channel).viewers, key=spec.agent_index)
    return ", ".join(map(spec.seat_name, viewers)) or "nobody"


def _seat(specs: tuple[ProtocolSpec, ...], agent: str) -> str:
    """What an agent is called in those that have it, which may differ."""
    return " or ".join(sorted({s.seat_phrase(agent) for s in specs if agent in s.agent_names}))


def _channel(specs: tuple[ProtocolSpec, ...], channel: str) -> str:
    found = {s.channel_title(channel) for s in specs if channel in s.channel_names}
    return " or ".join(sorted(found))


def _side(spec: ProtocolSpec, agent: str) -> str:
    if agent not in spec.agent_names:
        return "no such seat"
    stance = spec.agent(agent).stance
    return "neither" if stance is None else str(stance)


def _when(cells: list[dict[str, Any]], channel: str, agent: str) -> str:
    """The rounds in which something happens in a lane, with chances in brackets."""
    early = {"may decide": " (too early to count)"}
    shown = [
        f"{shown_round(cell['round'])}"
        + ("" if cell["probability"] == 1 else f" ({cell['probability']:.0%})")
        + early.get(cell["state"], "")
        for cell in cells
        if cell["probability"] and (cell["channel"], cell["agent"]) == (channel, agent)
    ]
    return ", ".join(shown) or "no round"


def compare_figure(
    left: ProtocolSpec,
    right: ProtocolSpec,
    *,
    seeds: Seeds = (None, None),
    theme: Theme = "light",
    selected: int | None = None,
) -> Figure:
    """Both grids, below each other on one axis of rounds, with cells that differ ringed."""
    from explorer.figures.grid_drawing import draw_grids

    marked = compare_data(left, right, seeds=seeds)
    return draw_grids(list(zip((left, right), marked, strict=True)), theme=theme, selected=selected)
