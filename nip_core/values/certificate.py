r"""Exact values of linear programs that were solved in floating point, by weak duality.

A commitment whose chances are rounded to simple fractions is worth a rational number, which no
optimum can be below. For any weights :math:`u_f \ge 0` of the reply's plans, adding up to 1 for
each of the prover's signals, and any :math:`\lambda_{f'} \ge 0`,

.. math::

    \max_x \sum_f u_f\, c^V_f{}^\top x
        + \sum_{f'} \lambda_{f'} (c^P_f - c^P_{f'})^\top x

over all plans `x` is a number that no optimum can be above, and is found exactly from the last
moves backwards. If both are the same number it is the optimum: nothing about it is approximate,
however the solver found it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.values.sequence_form import RationalStrategy, Row, SequenceForm, Worth

__all__ = ["Certificate", "Reply", "certify"]

Floats = npt.NDArray[np.floating[Any]]

# Denominators that are tried.
LIMITS = (100, 10_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a prover with one signal replies.

    Parameters
    ----------
    plans : sequence of Worth
        Those among which the worst for the verifier counts.
    others : sequence of Worth
        Those that must be worth no more to the prover.
    """

    plans: Sequence[Worth]
    others: Sequence[Worth]


@dataclass(frozen=True, slots=True)
class Certificate:
    """The optimum, and a commitment that reaches it."""

    value: Fraction
    strategy: RationalStrategy


def certify(
    form: SequenceForm, replies: Sequence[Reply], x: Floats, weights: Floats
) -> Certificate | None:
    """The exact optimum, or None if its numbers are not simple enough to be found.

    Parameters
    ----------
    form : SequenceForm
    replies : sequence of Reply
        For each of the prover's signals.
    x : array
        The solver's plan.
    weights : array
        Its multipliers: for each reply those of its plans, then those of the others.
    """
    for limit in LIMITS:
        strategy = form.rounded(x, limit)
        if strategy is None:
            continue
        plan = form.rational_plan(strategy)
        value = _worth(replies, plan)
        if value is not None and value == _bound(form, replies, weights, limit):
            return Certificate(value, strategy)
    return None


def _worth(replies: Sequence[Reply], plan: Sequence[Fraction]) -> Fraction | None:
    """What a commitment is worth; None if the prover would reply otherwise."""
    value = Fraction(0)
    for reply in replies:
        own = _dot(reply.plans[0].prover, plan)
        if any(_dot(other.prover, plan) > own for other in reply.others):
            return None
        value += min(_dot(each.verifier, plan) for each in reply.plans)
    return value


def _bound(
    form: SequenceForm, replies: Sequence[Reply], weights: Floats, limit: int
) -> Fraction | None:
    left = (Fraction(max(0.0, float(w))).limit_denominator(limit) for w in weights)
    goal: Row = {}
    for reply in replies:
        mix = [next(left) for _ in reply.plans]
        if not (whole := sum(mix, Fraction(0))):
            return None
        for weight, each in zip(mix, reply.plans, strict=True):
            _add(goal, each.verifier.items(), weight / whole)
        for weight, other in zip((next(left) for _ in reply.others), reply.others, strict=True):
            _add(goal, reply.plans[0].prover.items(), weight)
            _add(goal, other.prover.items(), -weight)
    return form.most(goal)


def _dot(row: Row, plan: Sequence[Fraction]) -> Fraction:
    return sum((value * plan[place] for place, value in row.items()), Fraction(0))


def _add(goal: Row, row: Iterable[tuple[int, Fraction]], weight: Fraction) -> None:
    if weight:
        for place, value in row:
            goal[place] = goal.get(place, Fraction(0)) + weight * value
