"""The two kinds of chart that experiments draw; what colour tells, a pattern tells too."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import pandas as pd

from explorer.pictures import PAGE, Theme, lay_out, on, plain, records

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["bar_chart", "line_chart"]

# No experiment has more than three series.
_DASHES = ("solid", "dash", "dot")
_SYMBOLS = ("circle", "square", "diamond")
# A stacked bar that is lower than this share has no room for its number.
_LOWEST = 0.08


def line_chart(
    frame: pd.DataFrame,
    theme: Theme,
    *,
    x: str,
    y: str,
    by: str,
    percent: bool = True,
) -> Figure:
    """Draw a line for each series.

    Parameters
    ----------
    frame : DataFrame
        One row a point.
    theme : {"light", "dark"}
    x, y, by : str
        The columns of the two axes, and of the series' names.
    percent : bool
        Is `y` a chance?
    """
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    page = PAGE[theme]
    for number, (name, rows) in enumerate(frame.groupby(by, sort=False)):
        colour = (page.accent, page.text, page.quiet)[number]
        figure.add_trace(
            Scatter(
                x=rows[x].tolist(),
                y=rows[y].tolist(),
                name=plain(str(name)),
                mode="lines+markers" if len(rows) <= 30 else "lines",
                line={"color": colour, "dash": _DASHES[number], "width": 2},
                marker={"color": colour, "symbol": _SYMBOLS[number], "size": 7},
            )
        )
    _finish(figure, theme, x, y, percent=percent, legend=_is_several(frame, by))
    return figure


def bar_chart(
    frame: pd.DataFrame,
    theme: Theme,
    *,
    x: str,
    y: str,
    by: str,
    percent: bool = True,
    stacked: bool = False,
) -> Figure:
    """Draw bars in groups, or on top of each other, each with its number.

    Parameters
    ----------
    frame : DataFrame
        One row a bar.
    theme : {"light", "dark"}
    x, y, by : str
        The columns of the groups, the heights and the series' names.
    percent : bool
        Is `y` a chance?
    stacked : bool
    """
    from plotly.graph_objects import Bar, Figure

    figure = Figure()
    for number, (name, rows) in enumerate(frame.groupby(by, sort=False)):
        bars = records(rows)
        values = [float(bar[y]) for bar in bars]
        figure.add_trace(
            Bar(
                x=[_wrapped(str(bar[x])) for bar in bars],
                y=values,
                name=plain(str(name)),
                text=["" if stacked and v < _LOWEST else _shown(v, percent) for v in values],
                textposition="inside" if stacked else "outside",
                textangle=0,
                insidetextanchor="middle",
                cliponaxis=False,
                **_bar_look(theme, number, stacked=stacked),
            )
        )
    _finish(figure, theme, x, y, percent=percent, legend=_is_several(frame, by))
    figure.update_layout(barmode="stack" if stacked else "group")
    if not percent:
        heights = [0.0, *(float(row[y]) for row in records(frame))]
        room = 0.15 * (max(heights) - min(heights) or 1)
        low = min(heights) - room if min(heights) < 0 else 0
        figure.update_yaxes(range=[low, max(heights) + room], zeroline=True)
    return figure


def _is_several(frame: pd.DataFrame, by: str) -> bool:
    return len({row[by] for row in records(frame)}) > 1


def _shown(value: float, percent: bool) -> str:
    return f"{value:.1%}" if percent else f"{value:.3g}"


def _wrapped(text: str) -> str:
    """A label in short lines, so that it stays level on a phone."""
    return "<br>".join(plain(line) for line in wrap(text, 9))


def _bar_look(theme: Theme, number: int, *, stacked: bool) -> dict[str, Any]:
    """Filled, hollow or striped; a number inside of a filled bar needs the ink of its colour."""
    page = PAGE[theme]
    edge = {"color": page.accent if number == 0 else page.text, "width": 1.5}
    stripes = {"shape": "/", "fgcolor": page.quiet, "bgcolor": page.paper, "solidity": 0.2}
    fill = page.accent if number == 0 else page.paper
    ink = on(fill) if stacked else page.text
    return {
        "marker": {
            "color": fill,
            "line": edge,
            **({"pattern": stripes} if number == 2 else {}),
        },
        "textfont": {"color": ink},
    }


def _finish(figure: Figure, theme: Theme, x: str, y: str, *, percent: bool, legend: bool) -> None:
    page = PAGE[theme]
    lay_out(
        figure,
        theme,
        height=340,
        margin={"l": 64, "r": 16, "t": 16, "b": 56},
        showlegend=legend,
        legend={"orientation": "h", "y": 1.04, "yanchor": "bottom", "x": 0},
    )
    axis: dict[str, Any] = {"showline": True, "linecolor": page.line, "automargin": True}
    figure.update_xaxes(title=plain(x), tickangle=0, **axis)
    figure.update_yaxes(
        title=plain(y), showgrid=True, gridcolor=page.lane, zerolinecolor=page.line, **axis
    )
    if percent:
        figure.update_yaxes(tickformat=".0%", range=[-0.02, 1.1], tickvals=[0, 0.25, 0.5, 0.75, 1])
