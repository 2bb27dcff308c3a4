"""What seats are worth: distributions, ends of episodes, sweeps, and a sample on its way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from explorer.pictures.chart_style import (
    PAGE,
    Bar,
    bars_of,
    common_axes,
    lay_out,
    mixed,
    plain,
    shares_of,
)
from explorer.pictures.tables import column, rows_where
from explorer.pictures.tokens import Theme, agent_styles
from nip_core.spec import shown_round

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from nip_core.spec import ProtocolSpec
    from nip_core.values import ExactValues, MidPoint, Sample

__all__ = [
    "convergence_figure",
    "distribution_data",
    "distribution_figure",
    "endings_data",
    "endings_figure",
    "sweep_figure",
]

PERCENT = ".3~p"  # as many digits as a share needs
ROW = 165  # pixels for each seat
# So many rounds have a bar each; more of them share bars.
MOST_ROUNDS = 120
MOST_TOLD = 8  # bars with their chance written on them
# Outlines of more bars than these would be most of what is seen.
MOST_OUTLINED = 40


def distribution_data(values: ExactValues) -> pd.DataFrame:
    """The exact distribution of each seat's episode reward.

    Returns
    -------
    distribution : DataFrame
        ``seat``; ``reward``, a single value or the middle of an interval; ``from`` and ``to``, the
        interval's ends (the value itself twice); ``chance``.
    """
    rows: list[dict[str, Any]] = []
    for agent in values.spec.agent_names:
        law = values.distribution(agent)
        for value, chance in zip(law.values, law.probabilities, strict=True):
            rows.append(_piece(agent, value, value, chance))
        for low, high, chance in zip(law.edges[:-1], law.edges[1:], law.masses, strict=True):
            rows.append(_piece(agent, low, high, chance))
    return pd.DataFrame(rows)


def _piece(agent: str, low: float, high: float, chance: float) -> dict[str, Any]:
    return {
        "seat": agent,
        "reward": (float(low) + float(high)) / 2,
        "from": float(low),
        "to": float(high),
        "chance": float(chance),
    }


def distribution_figure(
    values: ExactValues,
    mid_points: dict[str, MidPoint],
    *,
    sample: Sample | None = None,
    recorded: pd.DataFrame | None = None,
    theme: Theme = "light",
) -> Figure:
    """A panel for each seat: exact bars, mid-point and mean as lines, and what was found.

    Parameters
    ----------
    values : ExactValues
    mid_points : dict of str to MidPoint
    sample : Sample, optional
        Drawn as points with Wilson's intervals, where rewards are single values.
    recorded : DataFrame, optional
        ``seat`` and ``reward`` of recorded episodes.
    theme : {"light", "dark"}
    """
    from plotly import subplots

    spec, page = values.spec, PAGE[theme]
    seats, styles = spec.agent_names, agent_styles(spec)
    laws = {seat: values.distribution(seat) for seat in seats}
    axes = common_axes(
        {
            seat: [
                *(*laws[seat].values.tolist(), *laws[seat].edges.tolist()),
                *(mid_points[seat].estimate, mid_points[seat].mean),
                *_found_rewards(seat, sample, recorded),
            ]
            for seat in seats
        }
    )
    drawn = {seat: bars_of(laws[seat], axes[seat]) for seat in seats}
    # Numbers above the tallest bar have room, too.
    most = 1.3 * max(bar.chance for bars in drawn.values() for bar in bars)
    figure = subplots.make_subplots(
        rows=len(seats),
        cols=1,
        vertical_spacing=0.4 / len(seats),
        subplot_titles=[f"{styles[seat].label}  {plain(styles[seat].name)}" for seat in seats],
    )
    for row, seat in enumerate(seats, start=1):
        look, panel, found = styles[seat], dict[str, Any](row=row, col=1), mid_points[seat]
        bars = drawn[seat]
        told = len(bars) <= MOST_TOLD
        figure.add_bar(
            x=[bar.middle for bar in bars],
            y=[bar.chance for bar in bars],
            width=[bar.right - bar.left for bar in bars],
            marker={"color": look.fill(theme), "line": {"width": 0}},
            name="exact",
            text=[f"{bar.chance:.1%}" for bar in bars] if told else None,
            textposition="outside" if told else "none",
            cliponaxis=False,
            customdata=[_range(bar) for bar in bars],
            hovertemplate="%{customdata}: %{y:.4%}<extra></extra>",
            **panel,
        )
        figure.update_xaxes(range=axes[seat], **panel)
        if sample is not None:
            _add_sample(figure, row, seat, sample, bars, page.text)
        if recorded is not None and len(recorded):
            _add_recorded(figure, row, rows_where(recorded, "seat", seat), bars, page.accent)
        for x, dash, name in (
            (found.estimate, "dash", "mid-point"),
            (found.mean, "solid", "exact mean"),
        ):
            figure.add_vline(
                x=x,
                line={"color": page.accent if dash == "dash" else page.text, "dash": dash},
                **panel,
            )
            figure.add_scatter(
                x=[x],
                y=[0],
                mode="markers",
                marker={"opacity": 0},
                hovertemplate=f"{name}: %{{x:.5g}}<extra></extra>",
                row=row,
                col=1,
            )
    ticks: dict[str, Any] = {"ticks": "outside", "tickcolor": page.line, "tickfont": {"size": 12}}
    lay_out(
        figure, theme, height=ROW * len(seats) + 80, margin={"l": 66, "r": 12, "t": 36, "b": 56}
    )
    figure.update_xaxes(**ticks, showline=True, linecolor=page.line)
    titled: dict[str, Any] = {"font": {"size": 12}, "standoff": 8}
    figure.update_xaxes(title={"text": "Reward of an episode", **titled}, row=len(seats), col=1)
    scale: dict[str, Any] = {"tickformat": PERCENT, "range": [0, most], "nticks": 4}
    figure.update_yaxes(title={"text": "Chance", **titled}, **scale, **ticks)
    # A panel's title stands at its left, clear of the numbers of the panel above.
    figure.update_annotations(x=0, xanchor="left", font={"size": 13})
    return figure


def _range(bar: Bar) -> str:
    """What a bar stands for."""
    return f"{bar.low:.10g}" if bar.low == bar.high else f"{bar.low:.10g} to {bar.high:.10g}"


def _found_rewards(seat: str, sample: Sample | None, recorded: pd.DataFrame | None) -> list[float]:
    """What a seat got in a sample and in recorded episodes, for the ends of the axis."""
    found: list[float] = []
    if sample is not None:
        counted = sample.histogram(seat)
        found += counted.values[counted.counts > 0].tolist()
    if recorded is not None and len(recorded):
        found += column(rows_where(recorded, "seat", seat), "reward")
    return found


def _add_sample(
    figure: Figure, row: int, seat: str, sample: Sample, bars: Sequence[Bar], colour: str
) -> None:
    from nip_core.values import wilson

    found = sample.histogram(seat)
    if len(found.edges):
        # As many per interval of the exact picture, so that heights can be compared.
        import numpy as np

        below = np.append(0, np.cumsum(found.counts)) / sample.episodes
        low, high = (
            np.interp([getattr(bar, end) for bar in bars], found.edges, below)
            for end in ("low", "high")
        )
        figure.add_scatter(
            x=[bar.middle for bar in bars],
            y=(high - low).tolist(),
            mode="lines",
            line={"color": colour, "width": 1.5, "dash": "dot"},
            hovertemplate="sampled %{y:.4%}<extra></extra>",
            row=row,
            col=1,
        )
        return
    counted = shares_of(bars, zip(found.values.tolist(), found.counts.tolist(), strict=True))
    spans = [wilson(int(count), sample.episodes) for *_, count in counted]
    shares = [count / sample.episodes for *_, count in counted]
    figure.add_scatter(
        x=[x for _, x, _ in counted],
        y=shares,
        mode="markers",
        marker={"color": colour, "symbol": "diamond-open", "size": 9, "line": {"width": 2}},
        error_y={
            "type": "data",
            "array": [high - share for share, (_, high) in zip(shares, spans, strict=True)],
            "arrayminus": [share - low for share, (low, _) in zip(shares, spans, strict=True)],
            "color": colour,
        },
        hovertemplate="sampled %{x:.4g}: %{y:.4%}<extra></extra>",
        row=row,
        col=1,
    )


def _add_recorded(
    figure: Figure, row: int, mine: pd.DataFrame, bars: Sequence[Bar], colour: str
) -> None:
    counts = sorted(shares_of(bars, Counter(column(mine, "reward")).items()))
    figure.add_scatter(
        x=[x for _, x, _ in counts],
        y=[count / len(mine) for *_, count in counts],
        mode="markers",
        marker={"color": colour, "symbol": "x", "size": 9},
        hovertemplate=f"recorded ({len(mine)} episodes) %{{x:.4g}}: %{{y:.1%}}<extra></extra>",
        row=row,
        col=1,
    )


def endings_data(values: ExactValues) -> pd.DataFrame:
    """The chance that the verifier's part ends with a round and a verdict, one row for each.

    Rounds count from 0.
    """
    from nip_core.values import VERDICT_NAMES

    ends = values.endings
    frame = pd.DataFrame(
        {
            "round": ends.round,
            "verdict": [VERDICT_NAMES[verdict] for verdict in ends.verdict],
            "chance": ends.probability,
        }
    )
    # Groups come in the order of their keys.
    return cast("pd.DataFrame", frame.groupby(["round", "verdict"], as_index=False).sum())


def endings_figure(values: ExactValues, *, theme: Theme = "light") -> Figure:
    """When episodes end, and with what: stacked bars by round."""
    import plotly.graph_objects as go

    page, data = PAGE[theme], endings_data(values)
    figure = go.Figure()
    # A pattern lies over its bar's own colour; by default it would take that colour's place.
    on_top = {"fillmode": "overlay", "solidity": 0.25}
    looks = {
        "accept": {"color": page.text},
        "reject": {"color": page.quiet, "pattern": {"shape": "/", "fgcolor": page.paper, **on_top}},
        "none": {"color": page.lane, "pattern": {"shape": ".", "fgcolor": page.text, **on_top}},
    }
    rounds = values.spec.max_message_rounds
    block = -(-rounds // MOST_ROUNDS)  # rounds that share a bar
    outline = 1 if rounds <= MOST_OUTLINED else 0
    for verdict, look in looks.items():
        mine = rows_where(data, "verdict", verdict)
        blocks: Counter[int] = Counter()
        for round_id, chance in zip(column(mine, "round"), column(mine, "chance"), strict=True):
            blocks[round_id // block] += chance
        firsts = [shown_round(number * block) for number in blocks]
        lasts = [min(first + block - 1, rounds) for first in firsts]
        figure.add_bar(
            x=[(first + last) / 2 for first, last in zip(firsts, lasts, strict=True)],
            y=list(blocks.values()),
            width=0.8 * block,
            name=verdict if verdict != "none" else "no verdict",
            marker={**look, "line": {"color": page.text, "width": outline}},
            customdata=[
                f"round {first}" if block == 1 else f"rounds {first} to {last}"
                for first, last in zip(firsts, lasts, strict=True)
            ],
            hovertemplate=f"%{{customdata}}, {verdict}: %{{y:.3%}}<extra></extra>",
        )
    _lay_out_one(figure, theme, height=320, legend_at=1.12)
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title="Round", range=[0.4, rounds + 0.6])
    figure.update_yaxes(title="Chance", tickformat=PERCENT, rangemode="tozero")
    return figure


def sweep_figure(
    spec: ProtocolSpec, points: pd.DataFrame, title: str, now: float, *, theme: Theme = "light"
) -> Figure:
    """A line with a band for each seat: the mean, from a low to a high quantile of the reward."""
    import plotly.graph_objects as go

    page, styles = PAGE[theme], agent_styles(spec)
    figure = go.Figure()
    for number, (seat, mine) in enumerate(points.groupby("seat", sort=False)):
        look = styles[str(seat)]
        colour, dash = look.fill(theme), ("solid", "dash", "dot", "dashdot")[number % 4]
        x = column(mine, "value")
        figure.add_scatter(
            x=[*x, *reversed(x)],
            y=[*column(mine, "high"), *reversed(column(mine, "low"))],
            fill="toself",
            mode="none",
            fillcolor=_faint(colour),
            hoverinfo="skip",
            showlegend=False,
        )
        figure.add_scatter(
            x=x,
            y=column(mine, "mean"),
            mode="lines",
            line={"color": colour, "width": 2.5, "dash": dash},
            name=f"{look.label} {plain(look.name)}",
            hovertemplate="%{x:.4g}: %{y:.4g}",
        )
    figure.add_vline(x=now, line={"color": page.accent, "dash": "dash"})
    _lay_out_one(figure, theme, height=360)
    figure.update_xaxes(title=plain(title))
    figure.update_yaxes(title="Reward", gridcolor=mixed(page.line, page.paper, 0.4), showgrid=True)
    return figure


def _lay_out_one(figure: Figure, theme: Theme, *, height: int, legend_at: float = 1.14) -> None:
    """The layout of a figure with one panel, its legend above it."""
    lay_out(
        figure,
        theme,
        showlegend=True,
        legend={"orientation": "h", "y": legend_at},
        height=height,
        margin={"l": 56, "r": 12, "t": 20, "b": 46},
    )


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.12)"


def convergence_figure(
    spec: ProtocolSpec, steps: pd.DataFrame, exact: dict[str, float], *, theme: Theme = "light"
) -> Figure:
    """How a sample's means come near to the truth as it grows.

    Parameters
    ----------
    spec : ProtocolSpec
    steps : DataFrame
        ``seat``, ``episodes``, ``mean``, ``low``, ``high``.
    exact : dict of str to float
        The true means.
    theme : {"light", "dark"}
    """
    import plotly.graph_objects as go

    styles = agent_styles(spec)
    figure = go.Figure()
    for seat in dict.fromkeys(column(steps, "seat")):
        mine, colour = rows_where(steps, "seat", seat), styles[seat].fill(theme)
        means = column(mine, "mean")
        figure.add_scatter(
            x=column(mine, "episodes"),
            y=means,
            error_y={
                "type": "data",
                "array": _differences(column(mine, "high"), means),
                "arrayminus": _differences(means, column(mine, "low")),
                "color": colour,
            },
            mode="lines+markers",
            line={"color": colour},
            name=f"{styles[seat].label} {plain(styles[seat].name)}",
        )
        figure.add_hline(y=exact[seat], line={"color": colour, "dash": "dash", "width": 1.5})
    _lay_out_one(figure, theme, height=340)
    figure.update_xaxes(title="Episodes", type="log")
    figure.update_yaxes(title="Mean reward")
    return figure


def _differences(high: list[float], low: list[float]) -> list[float]:
    return [top - bottom for top, bottom in zip(high, low, strict=True)]


def __dir__() -> list[str]:
    return __all__
