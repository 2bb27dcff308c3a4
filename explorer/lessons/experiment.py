"""Live experiments of lessons: from settings, compute a figure and its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from nip_core.displays import Table, Tabular, brief, displayed, line

if TYPE_CHECKING:
    import pandas as pd

    from explorer.pictures import Chart


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

    def chart(self, title: str) -> Chart:
        """Return the figure, in which dashes and fillings repeat what colours say."""
        from explorer.pictures import draw_series

        rows = [(row[self.x], str(row[self.by]), float(row[self.y])) for row in self.rows]
        axes = (self.x, self.y)
        return draw_series(title, self.sentence, rows, axes, form=self.form, percent=self.percent)


@displayed
@dataclass(frozen=True, slots=True)
class Experiment:
    """A live experiment."""

    title: str
    knobs: tuple[Knob, ...]
    # Returns the result for all settings, given by name. It is pure: randomness comes from a
    # setting named `seed`.
    run: Callable[[Settings], ExperimentResult]
