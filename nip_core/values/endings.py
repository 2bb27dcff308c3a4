"""How episodes end and what they paid, as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.spec import shown_round
from nip_core.values.distributions import ROUNDING

__all__ = ["Endings", "magnitude", "mean_of", "settled", "variance_of"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]


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
