"""The schedule as a table: a row for each cell, or one to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.figures.lanes import Lane, lanes
from explorer.figures.palette import agent_styles
from explorer.figures.turns import others
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame_of", "grid_data", "grid_table"]

# Few who look at a schedule take its table, and loading pandas takes longer than drawing.


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
    return frame_of(spec, lanes(spec, seed))


def frame_of(spec: ProtocolSpec, own: list[Lane]) -> pd.DataFrame:
    """Lanes as a table; see :func:`grid_data`."""
    import pandas as pd

    labels = {name: style.label for name, style in agent_styles(spec).items()}
    rounds = range(spec.max_message_rounds)
    columns: dict[str, list[object]] = {
        name: [] for name in ("channel", "agent", "round", "label", "state", "probability", "seen")
    }
    readers: list[str] = []
    for lane in own:
        for name, value in (
            ("channel", lane.channel),
            ("agent", lane.agent),
            ("label", labels[lane.agent]),
        ):
            columns[name].extend([value] * len(rounds))
        columns["round"].extend(rounds)
        columns["state"].extend(lane.states)
        columns["probability"].extend(lane.chances)
        columns["seen"].extend(lane.seen)
        read = ", ".join(others(spec, lane.agent, lane.channel)) if lane.channel else ""
        readers.extend([read] * len(rounds))
    return pd.DataFrame({**columns, "readers": readers})


def grid_table(spec: ProtocolSpec, seed: int | None = None) -> pd.DataFrame:
    """The grid as a table for reading: a row for each lane, a column for each round, from 1.

    A seat's badge where it speaks, with the chance if chance decides; ``hidden`` where it
    does not see the channel; ``decides``, or ``too early``, in the lane of decisions.
    """
    import pandas as pd

    labels = {name: style.label for name, style in agent_styles(spec).items()}
    words = {"reads": "", "none": "", "blind": "hidden", "may decide": "too early"}

    def text(label: str, state: str, chance: float) -> str:
        word = words.get(state, "decides" if state == "counts" else label)
        return f"{word} {chance:.0%}" if 0 < chance < 1 else word

    own = lanes(spec, seed)
    return pd.DataFrame(
        [
            [
                text(labels[lane.agent], state, chance)
                for state, chance in zip(lane.states, lane.chances, strict=True)
            ]
            for lane in own
        ],
        index=pd.MultiIndex.from_arrays(
            [
                [spec.channel_title(a.channel) if a.channel else "(decisions)" for a in own],
                [spec.seat_name(lane.agent) for lane in own],
            ],
            names=["channel", "seat"],
        ),
        columns=pd.RangeIndex(shown_round(0), shown_round(spec.max_message_rounds), name="round"),
        dtype=object,
    )
