"""How episodes end and what they paid, as arrays, and distributions made from these."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.spec import shown_round

__all__ = [
    "ROUNDING",
    "Distribution",
    "Endings",
    "magnitude",
    "mean_of",
    "merged",
    "settled",
    "variance_of",
]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]

# Probabilities are rounded at every multiplication. The error of a sum of rewards weighted by them
# is less than this share of the sum of absolute values.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Distribution(Tabular):
    """A distribution of rewards: single values, and (for similarity) masses of small intervals.

    Parameters
    ----------
    values, probabilities : array
        Single values, in order, and their probabilities.
    edges, masses : array
        The bounds of intervals, and the probability of each; empty if all values are single.
    error : float
        A bound on the error of each mass.
    """

    values: Floats
    probabilities: Floats
    edges: Floats
    masses: Floats
    error: float = 0.0

    def __repr__(self) -> str:
        intervals = [f"{len(self.masses):,} intervals"] if len(self.masses) else []
        return line(self, f"{len(self.values):,} single values", *intervals)

    def table(self) -> Table:
        """Return a table of single values, then of intervals."""
        single = zip(
            *(each.tolist() for each in (self.values, self.values, self.probabilities)), strict=True
        )
        spread = zip(
            *(each.tolist() for each in (self.edges[:-1], self.edges[1:], self.masses)), strict=True
        )
        return Table(("from", "to", "chance"), [*single, *spread])

    def quantile(self, share: float) -> float:
        """Return the least reward that is not exceeded with this probability or more.

        Within an interval, the probability is assumed to be spread evenly.
        """
        places = np.unique(np.append(self.values, self.edges))
        atoms = np.zeros(len(places))
        np.add.at(atoms, np.searchsorted(places, self.values), self.probabilities)
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


@dataclass(frozen=True, eq=False)
class Endings(Tabular):
    """All ways in which the verifier's part can end, as parallel arrays.

    Parameters
    ----------
    probability : array
        Above 0; they add up to 1.
    variant, label, stance, round : array
    verdict : array
        0 reject, 1 accept, 2 none: the rounds ran out.
    totals : array, ``[ending, agent]``
        Each agent's episode reward, without similarity rewards: the float nearest to the exact sum,
        so that equal sums are equal floats.
    going_on, final : array, ``[ending, agent]``
        The parts of the total that were paid for going on, and by the last step.
    """

    probability: Floats
    variant: Ints
    label: Ints
    stance: Ints
    round: Ints
    verdict: Ints
    totals: Floats
    going_on: Floats
    final: Floats

    def __repr__(self) -> str:
        return line(self, f"{len(self.probability):,} ways to end")

    def table(self) -> Table:
        """Return a row for each ending; agents' columns are numbered."""
        agents = range(self.totals.shape[1])
        columns = {
            "chance": self.probability,
            "variant": self.variant,
            "label": self.label,
            "stance": self.stance,
            "round": self.round,
            "verdict": self.verdict,
            **{f"pays {agent}": self.totals[:, agent] for agent in agents},
        }
        rows = list(zip(*(each.tolist() for each in columns.values()), strict=True))
        return Table(tuple(columns), rows, {"round": shown_round})


def merged(values: Floats, chances: Floats) -> tuple[Floats, Floats]:
    """Return the different values in order, and the probability of each.

    Only identical numbers are merged: rewards are exact sums, rounded once.
    """
    different, places = np.unique(values, return_inverse=True)
    together = np.zeros(len(different))
    np.add.at(together, places, chances)
    return different, together


def settled(value: float, parts: Iterable[float]) -> float:
    """Return a sum of parts, or 0 if it is not larger than the rounding of the parts."""
    return 0.0 if abs(value) <= ROUNDING * math.fsum(map(abs, parts)) else value


def mean_of(values: Floats, chances: Floats) -> float:
    """Return the mean of values, 0 if they cancel."""
    parts = (values * chances).tolist()
    return settled(math.fsum(parts), parts)


def magnitude(values: Floats, chances: Floats) -> float:
    """Return the mean of absolute values, to which rounding errors are relative."""
    return math.fsum(np.abs(values * chances).tolist())


def variance_of(values: Floats, chances: Floats) -> float:
    """Return the variance of values, exactly 0 for a single one."""
    away = values - mean_of(values, chances)
    away = np.where(np.abs(away) <= ROUNDING * magnitude(values, chances), 0.0, away)
    return float(chances @ away**2)
