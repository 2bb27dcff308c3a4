"""The results of many sampled episodes, and how often each reward occurred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, brief, line
from nip_core.language import Specification
from nip_core.values.checks import checked, checked_level
from nip_core.values.intervals import betting_mean

__all__ = ["Histogram", "Sample", "binned"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Histogram(Tabular):
    """How often each episode reward occurred.

    Parameters
    ----------
    values : array
        The rewards in order; for a bin, the mean of the rewards in it. Single values are those of
        the exact distribution, if there is one.
    counts : array
    edges : array
        The bounds of the bins; empty if all values are single.
    """

    values: Floats
    counts: Ints
    edges: Floats

    def __repr__(self) -> str:
        kind = "bins" if len(self.edges) else "values"
        return line(self, f"{len(self.values):,} {kind}", f"{int(self.counts.sum()):,} episodes")

    def table(self) -> Table:
        """Return how often each reward occurred."""
        rows = list(zip(self.values.tolist(), self.counts.tolist(), strict=True))
        return Table(("reward", "episodes"), rows)

    def merged(self, other: Histogram) -> Histogram:
        """Return both together in this one's bins; each bin of the other one goes into one bin."""
        if len(self.edges):
            return binned(
                np.append(self.values, other.values),
                np.append(self.counts, other.counts),
                self.edges,
            )
        if len(other.edges):
            return other.merged(self)
        values, places = np.unique(np.append(self.values, other.values), return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places, np.append(self.counts, other.counts))
        return Histogram(values, counts, self.edges)

    def spread(self, least: float, most: float) -> tuple[Floats, Floats]:
        """Return values and counts within bounds; a bin is moved to its ends, keeping its mean."""
        values, counts = np.clip(self.values, least, most), self.counts * np.float64(1)
        if not len(self.edges):
            return values, counts
        edges = np.clip(self.edges, least, most)
        low, high = edges[:-1], edges[1:]
        share = np.divide(values - low, high - low, out=np.zeros_like(low), where=high > low)
        up = counts * np.clip(share, 0.0, 1.0)
        return np.append(low, high), np.append(counts - up, up)


def binned(values: Floats, counts: Ints, edges: Floats) -> Histogram:
    """Return a histogram in bins; the outer bins also count everything beyond them."""
    bins = len(edges) - 1
    places = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, bins - 1)
    found = np.bincount(places, counts, minlength=bins).astype(np.int64)
    sums = np.bincount(places, values * counts, minlength=bins)
    middles = (edges[1:] + edges[:-1]) / 2
    return Histogram(np.where(found, sums / np.maximum(found, 1), middles), found, edges)


# The largest rounding error of a step's reward.
SINGLE = float(np.finfo(np.float32).eps)


@dataclass(frozen=True, eq=False)
class Sample(Tabular):
    """The results of drawn episodes.

    Parameters
    ----------
    spec : Specification
    episodes : int
    verdicts : array, ``[3]``
        How many episodes ended with reject, accept, no verdict.
    right : int
        How many verdicts were right.
    rounds : array, ``[round]``
        How many episodes ended with each round.
    sums : array, ``[agent]``
    histograms : tuple of Histogram
        For each agent, of its episode rewards.
    bounds : array, ``[agent, 2]``
        The least and the most that an episode can pay.
    """

    spec: Specification
    episodes: int
    verdicts: Ints
    right: int
    rounds: Ints
    sums: Floats
    histograms: tuple[Histogram, ...]
    bounds: Floats

    def __repr__(self) -> str:
        means = (f"{agent} {self.mean(agent):.4g}" for agent in self.spec.agent_names)
        return line(self, brief(self.spec.name), f"{self.episodes:,} episodes", *means)

    def table(self) -> Table:
        """Return each seat's mean, with an interval of a level of at least 95%."""
        return Table(
            ("agent", "mean", "from", "to"),
            [(a, self.mean(a), *self.mean_interval(a)) for a in self.spec.agent_names],
        )

    def mean(self, agent: str) -> float:
        """Return a seat's mean episode reward."""
        return float(self.sums[self.spec.agent_index(agent)]) / self.episodes

    def histogram(self, agent: str) -> Histogram:
        """Return how often each reward of a seat occurred."""
        return self.histograms[self.spec.agent_index(agent)]

    @checked(level=checked_level)
    def mean_interval(self, agent: str, level: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval for a seat's mean episode reward.

        It is found by betting (:func:`nip_core.values.betting_mean`) from the least and the most
        that an episode can pay. Infinite if a subclass pays rewards without known bounds.
        """
        found = self.histogram(agent)
        low, high = self.bounds[self.spec.agent_index(agent)].tolist()
        # Steps compute in single precision.
        slack = SINGLE * max(abs(low), abs(high))
        totals = found.values[found.counts > 0]
        if totals.min() < low - slack or totals.max() > high + slack:
            return -np.inf, np.inf
        return betting_mean(*found.spread(low, high), low, high, level)

    def merged(self, other: Sample) -> Sample:
        """Return both samples as one."""
        pairs = zip(self.histograms, other.histograms, strict=True)
        return Sample(
            self.spec,
            self.episodes + other.episodes,
            self.verdicts + other.verdicts,
            self.right + other.right,
            self.rounds + other.rounds,
            self.sums + other.sums,
            tuple(mine.merged(theirs) for mine, theirs in pairs),
            self.bounds,
        )
