"""Live experiments of lessons: from settings, compute a figure and its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from explorer.pictures import PAGE, Theme, lay_out, on, plain
from nip_core.displays import Table, Tabular, brief, displayed, line

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure


Value = bool | int | float | str
Settings = Mapping[str, Value]
Row = Mapping[str, Any]


def percent(chance: float, places: int = 1) -> str:
    """Return a probability in percent; only an exact 0 or 1 is shown as 0% or 100%.

    Examples
    --------
    >>> percent(0.125), percent(0), percent(1e-9), percent(1 - 1e-9, 2)
    ('12.5%', '0%', 'less than 0.1%', 'more than 99.99%')
    """
    least = 10**-places
    if 0 < 100 * chance < least / 2:
        return f"less than {least:g}%"
    if 100 - least / 2 < 100 * chance < 100:
        return f"more than {100 - least:g}%"
    return f"{chance:.0%}" if chance in (0, 1) else f"{chance:.{places}%}"


@displayed
@dataclass(frozen=True, slots=True)
class Knob:
    """A setting that a reader may change."""

    name: str  # in a lesson's file and in the address
    label: str  # its name for people
    default: Value
    # The limits and the step of a number.
    low: float | None = None
    high: float | None = None
    step: float | None = None
    choices: tuple[str, ...] | None = None  # the possible words
    help: str = ""

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.choices is not None:
            return f"one of {', '.join(self.choices)}"
        if isinstance(self.default, bool):
            return "true or false"
        if self.low is None or self.high is None:
            return "a number"
        number = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{number} from {self.low:g} to {self.high:g}"

    def takes(self, value: object) -> bool:
        """Return whether a value is allowed."""
        if self.choices is not None:
            return value in self.choices
        if isinstance(self.default, bool) or isinstance(value, bool):
            return isinstance(value, bool) and isinstance(self.default, bool)
        if not isinstance(value, int if isinstance(self.default, int) else (int, float)):
            return False
        low = -math.inf if self.low is None else self.low
        return low <= value <= (math.inf if self.high is None else self.high)


@dataclass(frozen=True, slots=True)
class ExperimentResult(Tabular):
    """The result of an experiment for some settings."""

    sentence: str  # the result in one sentence, with its numbers
    rows: Sequence[Row]  # the data of the figure, also shown as a table below it
    numbers: Mapping[str, float]  # the named results, which tests compare with theory
    # The columns of the figure's two axes, and of the series' names.
    x: str
    y: str
    by: str
    # A line for each series; or bars with their numbers, grouped or stacked.
    form: Literal["lines", "bars", "stacked"] = "lines"
    percent: bool = True  # whether `y` is a probability

    def __repr__(self) -> str:
        return line(self, brief(self.sentence, 120))

    def _repr_html_(self) -> str:
        return self.table().html(self.sentence)

    def table(self) -> Table:
        """Return the figure's data."""
        return Table(tuple(self.rows[0]), [tuple(row.values()) for row in self.rows])

    @property
    def data(self) -> pd.DataFrame:
        """The figure's data as a data frame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))

    def figure(self, theme: Theme) -> Figure:
        """Return the figure, in which patterns, dashes or symbols repeat what colours say."""
        from plotly.graph_objects import Figure

        figure = Figure()
        names = dict.fromkeys(row[self.by] for row in self.rows)
        for number, name in enumerate(names):
            rows = [row for row in self.rows if row[self.by] == name]
            draw = self._line if self.form == "lines" else self._bars
            figure.add_trace(draw(str(name), rows, theme, number))
        self._lay_out(figure, theme, legend=len(names) > 1)
        return figure

    def _line(self, name: str, rows: list[Row], theme: Theme, number: int) -> Any:
        from plotly.graph_objects import Scatter

        page = PAGE[theme]
        # There are enough styles: no experiment has more than three series.
        colour = (page.accent, page.text, page.quiet)[number]
        dash = ("solid", "dash", "dot")[number]
        symbol = ("circle", "square", "diamond")[number]
        return Scatter(
            x=[row[self.x] for row in rows],
            y=[row[self.y] for row in rows],
            name=plain(name),
            mode="lines+markers" if len(rows) <= 30 else "lines",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"color": colour, "symbol": symbol, "size": 7},
        )

    def _bars(self, name: str, rows: list[Row], theme: Theme, number: int) -> Any:
        from plotly.graph_objects import Bar

        page, stacked = PAGE[theme], self.form == "stacked"
        # Filled, hollow or striped. A number inside a filled bar needs a contrasting colour.
        fill, edge = (page.accent,) * 2 if number == 0 else (page.paper, page.text)
        marker: dict[str, Any] = {"color": fill, "line": {"color": edge, "width": 1.5}}
        if number == 2:
            stripes = {"shape": "/", "fgcolor": page.quiet, "bgcolor": page.paper, "solidity": 0.2}
            marker["pattern"] = stripes
        values = [float(row[self.y]) for row in rows]
        return Bar(
            x=[_wrapped(str(row[self.x])) for row in rows],
            y=values,
            name=plain(name),
            # A low bar in a stack has no room for its number.
            text=["" if stacked and value < 0.08 else self._shown(value) for value in values],
            textposition="inside" if stacked else "outside",
            textangle=0,
            insidetextanchor="middle",
            cliponaxis=False,
            marker=marker,
            textfont={"color": on(fill) if stacked else page.text},
        )

    def _shown(self, value: float) -> str:
        return f"{value:.1%}" if self.percent else f"{value:.3g}"

    def _lay_out(self, figure: Figure, theme: Theme, *, legend: bool) -> None:
        page = PAGE[theme]
        lay_out(
            figure,
            theme,
            height=340,
            margin={"l": 64, "r": 16, "t": 16, "b": 56},
            showlegend=legend,
            legend={"orientation": "h", "y": 1.04, "yanchor": "bottom", "x": 0},
        )
        if self.form != "lines":
            figure.update_layout(barmode="stack" if self.form == "stacked" else "group")
        axis: dict[str, Any] = {"showline": True, "linecolor": page.line, "automargin": True}
        figure.update_xaxes(title=plain(self.x), tickangle=0, **axis)
        figure.update_yaxes(
            title=plain(self.y), showgrid=True, gridcolor=page.lane, zerolinecolor=page.line, **axis
        )
        if self.percent:
            ticks = [0, 0.25, 0.5, 0.75, 1]
            figure.update_yaxes(tickformat=".0%", range=[-0.02, 1.1], tickvals=ticks)
        else:
            heights = [0.0, *(float(row[self.y]) for row in self.rows)]
            room = 0.15 * (max(heights) - min(heights) or 1)
            low = min(heights) - room if min(heights) < 0 else 0
            figure.update_yaxes(range=[low, max(heights) + room], zeroline=True)


def _wrapped(text: str) -> str:
    """Return a label in short lines, so that it stays level on a phone."""
    return "<br>".join(plain(line) for line in wrap(text, 9))


@displayed
@dataclass(frozen=True, slots=True)
class Experiment:
    """A live experiment."""

    title: str
    knobs: tuple[Knob, ...]
    # Returns the result for all settings, given by name. It is pure: randomness comes from a
    # setting named `seed`.
    run: Callable[[Settings], ExperimentResult]
