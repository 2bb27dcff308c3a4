"""Linear programs by HiGHS, with and without whole numbers, and the exact corner near a solution.

HiGHS computes in floats. Which variables of its solution are 0, and which rows are, determines a
corner of the program, and that is computed again in fractions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, cast

import numpy as np
import scipy

from nip_core.budget import PLAYS, seconds_left, spend
from nip_core.values.linear import ONE, Linear, value_at

__all__ = ["TINY", "Corner", "largest", "matrix", "solution", "solved", "whole_solved"]

# Smaller weights and slacks are rounding errors.
TINY = 1e-9
# HiGHS cannot be interrupted: it may take so many seconds, then it is asked whether to go on.
SLICES = (3.0, 12.0, 48.0)
# The rest of the time is for what is done with a solution.
SHARE = 0.8
# So many solved programs with whole numbers are kept. Each takes seconds, and a protocol's card and
# the charts beside it ask for the same ones.
KEPT = 32

# Its parts, which are slow to import, are imported on first use.
_scipy = cast("Any", scipy)


def solved(goal: Any, rows: Any, most: Any, equal: Any, to: Any, bounds: Any) -> Any:
    """Return the solution of a linear program; None if it has none, or takes too much time."""

    def run(seconds: float) -> Any:
        return _scipy.optimize.linprog(
            goal,
            A_ub=rows,
            b_ub=most,
            A_eq=equal,
            b_eq=to,
            bounds=bounds,
            method="highs",
            options={"time_limit": seconds},
        )

    result = _in_time(run, rows.nnz + equal.nnz)
    return result if result is not None and result.status == 0 else None


def whole_solved(goal: Any, rows: Any, low: Any, high: Any, whole: Any, bounds: Any) -> Any:
    """Return what is found of a program with whole numbers: a solution, a bound, or neither."""
    constraints = _scipy.optimize.LinearConstraint(rows, low, high)
    parts = (rows.shape, rows.nnz, rows.data, rows.indices, rows.indptr, low, high, goal, whole)
    key = sha256(b"".join(np.asarray(part).tobytes() for part in (*parts, *bounds))).digest()

    def run(seconds: float) -> Any:
        with _lock:
            kept = _solved.get(key)
        if kept is not None:
            return kept
        result = _scipy.optimize.milp(
            goal,
            constraints=constraints,
            integrality=whole,
            bounds=_scipy.optimize.Bounds(*bounds),
            options={"time_limit": seconds, "mip_rel_gap": 0},
        )
        # What was stopped by its time is not the same each time.
        if result.status in (_OPTIMAL, _INFEASIBLE):
            with _lock:
                if len(_solved) >= KEPT:
                    del _solved[next(iter(_solved))]
                _solved[key] = result
        return result

    return _in_time(run, rows.nnz)


def _in_time(run: Callable[[float], Any], steps: int) -> Any:
    """Solve a program in the time that is left, or as far as possible; None if none is left."""
    result: Any = None
    for most in SLICES:
        spend(steps, PLAYS)
        left = seconds_left()
        if left is not None and left < 0.01:
            return result
        result = run(most if left is None else min(most, SHARE * left))
        if result.status != 1:  # 1: the time is up
            return result
    return result


@dataclass(frozen=True, slots=True)
class Corner:
    """A solution of a program: its value and its variables, exact if they are fractions."""

    value: Any
    at: Sequence[Any]

    @property
    def is_exact(self) -> bool:
        """Whether it satisfies all rows exactly."""
        return isinstance(self.value, Fraction)


def largest(
    goal: Linear,
    rows: Sequence[Linear],
    equal: Sequence[Linear],
    size: int,
    free: Collection[int] = (),
) -> Corner | None:
    """Return where a linear function is largest.

    Parameters
    ----------
    goal : Linear
    rows : sequence of Linear
        Functions that must not be negative.
    equal : sequence of Linear
        Functions that must be 0.
    size : int
        The number of variables.
    free : collection of int
        The variables that may be negative.

    Returns
    -------
    found : Corner or None
        None if the rows contradict each other, or if there was not enough time.
    """
    negative = frozenset(free)
    constants = [np.array([float(row.get(ONE, 0)) for row in each]) for each in (rows, equal)]
    result = solved(
        -matrix([goal], size).toarray()[0],
        -matrix(rows, size),
        constants[0],
        matrix(equal, size),
        -constants[1],
        [(None if place in negative else 0, None) for place in range(size)],
    )
    if result is None:
        return None
    out = {p for p in range(size) if p not in negative and result.x[p] < TINY}
    tight = [row for row, slack in zip(rows, result.slack, strict=True) if slack < TINY]
    near = [
        _ZERO if p in out else Fraction(x).limit_denominator(10**6)
        for p, x in enumerate(result.x.tolist())
    ]
    kept = ({p: f for p, f in row.items() if p not in out} for row in (*equal, *tight))
    at = solution(kept, near)
    if at is not None:
        fits = (
            all(at[place] >= 0 for place in range(size) if place not in negative)
            and all(value_at(row, at) >= 0 for row in rows)
            and not any(value_at(row, at) for row in equal)
        )
        if fits:
            return Corner(value_at(goal, at), at)
    return Corner(-float(result.fun) + float(goal.get(ONE, 0)), result.x.tolist())


def matrix(rows: Sequence[Mapping[int, Any]], size: int) -> Any:
    """Return rows without their constants as a sparse matrix of floats."""
    places = [(number, place) for number, row in enumerate(rows) for place in row if place != ONE]
    values = [float(rows[number][place]) for number, place in places]
    index = tuple(zip(*places, strict=True)) or ((), ())
    return _scipy.sparse.csr_array((values, index), shape=(len(rows), size))


def solution(rows: Iterable[Linear], near: Sequence[Fraction]) -> list[Fraction] | None:
    """Return where all rows are 0; what they leave open is as given. None if they contradict."""
    pivots: dict[int, dict[int, Fraction]] = {}
    for row in sorted(rows, key=len):
        left = {place: factor for place, factor in row.items() if factor}
        while shared := pivots.keys() & left.keys():
            for place in shared:
                if factor := left.pop(place, None):
                    _add(left, pivots[place], factor)
        places = left.keys() - {ONE}
        if not places:
            if left:
                return None
            continue
        pivot = min(places)
        weight = -left.pop(pivot)
        mine = pivots[pivot] = {place: factor / weight for place, factor in left.items()}
        for other in pivots.values():
            if factor := other.pop(pivot, None):
                _add(other, mine, factor)
    at = [*near]
    for place, row in pivots.items():
        at[place] = value_at(row, near)
    return at


def _add(row: dict[int, Fraction], other: Linear, factor: Fraction) -> None:
    spend(len(other), PLAYS)
    for place, more in other.items():
        value = row.get(place, Fraction(0)) + factor * more
        if value:
            row[place] = value
        else:
            row.pop(place, None)


_ZERO = Fraction(0)
# What HiGHS says of a program.
_OPTIMAL, _INFEASIBLE = 0, 2
_solved: dict[bytes, Any] = {}
_lock = threading.Lock()
