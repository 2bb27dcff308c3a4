r"""How many episodes a difference of a given size needs.

For :math:`m` pairs that differ in a share :math:`\psi` of the cases, with a difference of
:math:`\delta` between the two rates of being right (Connor, Biometrics 43, 1987),

.. math::

    m = \frac{\big(z_{1-\alpha/2} \sqrt{\psi} + z_{1-\beta} \sqrt{\psi - \delta^2}\big)^2}{\delta^2}

and for unpaired episodes the usual

.. math::

    m = \frac{\big(z_{1-\alpha/2} \sqrt{2 \bar p (1 - \bar p)}
        + z_{1-\beta} \sqrt{p_1 (1 - p_1) + p_2 (1 - p_2)}\big)^2}{\delta^2}

each times the design effect: how much more episodes about one problem are alike than others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from explorer.studies.errors import StudyError
from explorer.studies.results import Result
from explorer.studies.statistics.estimates import clustered_error
from explorer.studies.statistics.measures import MEASURES
from explorer.studies.statistics.paired import paired
from nip_core.displays import displayed

__all__ = ["Pilot", "SamplePlan", "pilot", "plan"]


@displayed
@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How many episodes are needed.

    Parameters
    ----------
    each : int
        Of each of the two conditions.
    differing : float, optional
        The share of pairs that is taken to differ; None for unpaired episodes.
    design_effect : float
    """

    each: int
    differing: float | None
    design_effect: float


@displayed
@dataclass(frozen=True, slots=True)
class Pilot:
    """What a pilot says that a plan needs.

    Parameters
    ----------
    first, second : float
        How often the two were right.
    differing : float
        The share of pairs that differ.
    design_effect : float
        Of the differences; at least 1.
    pairs : int
    """

    first: float
    second: float
    differing: float
    design_effect: float
    pairs: int


def plan(
    first: float,
    second: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    unpaired: bool = False,
    differing: float | None = None,
    design_effect: float = 1.0,
) -> SamplePlan:
    """How many episodes of each condition show that two rates differ.

    Parameters
    ----------
    first, second : float
        How often the two conditions are right, as far as you know or hope.
    power : float
        How often the difference is to be found if it is there.
    level : float
        How often none is to be found if there is none.
    unpaired : bool
        Are the tasks different ones?
    differing : float, optional
        In what share of the pairs just one of the two is right; as if they were independent if
        it is left out. The more alike the two are, the smaller it is, and the fewer are needed.
    design_effect : float

    Raises
    ------
    StudyError
        If that is impossible.
    """
    for name, value in (("first", first), ("second", second)):
        if not 0 <= value <= 1:
            raise StudyError(f"The {name} rate is {value:g}; it must be from 0 to 1.")
    for name, value in (("power", power), ("level", level)):
        if not 0.5 <= value < 1:
            raise StudyError(f"The {name} is {value:g}; it must be from 0.5 to below 1.")
    if first == second:
        raise StudyError("The rates are the same: no number of episodes shows a difference.")
    if not 1 <= design_effect <= 1000:
        raise StudyError(f"The design effect is {design_effect:g}; it must be from 1 to 1,000.")
    apart = abs(second - first)
    z_level, z_power = (NormalDist().inv_cdf(p) for p in ((1 + level) / 2, power))
    if unpaired:
        middle = (first + second) / 2
        under_none = 2 * middle * (1 - middle)
        under_some = first * (1 - first) + second * (1 - second)
        differing = None
    else:
        independent = first * (1 - second) + second * (1 - first)
        differing = independent if differing is None else differing
        most = min(first + second, 2 - first - second)
        if not apart <= differing <= most + 1e-12:
            raise StudyError(
                f"Rates of {first:g} and {second:g} differ in a share from {apart:.3g} to "
                f"{most:.3g} of the pairs; {differing:.3g} is impossible."
            )
        under_none, under_some = differing, differing - apart**2
    size = (z_level * math.sqrt(under_none) + z_power * math.sqrt(under_some)) ** 2 / apart**2
    return SamplePlan(math.ceil(size * design_effect), differing, design_effect)


def pilot(first: Sequence[Result], second: Sequence[Result]) -> Pilot:
    """What a pilot says about two conditions.

    Raises
    ------
    StudyError
        If they share too few problems.
    """
    pairs = paired(first, second, MEASURES["accuracy"])
    if len({pair.problem for pair in pairs}) < 5:
        raise StudyError(
            "The two conditions share fewer than five problems; play more of them before planning."
        )
    count = len(pairs)
    values = [pair.second - pair.first for pair in pairs]
    error = clustered_error(values, [pair.problem for pair in pairs]) or 0.0
    mean = sum(values) / count
    plain = sum((value - mean) ** 2 for value in values) / (count - 1) / count
    return Pilot(
        sum(pair.first for pair in pairs) / count,
        sum(pair.second for pair in pairs) / count,
        sum(value != 0 for value in values) / count,
        max(1.0, error**2 / plain) if plain else 1.0,
        count,
    )
