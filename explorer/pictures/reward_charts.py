"""Charts of rewards: distributions, ends of episodes, sweeps, and a growing sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite, log10
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from explorer.pictures.chart_style import (
    MID_POINT,
    PAGE,
    Bar,
    bars_of,
    common_axes,
    lay_out,
    marks_of,
    plain,
    recorded_shares,
    sampled_shares,
)
from explorer.pictures.drawing import Box
from explorer.pictures.plot import Axis, Chart, Mark, Plot, around, sign, two_decimals
from explorer.pictures.signs import seat_colours
from explorer.pictures.tables import column, rows_where
from explorer.pictures.tokens import Theme, seat_styles
from nip_core.displays import capitalized
from nip_core.spec import shown_round

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from nip_core.language import Specification
    from nip_core.values import ExactValues, MidPoint, Sample

__all__ = [
    "distribution_data",
    "distribution_figure",
    "draw_endings",
    "draw_sample",
    "draw_sweep",
    "endings_data",
]

PERCENT = ".3~p"  # decimals of a share
ROW = 165  # pixels for each seat
# Up to this many rounds have a bar each; more share bars.
MOST_ROUNDS = 120
MOST_LABELLED = 8  # the most bars that are labelled with their probability
# More bars than these have no outlines, which would dominate.
MOST_OUTLINED = 40
WORDS = {"accept": "accepted", "reject": "rejected", "none": "no verdict"}


def distribution_data(values: ExactValues) -> pd.DataFrame:
    """Return the exact distribution of each seat's episode reward.

    ``reward`` is a single value or the middle of an interval, ``from`` and ``to`` are the
    interval's ends (the value itself twice), and ``chance`` is its probability.
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
    """Return a panel for each seat: exact bars, mid-point, mean, sampled and recorded shares.

    A sample is drawn as points, with Wilson's intervals where rewards are single values. `recorded`
    has ``seat`` and ``reward`` of recorded episodes. The figure's ``layout.meta["shared"]`` says
    whether a bar stands for several single rewards.
    """
    from plotly import subplots

    spec, page = values.spec, PAGE[theme]
    seats, styles = spec.agent_names, seat_styles(spec)
    laws = {seat: values.distribution(seat) for seat in seats}
    rewards = {seat: _rewards(recorded, seat) for seat in seats}
    marks = {seat: marks_of(values, mid_points, seat) for seat in seats}
    axes = common_axes(laws, marks, sample, rewards)
    drawn = {seat: bars_of(laws[seat], axes[seat]) for seat in seats}
    # Leaves room for numbers above the tallest bar.
    most = 1.3 * max(bar.chance for bars in drawn.values() for bar in bars)
    figure = subplots.make_subplots(
        rows=len(seats),
        cols=1,
        vertical_spacing=0.4 / len(seats),
        subplot_titles=[f"{styles[seat].label}  {plain(styles[seat].name)}" for seat in seats],
    )
    for row, seat in enumerate(seats, start=1):
        look, panel = styles[seat], dict[str, Any](row=row, col=1)
        bars = drawn[seat]
        labelled = len(bars) <= MOST_LABELLED
        figure.add_bar(
            x=[bar.middle for bar in bars],
            y=[bar.chance for bar in bars],
            width=[bar.right - bar.left for bar in bars],
            marker={"color": look.fill(theme), "line": {"width": 0}},
            name="exact",
            text=[f"{bar.chance:.1%}" for bar in bars] if labelled else None,
            textposition="outside" if labelled else "none",
            cliponaxis=False,
            customdata=[_range(bar) for bar in bars],
            hovertemplate="%{customdata}: %{y:.4%}<extra></extra>",
            **panel,
        )
        figure.update_xaxes(range=axes[seat], **panel)
        if sample is not None:
            _add_sample(figure, row, seat, sample, bars, page.text)
        if any(rewards.values()):
            _add_recorded(figure, row, rewards[seat], bars, page.accent)
        for name, x in marks[seat].items():
            dash = "dash" if name == MID_POINT else "solid"
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
    shared = any(len(drawn[seat]) < len(laws[seat].values) for seat in seats)
    figure.update_layout(meta={"shared": shared})
    # A panel's title is at its left, away from the numbers of the panel above.
    figure.update_annotations(x=0, xanchor="left", font={"size": 13})
    return figure


def _rewards(recorded: pd.DataFrame | None, seat: str) -> list[float]:
    """Return a seat's rewards in recorded episodes."""
    if recorded is None or not len(recorded):
        return []
    return column(rows_where(recorded, "seat", seat), "reward")


def _range(bar: Bar) -> str:
    """Return the range of rewards of a bar, in words."""
    return f"{bar.low:.10g}" if bar.low == bar.high else f"{bar.low:.10g} to {bar.high:.10g}"


def _add_sample(
    figure: Figure, row: int, seat: str, sample: Sample, bars: Sequence[Bar], colour: str
) -> None:
    found = sampled_shares(seat, sample, bars)
    is_curve = bool(len(sample.histogram(seat).edges))
    drawn: dict[str, Any] = (
        {"mode": "lines", "line": {"color": colour, "width": 1.5, "dash": "dot"}}
        if is_curve
        else {
            "mode": "markers",
            "marker": {"color": colour, "symbol": "diamond-open", "size": 9, "line": {"width": 2}},
            "error_y": {
                "type": "data",
                "array": [each.high - each.share for each in found],
                "arrayminus": [each.share - each.low for each in found],
                "color": colour,
            },
        }
    )
    figure.add_scatter(
        x=[each.at for each in found],
        y=[each.share for each in found],
        hovertemplate="sampled %{y:.4%}<extra></extra>"
        if is_curve
        else "sampled %{x:.4g}: %{y:.4%}<extra></extra>",
        row=row,
        col=1,
        **drawn,
    )


def _add_recorded(
    figure: Figure, row: int, rewards: list[float], bars: Sequence[Bar], colour: str
) -> None:
    found = recorded_shares(rewards, bars)
    figure.add_scatter(
        x=[each.at for each in found],
        y=[each.share for each in found],
        mode="markers",
        marker={"color": colour, "symbol": "x", "size": 9},
        hovertemplate=f"recorded ({len(rewards)} episodes) %{{x:.4g}}: %{{y:.1%}}<extra></extra>",
        row=row,
        col=1,
    )


def endings_data(values: ExactValues) -> pd.DataFrame:
    """Return the probability of each pair of last round and verdict.

    Rounds count from 0.
    """
    names, ends = [*values.verdicts], values.endings
    frame = pd.DataFrame(
        {
            "round": ends.round,
            "verdict": [names[verdict] for verdict in ends.verdict],
            "chance": ends.probability,
        }
    )
    # groupby yields the groups in the order of their keys.
    return cast("pd.DataFrame", frame.groupby(["round", "verdict"], as_index=False).sum())


def draw_endings(values: ExactValues) -> Chart:
    """Draw when episodes end, and with which verdict, as stacked bars by round."""
    data, rounds = endings_data(values), values.spec.max_message_rounds
    no, yes, none = values.verdicts
    looks = {
        name: (WORDS.get(name) or values.spec.title_of(name), colour)
        for name, colour in ((yes, "text"), (no, "quiet"), (none, "paper"))
    }
    block = -(-rounds // MOST_ROUNDS)  # rounds that share a bar
    feet: Counter[int] = Counter()
    bars: list[tuple[str, int, float, float]] = []
    for verdict in looks:
        mine = rows_where(data, "verdict", verdict)
        blocks: Counter[int] = Counter()
        for round_id, chance in zip(column(mine, "round"), column(mine, "chance"), strict=True):
            blocks[round_id // block] += chance
        for number, chance in blocks.items():
            bars.append((verdict, number, feet[number], feet[number] + chance))
            feet[number] += chance
    up = Axis("Chance", 0.0, 1.1 * max(feet.values()), percent=True)
    plot = Plot(Axis("Turn", 0.4, rounds + 0.6, whole=True), up)
    for verdict, number, low, high in bars:
        first = shown_round(number * block)
        middle = (first + min(first + block - 1, rounds)) / 2
        across = middle - 0.4 * block, middle + 0.4 * block
        plot.bar(across, (low, high), looks[verdict][1], outlined=rounds <= MOST_OUTLINED)
    for name, colour in looks.values():
        plot.key((Box(3, -5, 12, 10, colour, "text"),), name)
    shares = "; ".join(
        f"{looks[verdict][0]} {chance:.1%}" for verdict, chance in values.verdicts.items()
    )
    return Chart("When episodes end", capitalized(f"{shares}."), plot.drawing())


def draw_sweep(spec: Specification, points: pd.DataFrame, title: str, now: float) -> Chart:
    """Draw each seat's mean as a line, with thin lines for two quantiles of the reward.

    `points` has ``seat``, ``value`` of the parameter, ``mean``, ``low`` and ``high``; `title` is
    the parameter's, and `now` its present value.
    """
    styles = seat_styles(spec)
    places = column(points, "value")
    low, high = around([*column(points, "low"), *column(points, "high")], zero=False)
    across = Axis(title, min(places), max(places))
    plot = Plot(across, Axis("Reward", low, high), colours=seat_colours(styles.values()))
    if across.low <= now <= across.high:
        plot.rule(now)
        plot.key(sign("line", dashed=True), "now")
    ends: list[str] = []
    for number, seat in enumerate(dict.fromkeys(column(points, "seat"))):
        mine, style = rows_where(points, "seat", seat), styles[seat]
        x = column(mine, "value")
        lines = {name: column(mine, name) for name in ("low", "high", "mean")}
        for name, line in lines.items():
            # Seats can be distinguished without colours too.
            is_thin = name != "mean"
            pairs = list(zip(x, line, strict=True))
            plot.line(pairs, style.label, dashed=number % 2 == 1, thin=is_thin)
        plot.key(sign(style.label, dashed=number % 2 == 1), f"{style.label} {style.name}")
        ends.append(
            f"{style.name}: {two_decimals(lines['mean'][0])} to {two_decimals(lines['mean'][-1])}"
        )
    return Chart(f"Values along {title}", f"{'; '.join(ends)}.", plot.drawing())


def draw_sample(spec: Specification, steps: pd.DataFrame, exact: dict[str, float]) -> Chart:
    """Draw how a sample's means approach the exact means as it grows.

    `steps` has ``seat``, ``episodes``, ``mean``, ``low`` and ``high``.
    """
    styles = seat_styles(spec)
    sizes = [log10(size) for size in column(steps, "episodes")]
    ends = [end for end in (*column(steps, "low"), *column(steps, "high")) if isfinite(end)]
    low, high = around([*ends, *column(steps, "mean"), *exact.values()], zero=False)
    across = Axis("Episodes", min(sizes) - 0.1, max(sizes) + 0.1, powers=True)
    plot = Plot(across, Axis("Mean reward", low, high), colours=seat_colours(styles.values()))
    marks: tuple[Mark, ...] = ("dot", "square", "ring")
    found: list[str] = []
    for number, seat in enumerate(dict.fromkeys(column(steps, "seat"))):
        mine, style = rows_where(steps, "seat", seat), styles[seat]
        mark = marks[number % len(marks)]
        x, means = [log10(size) for size in column(mine, "episodes")], column(mine, "mean")
        both = [(across.low, exact[seat]), (across.high, exact[seat])]
        plot.line(both, style.label, dashed=True, thin=True)
        plot.line(list(zip(x, means, strict=True)), style.label)
        bounds = zip(column(mine, "low"), column(mine, "high"), strict=True)
        for place, mean, (least, most) in zip(x, means, bounds, strict=True):
            if isfinite(least) and isfinite(most):
                plot.interval(place, least, most, style.label)
            plot.mark(place, mean, style.label, mark)
        plot.key(sign(style.label, mark=mark), f"{style.label} {style.name}")
        found.append(f"{style.name}: {means[-1]:.4g}, exactly {exact[seat]:.4g}")
    plot.key(sign("text", dashed=True), "exact mean")
    return Chart("A sample on its way", f"{'; '.join(found)}.", plot.drawing())


def __dir__() -> list[str]:
    return __all__
