"""Distributions of what a seat is paid, or of how long an episode takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line

__all__ = ["ROUNDING", "Distribution", "merged"]

Floats = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[Any]

# Probabilities are rounded at every multiplication. The error of a sum of rewards weighted by them
# is less than this share of the sum of absolute values.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Distribution(Tabular):
    """A distribution of rewards: single values, and (for similarity) masses of small intervals.

    Parameters
    ----------
    values, probabilities : array
        Single values, in order, and their probabilities: floats, or fractions where nothing was
        rounded.
    edges, masses : array
        The bounds of intervals, and the probability of each; empty if all values are single.
    error : float
        A bound on the error of each mass.
    """

    values: Numbers
    probabilities: Numbers
    edges: Floats = field(default_factory=lambda: np.empty(0))
    masses: Floats = field(default_factory=lambda: np.empty(0))
    error: float = 0.0

    @classmethod
    def of(cls, chances: Iterable[tuple[Any, Any]]) -> Distribution:
        """Return the distribution of single values, given with their probabilities in any order."""
        together: dict[Any, Any] = {}
        for value, chance in chances:
            together[value] = together.get(value, 0) + chance
        values = sorted(value for value, chance in together.items() if chance)
        return cls(_array(values), _array([together[value] for value in values]))

    def __repr__(self) -> str:
        intervals = [f"{len(self.masses):,} intervals"] if len(self.masses) else []
        return line(self, f"{len(self.values):,} single values", *intervals)

    def table(self) -> Table:
        """Return a table of single values, then of intervals."""
        values, chances = (
            each.astype(float).tolist() for each in (self.values, self.probabilities)
        )
        single = zip(values, values, chances, strict=True)
        spread = zip(
            *(each.tolist() for each in (self.edges[:-1], self.edges[1:], self.masses)), strict=True
        )
        return Table(("from", "to", "chance"), [*single, *spread])

    @property
    def mean(self) -> Any:
        """The mean: a fraction where nothing was rounded. Within intervals, their middle counts."""
        middles = (self.edges[:-1] + self.edges[1:]) / 2
        return sum(self.values * self.probabilities) + sum(middles * self.masses)

    @property
    def variance(self) -> Any:
        """The variance, in the same way."""
        middles, mean = (self.edges[:-1] + self.edges[1:]) / 2, self.mean
        single = sum((self.values - mean) ** 2 * self.probabilities)
        return single + sum((middles - float(mean)) ** 2 * self.masses)

    def quantile(self, share: float) -> float:
        """Return the least reward that is not exceeded with this probability or more.

        Within an interval, the probability is assumed to be spread evenly.
        """
        values, chances = self.values.astype(float), self.probabilities.astype(float)
        places = np.unique(np.append(values, self.edges))
        atoms = np.zeros(len(places))
        np.add.at(atoms, np.searchsorted(places, values), chances)
        sums = np.append(0.0, np.cumsum(self.masses))
        spread = np.interp(places, self.edges, sums) if len(self.masses) else 0.0 * atoms
        reached = np.cumsum(atoms) + spread
        wanted = share * reached[-1] - ROUNDING
        place = int(np.argmax(reached >= wanted))
        before = float(reached[place - 1]) if place else 0.0
        rising = float(reached[place] - atoms[place]) - before
        if not place or before + rising < wanted or rising <= 0:
            return float(places[place])
        low, high = places[place - 1 : place + 1].tolist()
        return low + (high - low) * min(1.0, max(0.0, (wanted - before) / rising))


def _array(numbers: list[Any]) -> Numbers:
    """Return fractions as they are, and everything else as floats."""
    if numbers and all(isinstance(number, (Fraction, int)) for number in numbers):
        array = np.empty(len(numbers), dtype=object)
        array[:] = [Fraction(number) for number in numbers]
        return array
    return np.array(numbers, dtype=float)


def merged(values: Floats, chances: Floats) -> tuple[Floats, Floats]:
    """Return the different values in order, and the probability of each.

    Only identical numbers are merged: rewards are exact sums, rounded once.
    """
    different, places = np.unique(values, return_inverse=True)
    together = np.zeros(len(different))
    np.add.at(together, places, chances)
    return different, together
