"""How episodes end and what they paid, as arrays; distributions made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.spec import shown_round

__all__ = ["SAME", "Distribution", "Endings", "merged"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]

# Rewards that differ by less than this share of the largest are the same sum in another order.
SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Distribution(Tabular):
    """A distribution of rewards: single values, and (for similarities) masses of small intervals.

    Parameters
    ----------
    values, probabilities : array
        Single values, in order, and their chances.
    edges, masses : array
        The bounds of intervals, and the chance of each; empty where all values are single.
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
        """Single values, then intervals."""
        single = zip(
            *(each.tolist() for each in (self.values, self.values, self.probabilities)), strict=True
        )
        spread = zip(
            *(each.tolist() for each in (self.edges[:-1], self.edges[1:], self.masses)), strict=True
        )
        return Table(("from", "to", "chance"), [*single, *spread])


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
        Each agent's episode reward, without anything for similarity.
    going_on : array, ``[ending, agent]``
        The part of it that was paid for going on.
    """

    probability: Floats
    variant: Ints
    label: Ints
    stance: Ints
    round: Ints
    verdict: Ints
    totals: Floats
    going_on: Floats

    def __repr__(self) -> str:
        return line(self, f"{len(self.probability):,} ways to end")

    def table(self) -> Table:
        """A row for each way; what agents are paid is numbered like them."""
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
    """Single values in order, those that differ by rounding only taken together."""
    order = np.argsort(values, kind="stable")
    values, chances = values[order], chances[order]
    scale = float(np.abs(values).max())
    first = np.flatnonzero(np.diff(values, prepend=-np.inf) > SAME * scale)
    return values[first], np.add.reduceat(chances, first)
