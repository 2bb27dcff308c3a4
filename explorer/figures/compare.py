"""Two protocols, or one with two settings, next to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from explorer.figures.grid import grid_data
from explorer.figures.palette import Theme
from nip_core.spec import ProtocolSpec

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["compare_data", "compare_figure", "differences"]

Seeds = tuple[int | None, int | None]
CELL = ["channel", "agent", "round"]
SILENT = ("reads", "blind", "none")


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
    there = other.set_index(CELL)[["state", "probability"]].reindex(
        pd.MultiIndex.from_frame(cells[CELL])
    )
    what, what_there = _happening(cells["state"]), _happening(there["state"].fillna("none"))
    chance_there = there["probability"].to_numpy()
    differs = (what != what_there.to_numpy()) | (
        (what != "") & (cells["probability"] != chance_there)
    )
    sight = other.groupby(CELL[:2])["state"].agg(lambda states: states.iloc[0] == "blind")
    blind_there = cells.join(sight.rename("blind"), on=CELL[:2])["blind"]
    odd = blind_there.isna() | (blind_there != (cells["state"] == "blind"))
    return cells.assign(**{"differs": differs, "odd lane": odd})


def _happening(states: pd.Series) -> pd.Series:
    return states.where(~states.isin(SILENT), "")


def differences(
    left: ProtocolSpec, right: ProtocolSpec, *, seeds: Seeds = (None, None)
) -> pd.DataFrame:
    """What differs, in words: ``what``, ``left`` and ``right``, all text; empty if nothing does."""
    rows: list[tuple[str, str, str]] = []

    def compare(what: str, one: object, two: object) -> None:
        if one != two:
            rows.append((what, str(one), str(two)))

    compare("agents", ", ".join(left.agent_names), ", ".join(right.agent_names))
    compare("rounds, at most", left.max_message_rounds, right.max_message_rounds)
    compare(
        "a decision counts from round", *(max(0, s.min_message_rounds - 1) for s in (left, right))
    )
    compare("schedules that a seed may pick", left.num_variants, right.num_variants)
    for channel in dict.fromkeys((*left.channel_names, *right.channel_names)):
        compare(f"who reads {channel}", _readers(left, channel), _readers(right, channel))
    for agent in dict.fromkeys((*left.agent_names, *right.agent_names)):
        compare(f"{agent} argues for", _side(left, agent), _side(right, agent))
    marked = compare_data(left, right, seeds=seeds)
    lanes = pd.concat([part[part["differs"]] for part in marked])[["channel", "agent"]]
    for channel, agent in lanes.drop_duplicates().itertuples(index=False):
        where = f"{agent} speaks on {channel} in" if channel else "the verifier may decide in"
        compare(where, *(_when(part, channel, agent) for part in marked))
    return pd.DataFrame(rows, columns=["what", "left", "right"])


def _readers(spec: ProtocolSpec, channel: str) -> str:
    if channel not in spec.channel_names:
        return "no such channel"
    return ", ".join(sorted(spec.channel(channel).viewers, key=spec.agent_index)) or "nobody"


def _side(spec: ProtocolSpec, agent: str) -> str:
    if agent not in spec.agent_names:
        return "no such agent"
    stance = spec.agent(agent).stance
    return "neither" if stance is None else str(stance)


def _when(cells: pd.DataFrame, channel: str, agent: str) -> str:
    """The rounds in which something happens in a lane, chances in brackets."""
    lane = cells[(cells["channel"] == channel) & (cells["agent"] == agent)]
    lane = lane[lane["probability"] > 0]
    early = {"may decide": " (too early to count)"}
    shown = [
        f"{round_id}" + ("" if chance == 1 else f" ({chance:.0%})") + early.get(state, "")
        for round_id, state, chance in lane[["round", "state", "probability"]].itertuples(
            index=False
        )
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
