"""The schedule as a grid: a lane for every channel and agent, and one for decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from explorer.figures.frames import column
from explorer.figures.palette import Theme, agent_styles
from explorer.figures.turns import decision_shares, others, speaking_shares, variants
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["grid_data", "grid_figure", "grid_table"]


def grid_data(spec: ProtocolSpec, seed: int | None = None) -> pd.DataFrame:
    """One row for each cell of the grid, lane by lane.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.

    Returns
    -------
    cells : DataFrame
        ``channel``, ``agent``, ``round`` (from 0): which cell; the lane of decisions has no
        channel. ``label``: the agent's badge.
        ``state``: ``"speaks"``, ``"may speak"`` (chance decides), ``"reads"`` (it only sees the
        channel) or ``"blind"``; in the lane of decisions ``"counts"``, ``"may decide"`` (too
        early to count) or ``"none"``.
        ``probability``: how likely the agent is to speak there, or to be allowed a decision.
        ``seen``: how many messages of others the agent has read before this round, at most.
        ``readers``: who will read what it writes there.
    """
    labels = {name: style.label for name, style in agent_styles(spec).items()}
    shares = speaking_shares(spec, seed)
    seen = {agent: _seen_before(spec, seed, agent) for agent in spec.agent_names}
    rounds = range(spec.max_message_rounds)
    columns: dict[str, list[object]] = {
        name: [] for name in ("channel", "agent", "label", "state", "probability", "readers")
    }

    def add_lane(channel: str, agent: str, states: list[str], probability: list[float]) -> None:
        for name, value in (
            ("channel", channel),
            ("agent", agent),
            ("label", labels[agent]),
            ("readers", ", ".join(others(spec, agent, channel)) if channel else ""),
        ):
            columns[name].extend([value] * len(rounds))
        columns["state"].extend(states)
        columns["probability"].extend(probability)

    for channel in spec.channel_names:
        for agent in spec.agent_names:
            chances = [share.get((agent, channel), 0.0) for share in shares]
            idle = "reads" if spec.can_see(agent, channel) else "blind"
            states = [_speech(chance) if chance else idle for chance in chances]
            add_lane(channel, agent, states, chances)
    chances = decision_shares(spec, seed)
    first = spec.min_message_rounds - 1
    states = [
        "none" if not chance else "counts" if r >= first else "may decide"
        for r, chance in enumerate(chances)
    ]
    add_lane("", spec.verifier, states, chances)
    lanes = len(columns["channel"]) // len(rounds)
    order = [*spec.agent_names] * len(spec.channels) + [spec.verifier]
    return pd.DataFrame(
        {
            "channel": columns["channel"],
            "agent": columns["agent"],
            "round": np.tile(np.arange(len(rounds)), lanes),
            "label": columns["label"],
            "state": columns["state"],
            "probability": columns["probability"],
            "seen": np.concatenate([seen[agent] for agent in order]),
            "readers": columns["readers"],
        }
    )


def grid_table(spec: ProtocolSpec, cells: pd.DataFrame) -> pd.DataFrame:
    """The grid as a table for reading: a row for each lane, a column for each round, from 1.

    A seat's badge where it speaks, with the chance if chance decides; ``hidden`` where it
    does not see the channel; ``decides``, or ``too early``, in the lane of decisions.

    Parameters
    ----------
    spec : ProtocolSpec
    cells : DataFrame
        From :func:`grid_data`.
    """
    words = {"reads": "", "none": "", "blind": "hidden", "may decide": "too early"}

    def text(label: str, state: str, chance: float) -> str:
        word = words.get(state, "decides" if state == "counts" else label)
        return f"{word} {chance:.0%}" if 0 < chance < 1 else word

    shown = list(map(text, *(column(cells, name) for name in ("label", "state", "probability"))))
    rounds = len(set(column(cells, "round")))
    return pd.DataFrame(
        np.array(shown, dtype=object).reshape(-1, rounds),
        index=pd.MultiIndex.from_arrays(
            [
                [
                    spec.channel_title(channel) if channel else "(decisions)"
                    for channel in column(cells, "channel")[::rounds]
                ],
                [spec.seat_name(agent) for agent in column(cells, "agent")[::rounds]],
            ],
            names=["channel", "seat"],
        ),
        columns=pd.RangeIndex(shown_round(0), shown_round(rounds), name="round"),
    )


def _speech(chance: float) -> str:
    return "speaks" if chance == 1 else "may speak"


def _seen_before(spec: ProtocolSpec, seed: int | None, agent: str) -> np.ndarray:
    """How many messages of others an agent has read before each round, at most."""
    visible = set(spec.visible_channels(agent))
    totals: list[np.ndarray] = []
    for variant in variants(spec, seed):
        read = [
            sum(who != agent and channel in visible for who, channel in turn.speakers)
            for turn in (spec.turn(r, variant) for r in range(spec.max_message_rounds))
        ]
        totals.append(np.cumsum([0, *read[:-1]]))
    return np.max(totals, axis=0)


def grid_figure(
    spec: ProtocolSpec,
    *,
    seed: int | None = None,
    theme: Theme = "light",
    selected: int | None = None,
) -> Figure:
    """The grid of a protocol, with the selected round framed; see :func:`grid_data`."""
    from explorer.figures.grid_drawing import draw_grids

    return draw_grids([(spec, grid_data(spec, seed))], theme=theme, selected=selected)
