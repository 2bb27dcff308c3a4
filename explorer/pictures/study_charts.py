"""Charts of studies: dots with intervals, calibration, rounds, and cost.

The tables come from :mod:`explorer.studies`; a row is a number of a group of episodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.pictures.chart_style import PAGE, lay_out, mixed, plain
from explorer.pictures.tables import column, rows_where
from explorer.pictures.tokens import Theme

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

__all__ = [
    "MOST_SERIES",
    "calibration_figure",
    "cost_figure",
    "dots_figure",
    "rounds_figure",
    "steps_figure",
]

ROW = 34  # pixels for a group
MOST_LETTERS = 34
MANY = 1_000
# The symbol of each series, since series have no colours; every other one is pale and open.
SYMBOLS = (
    *("circle", "diamond-open", "square", "triangle-up-open"),
    *("x", "star-open", "triangle-down", "circle-open"),
)
DASHES = "solid", "dash", "dot", "dashdot"
# With more series than these, two would look the same.
MOST_SERIES = len(SYMBOLS)


def dots_figure(
    found: pd.DataFrame,
    title: str,
    *,
    rate: bool,
    chance: float | None = None,
    theme: Theme = "light",
) -> Figure:
    """Return a dot with its interval for each group, the groups below each other.

    `found` has ``study``, ``group``, ``value``, ``low``, ``high``, ``episodes`` and ``problems``.
    `title` says what is measured, and `rate` whether it is a share. A line marks `chance`, the
    result of guessing.
    """
    import plotly.graph_objects as go

    page = PAGE[theme]
    figure = go.Figure()
    groups = list(dict.fromkeys(column(found, "group")))
    places = {group: -place for place, group in enumerate(groups)}
    studies = list(dict.fromkeys(column(found, "study")))
    most = max((abs(each) for each in column(found, "value") if not _missing(each)), default=0.0)
    # Numbers of more than three digits are whole: 1,540 and not 1.54e3.
    figures = ".0%" if rate else ",.0f" if most >= MANY else ".3~g"
    for number, study in enumerate(studies):
        mine = rows_where(found, "study", study)
        x, low, high = (column(mine, name) for name in ("value", "low", "high"))
        offset = 0.16 * (number - (len(studies) - 1) / 2)
        counts = zip(column(mine, "episodes"), column(mine, "problems"), strict=True)
        figure.add_scatter(
            x=x,
            y=[places[group] - offset for group in column(mine, "group")],
            error_x=_whiskers(x, low, high, page.text, 1.5),
            mode="markers",
            marker={
                "color": page.text if number == 0 else page.paper,
                "size": 11,
                "line": {"color": page.text, "width": 2},
            },
            name=plain(study),
            customdata=[
                [group, study, f"{episodes:,} episodes about {problems:,} problems"]
                for group, (episodes, problems) in zip(column(mine, "group"), counts, strict=True)
            ],
            hovertemplate=f"%{{customdata[0]}}<br>%{{x:{figures}}}<br>%{{customdata[2]}}"
            "<extra></extra>",
        )
    if chance is not None:
        figure.add_vline(x=chance, line={"color": page.quiet, "dash": "dot", "width": 1})
    lay_out(
        figure,
        theme,
        height=ROW * len(groups) + 84,
        margin={"l": 8, "r": 16, "t": 30 if len(studies) > 1 else 10, "b": 48},
        showlegend=len(studies) > 1,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        clickmode="event+select",
    )
    figure.update_xaxes(
        title=plain(title),
        tickformat=figures,
        showgrid=True,
        gridcolor=mixed(page.line, page.paper, 0.4),
        range=[-0.02, 1.02] if rate else None,
    )
    figure.update_yaxes(
        tickvals=list(places.values()),
        ticktext=[plain(_short(group)) for group in groups],
        automargin=True,
        range=[-len(groups) + 0.4, 0.6],
    )
    return figure


def calibration_figure(bins: pd.DataFrame, *, theme: Theme = "light") -> Figure:
    """Draw how high probabilities were that judges gave, and how often it was so.

    `bins` has ``group``, ``noted``, ``held``, ``low``, ``high`` and ``episodes``.
    """
    titles = "Probability given, on average", "How often the statement held"
    figure = _series(bins, ("noted", "held"), theme, 420, titles, diagonal=True)
    return figure.update_xaxes(tickformat=".0%", range=[-0.02, 1.02])


def rounds_figure(found: pd.DataFrame, *, theme: Theme = "light") -> Figure:
    """Return how often verdicts were right, by the number of rounds.

    `found` has ``group``, ``rounds``, ``value``, ``low``, ``high`` and ``episodes``.
    """
    figure = _series(found, ("rounds", "value"), theme, 380, ("Rounds played", "Right"))
    return figure.update_xaxes(dtick=1)


def cost_figure(found: pd.DataFrame, title: str, *, theme: Theme = "light") -> Figure:
    """Return how often verdicts were right, against a cost of an episode, named by `title`.

    `found` has ``group``, ``cost``, ``value``, ``low``, ``high`` and ``episodes``.
    """
    figure = _series(found, ("cost", "value"), theme, 420, (title, "Right"), lines=False)
    return figure.update_xaxes(rangemode="tozero")


def steps_figure(found: pd.DataFrame, *, theme: Theme = "light") -> Figure:
    """Return shares of episodes over the steps of training.

    `found` has ``group``, ``step``, ``value``, ``low``, ``high`` and ``episodes``.
    """
    return _series(found, ("step", "value"), theme, 380, ("Step of training", "Share of episodes"))


def _series(
    found: pd.DataFrame,
    axes: tuple[str, str],
    theme: Theme,
    height: int,
    titles: tuple[str, str],
    *,
    lines: bool = True,
    diagonal: bool = False,
) -> Figure:
    """Return a series of shares for each group, below a legend, and the diagonal if wanted."""
    import plotly.graph_objects as go

    page, figure = PAGE[theme], go.Figure()
    if diagonal:
        figure.add_scatter(
            x=[0, 1],
            y=[0, 1],
            mode="lines",
            line={"color": page.quiet, "dash": "dot", "width": 1},
            hoverinfo="skip",
            showlegend=False,
        )
    for number, group in enumerate(dict.fromkeys(column(found, "group"))):
        mine = rows_where(found, "group", group)
        x, y = (column(mine, name) for name in axes)
        colour = page.text if number % 2 == 0 else page.quiet
        figure.add_scatter(
            x=x,
            y=y,
            error_y=_whiskers(y, column(mine, "low"), column(mine, "high"), page.quiet, 1),
            mode="lines+markers" if lines else "markers",
            line={"color": colour, "width": 1.5, "dash": DASHES[number // 2 % len(DASHES)]},
            marker={"color": colour, "symbol": SYMBOLS[number % len(SYMBOLS)], "size": 10},
            name=plain(_short(str(group))),
            customdata=[[str(group), f"{n:,} episodes"] for n in column(mine, "episodes")],
            hovertemplate="%{customdata[0]}<br>%{y:.0%}<br>%{customdata[1]}<extra></extra>",
        )
    groups = len(figure.data)  # pyright: ignore[reportArgumentType, reportUnknownArgumentType]
    # The legend is above the figure, where it may take a line for each group on a phone.
    above = 14 + 22 * groups
    lay_out(
        figure,
        theme,
        height=height + above,
        margin={"l": 60, "r": 16, "t": above, "b": 56},
        showlegend=True,
        legend={"orientation": "v", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    grid: dict[str, Any] = {"showgrid": True, "gridcolor": mixed(page.line, page.paper, 0.4)}
    figure.update_xaxes(title=titles[0], **grid)
    return figure.update_yaxes(title=titles[1], tickformat=".0%", range=[-0.04, 1.04], **grid)


def _whiskers(
    values: list[Any], low: list[Any], high: list[Any], colour: str, thickness: float
) -> dict[str, Any]:
    """Return the intervals around some values."""
    return {
        "type": "data",
        "symmetric": False,
        "array": _apart(high, values),
        "arrayminus": _apart(values, low),
        "color": colour,
        "thickness": thickness,
        "width": 0,
    }


def _apart(high: list[Any], low: list[Any]) -> list[float]:
    """Return the differences of interval ends; 0 if there is no interval."""
    return [
        0.0 if _missing(top) or _missing(bottom) else float(top) - float(bottom)
        for top, bottom in zip(high, low, strict=True)
    ]


def _missing(value: Any) -> bool:
    return value is None or value != value


def _short(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


def __dir__() -> list[str]:
    return __all__
