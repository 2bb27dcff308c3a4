r"""How far judges of the same units agree: Krippendorff's alpha.

Let :math:`\delta` be the distance of two judgements, :math:`D_o` the mean of :math:`\delta` within
units and :math:`D_e` its mean over all pairs of judgements. Then

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

from explorer.studies.results import ResultRow
from explorer.studies.statistics.estimates import LEVEL, Estimate, Estimates, Floats, Redrawn
from explorer.studies.study import StudyError
from nip_core.displays import displayed
from nip_core.errors import UnknownNameError
from nip_core.tasks import VERDICTS

Scale = Literal["nominal", "ordinal", "interval"]
Said = str | int | float


@displayed
@dataclass(frozen=True, slots=True)
class Unit:
    """The judgements of one thing by several judges."""

    said: Mapping[str, Said]  # by judge; judges without a judgement are left out
    problem: str = ""  # units of one problem are similar, so the bootstrap draws them together


@displayed
@dataclass(frozen=True, slots=True)
class Agreement:
    """How far several judges agree.

    Parameters
    ----------
    who : str
        The condition or protocol whose episodes they judged.
    scale : {"nominal", "ordinal", "interval"}
    alpha : Estimate
        1 if they always agree, 0 if they agree as often as by chance. Its count is the number of
        units with at least two judgements.
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
    """Return Krippendorff's alpha, with an interval from a bootstrap over problems.

    Judgements may be missing: units with at least two judgements count.

    Parameters
    ----------
    scale : {"nominal", "ordinal", "interval"}
        How distance is measured: equal or not; by rank; or by the square of the difference.

    Raises
    ------
    StudyError
        If the scale is unknown, or it needs numbers and a judgement is not a number.
    """
    if scale not in get_args(Scale):
        raise StudyError(str(UnknownNameError("scale", scale, get_args(Scale))))
    everything = list(units)
    judges = tuple(dict.fromkeys(judge for unit in everything for judge in unit.said))
    judged = [unit for unit in everything if len(unit.said) > 1]
    if scale != "nominal":
        _check_numbers(judged, scale)
    problems = [unit.problem for unit in judged]
    size = len(set(problems))

    def none(why: str) -> Agreement:
        nothing = Estimate(None, None, None, None, len(judged), size)
        return Agreement(who, judges, scale, nothing, why=why)

    if not judged:
        return none("No two judges judged the same thing.")
    counted = _Counted.of(judged)
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
    estimate = Estimate(value, low, high, None, len(judged), size)
    return Agreement(who, judges, scale, estimate, counted.same())


def _check_numbers(units: Iterable[Unit], scale: Scale) -> None:
    for unit in units:
        for judge, answer in unit.said.items():
            if isinstance(answer, str | bool) or not math.isfinite(answer):
                raise StudyError(
                    f"{judge} said {answer!r}, which is not a number. The scale {scale!r} needs "
                    "numbers; use 'nominal'."
                )


@dataclass(frozen=True, slots=True)
class _Counted:
    """Counts of judgements, from which units can be drawn."""

    said: tuple[Said, ...]  # the different judgements, in order
    kinds: Any  # each occurring pair of different judgements of one unit, as indices into `said`
    # How often each pair occurs; in a unit with m judgements, it has the weight 2 / (m - 1).
    pairs: Floats
    values: Floats  # how often each judgement occurs

    @classmethod
    def of(cls, units: Sequence[Unit]) -> _Counted:
        different = {answer for unit in units for answer in unit.said.values()}
        # The order of options is arbitrary; that of numbers matters for ordinal scales.
        ordered = sorted(different, key=lambda s: (isinstance(s, str), s))
        places = {answer: place for place, answer in enumerate(ordered)}
        kinds: dict[tuple[int, int], int] = {}
        weights: list[tuple[int, int, float]] = []
        values = np.zeros((len(units), len(ordered)))
        for number, unit in enumerate(units):
            here = sorted(places[answer] for answer in unit.said.values())
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
        """Return alpha for each row of counts; NaN if all judgements are the same."""
        total = values.sum(1)
        one, other = self.kinds[:, 0], self.kinds[:, 1]
        if scale == "ordinal":
            # The rank of a judgement is the mean rank of all judgements equal to it.
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
            alphas = 1 - (total - 1) * observed / expected
        # A tiny rest from rounding counts as no difference.
        differ = (values > 0).sum(1) > 1
        return np.where(differ, alphas, np.nan)

    def same(self) -> float:
        """Return the share of pairs of judgements of one unit that are equal."""
        sizes = self.values.sum(1)
        equal = (self.values * (self.values - 1)).sum()
        return float(equal / (sizes * (sizes - 1)).sum())


def _spread(values: Floats, numbers: Floats) -> Floats:
    """Return the sum of squared differences over all ordered pairs."""
    middle = (values * numbers).sum(1) / values.sum(1)
    return 2 * values.sum(1) * (values * (numbers - middle[:, None]) ** 2).sum(1)


def agreements(rows: Iterable[ResultRow], level: float = LEVEL) -> Estimates[Agreement]:
    """Return how far the judges of a study agree: of a panel, and verifiers on the same tasks.

    Returns
    -------
    found : Estimates of Agreement
        A row for each condition with several judges; then one for each protocol with the same
        provers and several verifiers. Probabilities are compared as an interval scale, and options
        by whether they are equal.
    """
    everything = list(rows)
    panels: dict[str, list[ResultRow]] = {}
    verifiers: dict[tuple[str, str, str], list[ResultRow]] = {}
    for row in everything:
        if len(row.judgements) > 1:
            panels.setdefault(row.condition, []).append(row)
        verifiers.setdefault((row.protocol, row.provers, row.side), []).append(row)
    agreed = [_of_panel(who, mine, level) for who, mine in panels.items()]
    for (protocol, provers, side), mine in verifiers.items():
        if len({row.verifier for row in mine}) > 1:
            who = ", ".join(filter(None, (protocol, provers, "" if side == "protocol" else side)))
            agreed.append(agreement(_by_task(mine), "nominal", who, level))
    return Estimates(agreed)


def _of_panel(who: str, rows: Sequence[ResultRow], level: float) -> Agreement:
    units = [Unit(row.judgements, row.problem) for row in rows]
    numbers = all(isinstance(answer, int) for unit in units for answer in unit.said.values())
    return agreement(units, "interval" if numbers else "nominal", who, level)


def _by_task(rows: Iterable[ResultRow]) -> list[Unit]:
    """Return each verifier's final answer on each task; "no verdict" is an answer too."""
    by_task: dict[tuple[str, int, str], tuple[str, dict[str, Said]]] = {}
    for row in rows:
        _, answers = by_task.setdefault((row.task, row.epoch, row.arm), (row.problem, {}))
        # Rows of older versions have no answer to a statement.
        decided = "none" if row.decision is None else VERDICTS[row.decision]
        answers[row.verifier] = row.answer or decided
    return [Unit(answers, problem) for problem, answers in by_task.values()]
