"""What a live experiment of a lesson is: knobs in, a figure and its numbers out, computed anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.pictures import Theme
from nip_core.displays import Table, Tabular, displayed, line, told

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

__all__ = ["Experiment", "ExperimentResult", "Knob"]

Value = bool | int | float | str


@displayed
@dataclass(frozen=True, slots=True)
class Knob:
    """A setting that a reader may turn.

    Parameters
    ----------
    name, label : str
        Its name in a lesson's file and in the address; its name for people.
    default : bool, int, float or str
    low, high, step : float, optional
        Of a number.
    choices : tuple of str, optional
        Of a word.
    help : str
    """

    name: str
    label: str
    default: Value
    low: float | None = None
    high: float | None = None
    step: float | None = None
    choices: tuple[str, ...] | None = None
    help: str = ""

    @property
    def allowed(self) -> str:
        """Which values it takes, in words."""
        if self.choices is not None:
            return f"one of {', '.join(self.choices)}"
        if isinstance(self.default, bool):
            return "true or false"
        if self.low is None or self.high is None:
            return "a number"
        number = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{number} from {self.low:g} to {self.high:g}"

    def takes(self, value: object) -> bool:
        """May it be set to this value?"""
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
    """What an experiment found under some settings.

    Parameters
    ----------
    sentence : str
        The result in one sentence, with its numbers.
    data : DataFrame
        All that the figure shows; it is also the accessible table below it.
    figure : callable
        Draws the data in a theme.
    numbers : mapping
        The named results, which tests compare with theory.
    """

    sentence: str
    data: pd.DataFrame
    figure: Callable[[Theme], Figure]
    numbers: Mapping[str, float]

    def __repr__(self) -> str:
        return line(self, told(self.sentence, 120))

    def _repr_html_(self) -> str:
        return self.table().html(self.sentence)

    def table(self) -> Table:
        """All that the figure shows."""
        return Table(tuple(map(str, self.data.columns)), list(self.data.itertuples(index=False)))


@displayed
@dataclass(frozen=True, slots=True)
class Experiment:
    """A live experiment.

    Parameters
    ----------
    title : str
    knobs : tuple of Knob
    run : callable
        From the settings by name (all of them) to what is found. Pure: chance comes from a knob
        named ``seed``.
    """

    title: str
    knobs: tuple[Knob, ...]
    run: Callable[[Mapping[str, Value]], ExperimentResult]
