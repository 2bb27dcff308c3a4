"""Confidence intervals for samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from nip_core.errors import ModelError, show
from nip_core.values.checks import (
    checked,
    checked_array,
    checked_level,
    checked_limit,
    checked_whole,
    refuse,
    whole,
)

__all__ = [
    "betting_mean",
    "bootstrap_ends",
    "clustered_error",
    "clustered_wilson",
    "student_quantile",
    "wilson",
    "wilson_at",
]

Floats = npt.NDArray[np.floating[Any]]


@checked(count=whole(0), level=checked_level)
def wilson(hits: int, count: int, level: float = 0.95) -> tuple[float, float]:
    r"""Return Wilson's interval for a rate.

    It contains all rates `p` from which the observed rate is at most `z` standard errors away:

    .. math::

        \frac{1}{1 + z^2/n}\Big(\hat p + \frac{z^2}{2n}
        \pm z \sqrt{\frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4n^2}}\Big)

    Parameters
    ----------
    hits, count : int
    level : float
        The confidence level, on average over rates.
    """
    hits = checked_whole("argument 'hits'", hits, 0, count)
    if count == 0:
        return 0.0, 1.0
    return wilson_at(hits / count, count, NormalDist().inv_cdf((1 + level) / 2))


def wilson_at(rate: float, size: float, z: float) -> tuple[float, float]:
    """Return Wilson's interval for a rate, the effective number of cases, and a quantile."""
    scale = 1 + z * z / size
    middle = (rate + z * z / (2 * size)) / scale
    half = z * math.sqrt(rate * (1 - rate) / size + z * z / (4 * size * size)) / scale
    # Without any hit the lower end is exactly 0, despite rounding; with only hits the upper end is
    # 1.
    low = 0.0 if rate == 0 else max(0.0, middle - half)
    return low, 1.0 if rate == 1 else min(1.0, middle + half)


def clustered_error(values: Sequence[float], groups: Sequence[str]) -> float | None:
    """Return the standard error of a mean of values in groups; None if there is a single group."""
    array = np.asarray(values, dtype=float)
    _, places = np.unique(np.asarray(groups), return_inverse=True)
    sums = np.bincount(places, weights=array)
    size = len(sums)
    if size < 2:
        return None
    apart = sums - np.bincount(places) * array.mean()
    return math.sqrt(size / (size - 1) * float(apart @ apart)) / len(array)


def clustered_wilson(
    hits: Sequence[float], groups: Sequence[str], level: float = 0.95
) -> tuple[float, float]:
    r"""Return Wilson's interval for a rate, at the effective number of cases.

    If every case is in a group of its own, it is Wilson's interval. Otherwise :math:`n` is replaced
    by :math:`\hat p (1 - \hat p) / s^2` with the clustered error :math:`s`, by :math:`n` if that is
    less, and the normal distribution by Student's; or :math:`n` by the number of groups if all
    cases went the same way.

    Parameters
    ----------
    hits : sequence of {0, 1}
    groups : sequence of str
        The group of each.
    level : float
    """
    count = len(hits)
    if not count:
        return 0.0, 1.0
    share, clusters = float(np.mean(hits)), len(set(groups))
    error = clustered_error(hits, groups)
    normal = NormalDist().inv_cdf((1 + level) / 2)
    if clusters == count:
        size, z = float(count), normal
    elif error is None:
        return 0.0, 1.0
    else:
        spread = share * (1 - share)
        size = min(count, spread / error**2) if error and spread else count
        # If all results are equal, no error was estimated, so the normal quantile is enough.
        size, z = (size, student_quantile(level, clusters - 1)) if spread else (clusters, normal)
    return wilson_at(share, size, z)


@checked(
    values=checked_array,
    counts=checked_array,
    lowest=checked_limit,
    highest=checked_limit,
    level=checked_level,
)
def betting_mean(
    values: Floats, counts: Floats, lowest: float, highest: float, level: float = 0.95
) -> tuple[float, float]:
    r"""Return an interval for the mean of bounded draws, by betting against each mean.

    A player who starts with 1 and, before each draw :math:`x_i` between 0 and 1, stakes `b` on a
    draw above `m` has :math:`\prod_i (1 + b(x_i - m))` in the end. If `m` is at least the mean,
    this is at most 1 on average, so it reaches :math:`2/\alpha` with probability at most
    :math:`\alpha/2`. The interval's lower end is the least `m` at which a mixture of stakes has won
    less than that; the upper end is found in the same way for `1 - x`. The stakes are

    .. math::

        b_k = \min\Big(2^{k/2} \sqrt{8 \ln(2e/\alpha) / n},\; 1/m\Big)
        \quad\text{with the shares}\quad \frac{1}{(k+1)(k+2)} .

    So its level holds for *any* distribution between the bounds and any number of draws, including
    rare large losses. It is usually about one and a half times as wide as an interval by the normal
    approximation.

    Parameters
    ----------
    values, counts : array
        A histogram of the draws. Counts need not be whole.
    lowest, highest : float
        The bounds of a draw.
    level : float
        The confidence level.

    References
    ----------
    Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting",
    Journal of the Royal Statistical Society B 86 (2024).
    """
    values, counts = np.asarray(values, dtype=float), np.asarray(counts, dtype=float)
    if values.shape != counts.shape or values.ndim != 1 or (counts < 0).any():
        raise ModelError(
            f"A histogram has as many counts as values, none below 0; the shapes here are "
            f"{list(values.shape)} and {list(counts.shape)}."
        )
    if not lowest <= highest:
        refuse("argument 'lowest'", lowest, f"at most the argument 'highest', {show(highest)}")
    values, counts = values[counts > 0], counts[counts > 0]
    if len(values) and not lowest <= values.min() <= values.max() <= highest:
        raise ModelError(
            f"The values reach from {values.min():g} to {values.max():g}, but must be "
            f"between 'lowest' and 'highest', {lowest!r} and {highest!r}."
        )
    span = highest - lowest
    if not len(values) or not math.isfinite(span) or span == 0:
        return lowest, highest
    shares, tail = (values - lowest) / span, (1 - level) / 2
    low, high = _least_mean(shares, counts, tail), 1 - _least_mean(1 - shares, counts, tail)
    return lowest + span * low, lowest + span * high


STAKES, PRECISION = 28, 1e-13
FAR = 1e3  # no bet is won or lost with a larger power of e


def _least_mean(shares: Floats, counts: Floats, tail: float) -> float:
    """Return the least mean against which the bets have not won enough."""
    from scipy import optimize

    places = np.arange(STAKES)
    stakes = 2 ** (places / 2) * math.sqrt(8 * (1 - math.log(tail)) / counts.sum())
    weights = 1 / (places + 1.0) / (places + 2.0)
    weights[-1] = 1 / STAKES  # the remaining share

    def too_much(mean: float) -> float:
        stake = np.minimum(stakes, 1 / mean) if mean else stakes
        with np.errstate(divide="ignore"):
            gains = np.log1p(np.maximum(stake[:, None] * (shares - mean), -1.0)) @ counts
        gains = np.clip(gains, -FAR, FAR)
        most = gains.max()
        return float(most + np.log(weights @ np.exp(gains - most)) + math.log(tail))

    # Bets against the sample mean never win, and bets against a higher mean win even less.
    found = float(np.average(shares, weights=counts))
    if found == 0 or too_much(0.0) < 0:
        return 0.0
    solved: Any = cast("Any", optimize).brentq(too_much, 0.0, found, xtol=PRECISION)
    return max(0.0, float(solved) - PRECISION)


@lru_cache(1_000)
def student_quantile(level: float, freedom: float) -> float:
    """Return the quantile of Student's distribution that an interval of this level uses."""
    from scipy import stats

    return float(cast("Any", stats).t.ppf((1 + level) / 2, freedom))


def bootstrap_ends(drawn: Floats, z: float) -> tuple[float, float]:
    """Return the ends of a bootstrap's interval, for the quantile `z` of its level.

    They are the percentiles at which the normal distribution has the tails beyond `z`. With
    Student's quantile they lie further out, as they have to if few clusters were drawn from.
    """
    tail = NormalDist().cdf(-z)
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)
