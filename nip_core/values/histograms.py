"""How rewards are counted: as one of few values, or in bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.errors import UnsupportedError
from nip_core.values.distributions import ROUNDING
from nip_core.values.exact import exact_values
from nip_core.values.judged import Judged
from nip_core.values.play_models import PlayModel
from nip_core.values.samples import Histogram, binned

__all__ = ["Scale", "histogram", "scales_of"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]

BINS, DEVIATIONS = 400, 8.0
# Episode rewards with more values than this are counted in bins.
MOST_VALUES = 4096


@dataclass(frozen=True, slots=True)
class Scale:
    """How a seat's rewards are counted: as a few values, in bins, or as a chunk suggests."""

    support: Floats
    edges: Floats


def scales_of(game: Judged, model: PlayModel, bounds: Floats) -> list[Scale]:
    """Return each seat's scale, the same for samples of one model, so that they can be merged."""
    nothing = np.empty(0)
    try:
        values = exact_values(game.given, model)
    except UnsupportedError:
        return [Scale(nothing, nothing) for _ in game.agent_names]
    scales: list[Scale] = []
    for agent, (low, high) in zip(game.agent_names, bounds.tolist(), strict=True):
        if values.similarity is None or values.similarity.shares[agent] == 0:
            support = values.distribution(agent).values
            if len(support) <= MOST_VALUES:
                scales.append(Scale(support, nothing))
                continue
        elif low == high:
            scales.append(Scale(np.array([low]), nothing))
            continue
        middle, reach = values.mean(agent), DEVIATIONS * values.variance(agent) ** 0.5
        start, stop = max(low, middle - reach), min(high, middle + reach)
        inner = [start + (stop - start) * place / (BINS - 2) for place in range(BINS - 1)]
        edges = np.unique(np.array([low, *inner, high]))
        scales.append(Scale(nothing, edges))
    return scales


def histogram(totals: Floats, before: Histogram | None, scale: Scale) -> Histogram:
    """Count totals: as single values if there are few, else in bins."""
    edges = scale.edges if before is None else before.edges
    if not len(edges):
        joined = _joined(totals, scale.support)
        if joined is not None:
            return joined
        values, counts = np.unique(totals, return_counts=True)
        few = len(scale.support) or len(values) <= min(MOST_VALUES, len(totals) / 2)
        if before is not None or few:
            return Histogram(values, counts, edges)
        low, high = float(totals.min()), float(totals.max())
        edges: Floats = np.linspace(low - (high - low) / 4, high + (high - low) / 4, BINS + 1)
    return binned(totals, np.ones(len(totals), dtype=np.int64), edges)


def _joined(totals: Floats, support: Floats) -> Histogram | None:
    """Count totals as the exact distribution's values, if they differ only by rounding.

    A total is rounded at every step, so it counts as the nearest value.
    """
    if not len(support):
        return None
    middles = (support[1:] + support[:-1]) / 2
    places = np.searchsorted(middles, totals)
    slack = ROUNDING * np.abs(support).max()
    if (np.abs(totals - support[places]) > slack).any():
        return None
    counts = np.bincount(places, minlength=len(support))
    return Histogram(support[counts > 0], counts[counts > 0], np.empty(0))
