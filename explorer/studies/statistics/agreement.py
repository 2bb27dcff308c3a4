r"""How far several judges of the same agree: Krippendorff's alpha.

With what judges said of the same unit taken in all pairs, :math:`\delta` how far two judgements
are apart, :math:`D_o` the mean of :math:`\delta` within units and :math:`D_e` its mean over all
pairs of judgements,

.. math::

    \alpha = 1 - D_o / D_e .

Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), whose examples are in the tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from explorer.studies.results import Result
from explorer.studies.statistics.estimates import LEVEL, Estimate, Estimates, Floats, Redrawn
from explorer.studies.study import StudyError
from nip_core.displays import displayed
from nip_core.errors import UnknownNameError

Scale = Literal["nominal", "ordinal", "interval"]
Said = str | int | float


@displayed
@dataclass(frozen=True, slots=True)
class Unit:
    """What several judges judged.

    Parameters
    ----------
    said : mapping of str to str or number
        By judge; a judge who said nothing of it is left out.
    problem : str
        Units of one problem are alike, and drawn together.
    """

    said: Mapping[str, Said]
    problem: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class Agreement:
    """How far several judges agree.

    Parameters
    ----------
    who : str
        Whose episodes they judged.
    judges : tuple of str
    scale : {"nominal", "ordinal", "interval"}
    alpha : Estimate
        1 if they always agree, 0 if no more than by chance. Its count is of units that at least
        two of them judged.
    same : float, optional
        The share of pairs of judgements of one unit that are equal.
    why : str
        Why there is no number, in a sentence; empty if there is one.
    """

    who: str
    judges: tuple[str, ...]
    scale: Scale
    alpha: Estimate
    same: float | None = None
    why: str = ""


def agreement(
    units: Iterable[Unit], scale: Scale = "nominal", who: str = "", level: float = LEVEL
) -> Agreement:
    """Krippendorff's alpha, with an interval from drawing problems again and again.

    Judgements may be missing: a unit counts if at least two judges said something of it.

    Parameters
    ----------
    units : iterable of Unit
    scale : {"nominal", "ordinal", "interval"}
        How far two judgements are apart: equal or not; by rank; or by the square of their
        difference.
    who : str
    level : float

    Raises
    ------
    StudyError
        If the scale is unknown, or it needs numbers and some judgement is none.
    """
    if scale not in get_args(Scale):
        raise StudyError(str(UnknownNameError("scale", scale, get_args(Scale))))
    everything = list(units)
    judges = tuple(dict.fromkeys(judge for unit in everything for judge in unit.said))
    found = [unit for unit in everything if len(unit.said) > 1]
    if scale != "nominal":
        _check_numbers(found, scale)
    problems = [unit.problem for unit in found]
    size = len(set(problems))

    def none(why: str) -> Agreement:
        nothing = Estimate(None, None, None, None, len(found), size)
        return Agreement(who, judges, scale, nothing, why=why)

    if not found:
        return none("No two judges judged the same thing.")
    counted = _Counted.of(found)
    value = float(counted.alpha(scale, counted.pairs.sum(0)[None], counted.values.sum(0)[None])[0])
    if math.isnan(value):
        return none(
            "All judgements are the same. Alpha compares how often judges differ with how often "
            "they would by chance, and here they would not."
        )
    redrawn = Redrawn(problems)
    low, high = None, None
    if redrawn.size > 1:
        pairs, values = redrawn.sums(counted.pairs), redrawn.sums(counted.values)
        low, high = redrawn.interval(counted.alpha(scale, pairs, values), level) or (None, None)
    high = high if high is None else min(1.0, high)
    estimate = Estimate(value, low, high, None, len(found), size)
    return Agreement(who, judges, scale, estimate, counted.same())


def _check_numbers(units: Iterable[Unit], scale: Scale) -> None:
    for unit in units:
        for judge, said in unit.said.items():
            if isinstance(said, str | bool) or not math.isfinite(said):
                raise StudyError(
                    f"{judge} said {said!r}, which is not a number. The scale {scale!r} needs "
                    "numbers; use 'nominal'."
                )


@dataclass(frozen=True, slots=True)
class _Counted:
    """What judges said, counted so that units can be drawn.

    Parameters
    ----------
    said : tuple
        The different judgements, in order.
    kinds : array (P, 2)
        Each pair of different judgements of one unit that occurs, as places in `said`.
    pairs : array (units, P)
        How often; of a unit with m judgements, each pair has the weight 2 / (m - 1).
    values : array (units, len(said))
        How often each judgement.
    """

    said: tuple[Said, ...]
    kinds: Any
    pairs: Floats
    values: Floats

    @classmethod
    def of(cls, units: Sequence[Unit]) -> _Counted:
        different = {said for unit in units for said in unit.said.values()}
        # Only options need a made-up order; numbers have one, which ordinal scales use.
        ordered = sorted(different, key=lambda s: (isinstance(s, str), s))
        places = {said: place for place, said in enumerate(ordered)}
        kinds: dict[tuple[int, int], int] = {}
        weights: list[tuple[int, int, float]] = []
        values = np.zeros((len(units), len(ordered)))
        for number, unit in enumerate(units):
            here = sorted(places[said] for said in unit.said.values())
            counts = {place: here.count(place) for place in here}
            for place, count in counts.items():
                values[number, place] = count
            for one, first in counts.items():
                for other, second in counts.items():
                    if one < other:
                        kind = kinds.setdefault((one, other), len(kinds))
                        weights.append((number, kind, 2 * first * second / (len(here) - 1)))
        pairs = np.zeros((len(units), len(kinds)))
        for number, kind, weight in weights:
            pairs[number, kind] = weight
        return cls(tuple(ordered), np.array(list(kinds) or np.zeros((0, 2)), int), pairs, values)

    def alpha(self, scale: Scale, pairs: Floats, values: Floats) -> Floats:
        """Return alpha of each row of counts; not a number where all judgements are the same."""
        total = values.sum(1)
        one, other = self.kinds[:, 0], self.kinds[:, 1]
        if scale == "ordinal":
            # The rank of a judgement is the mean of the ranks of those that are equal to it.
            ranks = values.cumsum(1) - values / 2
            apart = (ranks[:, one] - ranks[:, other]) ** 2
            expected = _spread(values, ranks)
        elif scale == "interval":
            numbers = np.array(self.said, float)[None]
            apart = (numbers[:, one] - numbers[:, other]) ** 2
            expected = _spread(values, numbers)
        else:
            apart = np.ones((1, len(self.kinds)))
            expected = total**2 - (values**2).sum(1)
        observed = (pairs * apart).sum(1)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = 1 - (total - 1) * observed / expected
        # Where rounding leaves a trifle of what should be nought, nothing differs.
        differ = (values > 0).sum(1) > 1
        return np.where(differ, found, np.nan)

    def same(self) -> float:
        """Return the share of pairs of judgements of one unit that are equal."""
        sizes = self.values.sum(1)
        equal = (self.values * (self.values - 1)).sum()
        return float(equal / (sizes * (sizes - 1)).sum())


def _spread(values: Floats, numbers: Floats) -> Floats:
    """Return the sum of squared differences over all ordered pairs."""
    middle = (values * numbers).sum(1) / values.sum(1)
    return 2 * values.sum(1) * (values * (numbers - middle[:, None]) ** 2).sum(1)


def agreements(rows: Iterable[Result], level: float = LEVEL) -> Estimates[Agreement]:
    """How far judges agree in a study: those of a panel, and verifiers who judged the same tasks.

    Parameters
    ----------
    rows : iterable of Result
    level : float

    Returns
    -------
    found : Estimates of Agreement
        For each condition with several judges; then for each protocol with the same provers that
        several verifiers took part in. Probabilities are compared as an interval scale, and
        options by whether they are equal.
    """
    everything = list(rows)
    panels: dict[str, list[Result]] = {}
    verifiers: dict[tuple[str, str, str], list[Result]] = {}
    for row in everything:
        if len(row.judgements) > 1:
            panels.setdefault(row.condition, []).append(row)
        verifiers.setdefault((row.protocol, row.provers, row.side), []).append(row)
    found = [_of_panel(who, mine, level) for who, mine in panels.items()]
    for (protocol, provers, side), mine in verifiers.items():
        if len({row.verifier for row in mine}) > 1:
            who = ", ".join(filter(None, (protocol, provers, "" if side == "protocol" else side)))
            found.append(agreement(_by_task(mine), "nominal", who, level))
    return Estimates(found)


def _of_panel(who: str, rows: Sequence[Result], level: float) -> Agreement:
    units = [Unit(row.judgements, row.problem) for row in rows]
    numbers = all(isinstance(said, int) for unit in units for said in unit.said.values())
    return agreement(units, "interval" if numbers else "nominal", who, level)


def _by_task(rows: Iterable[Result]) -> list[Unit]:
    """Return what each verifier ended with on each task; no verdict is an answer, too."""
    found: dict[tuple[str, int, str], tuple[str, dict[str, Said]]] = {}
    for row in rows:
        _, said = found.setdefault((row.task, row.epoch, row.arm), (row.problem, {}))
        said[row.verifier] = row.answer or ("none" if row.decision is None else row.decision)
    return [Unit(said, problem) for problem, said in found.values()]
