"""How far a sample may be from the truth."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.errors import ModelError

__all__ = ["bootstrap_mean", "wilson"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]


def wilson(hits: int, count: int, level: float = 0.95) -> tuple[float, float]:
    r"""Wilson's interval for a rate.

    All rates `p` from which the found rate is at most `z` standard errors away:

    .. math::

        \frac{1}{1 + z^2/n}\Big(\hat p + \frac{z^2}{2n}
        \pm z \sqrt{\frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4n^2}}\Big)

    Parameters
    ----------
    hits, count : int
    level : float
        How often such intervals hold the true rate.
    """
    if not 0 <= hits <= count or not 0 < level < 1:
        raise ModelError(f"{hits} of {count} is no rate, or {level!r} no level between 0 and 1.")
    if count == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate, scale = hits / count, 1 + z * z / count
    middle = (rate + z * z / (2 * count)) / scale
    half = z * math.sqrt(rate * (1 - rate) / count + z * z / (4 * count * count)) / scale
    # With no hit at all the lower end is 0, whatever rounding says; and so at the other end.
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    return low, 1.0 if hits == count else min(1.0, middle + half)


def bootstrap_mean(
    values: Floats, counts: Ints, level: float = 0.95, *, seed: int = 0, resamples: int = 1000
) -> tuple[float, float]:
    """The percentile bootstrap's interval for a mean, from a histogram.

    Drawing a sample of the same size with replacement is drawing the histogram's counts from a
    multinomial distribution, so that this is the usual bootstrap, in memory that does not grow.

    Parameters
    ----------
    values, counts : array
        The histogram.
    level : float
    seed, resamples : int
    """
    total = int(counts.sum())
    if total == 0:
        return -math.inf, math.inf
    drawn = np.random.default_rng(seed).multinomial(total, counts / total, size=resamples)
    means = drawn @ values / total
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
