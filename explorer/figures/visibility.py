"""Who sees which channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from explorer.figures.palette import Theme, agent_styles
from explorer.figures.style import PAGE, box, lay_out, plain
from nip_core.spec import ProtocolSpec

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["visibility_data", "visibility_figure"]

ROW = 34  # pixels


def visibility_data(spec: ProtocolSpec) -> pd.DataFrame:
    """Does an agent (row) see a channel (column)?"""
    return pd.DataFrame(
        [
            [spec.can_see(agent, channel) for channel in spec.channel_names]
            for agent in spec.agent_names
        ],
        index=pd.Index(spec.agent_names, name="agent"),
        columns=pd.Index(spec.channel_names, name="channel"),
    )


def visibility_figure(spec: ProtocolSpec, *, theme: Theme = "light") -> Figure:
    """The matrix of agents and channels: an agent's letter where it sees the channel."""
    import plotly.graph_objects as go

    page, styles = PAGE[theme], agent_styles(spec)
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for y, (agent, sees) in enumerate(visibility_data(spec).iterrows()):
        look = styles[str(agent)]
        for x, seen in enumerate(sees):
            shapes.append({**box(x, y), "fillcolor": look.fill(theme) if seen else page.lane})
            font = {"color": look.ink(theme) if seen else page.quiet}
            text = look.label if seen else "–"
            notes.append({"x": x, "y": y, "text": text, "showarrow": False, "font": font})
    names = {"ticks": "", "automargin": True}
    figure = go.Figure(go.Scatter(x=[], y=[]))  # without a trace plotly draws no axes
    lay_out(
        figure,
        theme,
        shapes=shapes,
        annotations=notes,
        height=ROW * len(spec.agents) + 60,
        margin={"l": 20, "r": 10, "t": 30, "b": 10},
        xaxis={
            **names,
            "range": [-0.55, len(spec.channels) - 0.45],
            "side": "top",
            "tickvals": list(range(len(spec.channels))),
            "ticktext": [plain(name) for name in spec.channel_names],
        },
        yaxis={
            **names,
            "range": [len(spec.agents) - 0.45, -0.55],
            "tickvals": list(range(len(spec.agents))),
            "ticktext": [plain(name) for name in spec.agent_names],
        },
    )
    return figure
