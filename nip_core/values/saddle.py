r"""What one side of a game can guarantee against another one: a linear program and exact bounds.

HiGHS solves the program in floats. Its plans are then read as fractions, and a best reply to each
of them bounds the value from one side, exactly. If both bounds are equal, the value is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
import scipy

from nip_core.values.highs import TINY, solution, solved
from nip_core.values.linear import ONE
from nip_core.values.sides import EMPTY, Entries, Side, TwoSides, Weights

__all__ = ["Saddle", "saddle"]

_scipy = cast("Any", scipy)
# The largest denominators that are tried for the probabilities of a plan.
FINEST = (64, 10_000, 10_000_000)
# A system of equations with more unknowns is not solved in fractions.
MOST_UNKNOWNS = 400


@dataclass(frozen=True, eq=False, slots=True)
class Saddle:
    """A plan of each side, and what they show about the value.

    Parameters
    ----------
    low, high : Fraction
        The first side's plan guarantees it `low`, and the second one's plan lets it have at most
        `high`. Both are exact.
    one, other : sequence of Fraction
        The weights of the plans.
    """

    low: Fraction
    high: Fraction
    one: Sequence[Fraction]
    other: Sequence[Fraction]


def saddle(game: TwoSides, entries: Entries) -> Saddle | None:
    """Return plans in which the first side maximises what the second one minimises.

    Returns
    -------
    found : Saddle or None
        None if the program was not solved in time.
    """
    first, second = game.sides
    matrix = game.matrix(entries)
    scale = float(abs(matrix).max()) if matrix.nnz else 1.0
    own, others = first.rows(), second.rows()
    # The value of each of the second side's decisions, and of the game; variables after the plan.
    values = others.shape[0]
    goal = np.zeros(first.size + values)
    goal[first.size] = -1
    result = solved(
        goal,
        _scipy.sparse.hstack([-matrix.T / scale, others.T]).tocsr(),
        np.zeros(second.size),
        _scipy.sparse.hstack([own, _scipy.sparse.csr_array((own.shape[0], values))]).tocsr(),
        np.eye(1, own.shape[0])[0],
        [(0, None)] * first.size + [(None, None)] * values,
    )
    if result is None:
        return None
    plans = result.x[: first.size], -result.ineqlin.marginals
    tight = result.x[: first.size] < TINY, result.ineqlin.residual < TINY
    return _certified(game, entries, plans, tight)


# -- exact bounds ------------------------------------------------------------------------------


def _certified(game: TwoSides, entries: Entries, plans: Any, tight: Any) -> Saddle:
    """Return the best bounds of plans near the solution of a program."""
    first, second = game.sides
    best: list[tuple[Fraction, Sequence[Fraction]] | None] = [None, None]
    for candidate in _candidates(game, entries, plans, tight):
        for place, weights in enumerate(candidate):
            if weights is None:
                continue
            worth = game.worth(entries, 1 - place, weights)
            if place == 0:
                bound = -second.best([-amount for amount in worth]).values[0]
            else:
                bound = first.best(worth).values[0]
            known = best[place]
            if known is None or (bound > known[0] if place == 0 else bound < known[0]):
                best[place] = bound, weights
        low, high = cast("tuple[Any, Any]", best)
        if low[0] == high[0]:
            break
    (low, one), (high, other) = cast("Any", best)
    return Saddle(low, high, one, other)


def _candidates(
    game: TwoSides, entries: Entries, plans: Any, tight: Any
) -> Iterable[tuple[Sequence[Fraction] | None, Sequence[Fraction] | None]]:
    """Yield exact plans near the solution, the simplest first."""
    for finest in FINEST:
        yield cast(
            "Any",
            tuple(s.rounded(plan, finest) for s, plan in zip(game.sides, plans, strict=True)),
        )
    if game.moves <= MOST_UNKNOWNS:
        # Which sequences are used, and which replies are best, determines a corner exactly.
        yield _corner(game, entries, 0, *tight), _corner(game, entries, 1, *tight)


def _corner(
    game: TwoSides, entries: Entries, place: int, unused: Any, slack_free: Any
) -> Sequence[Fraction] | None:
    """Return the plan of a side that makes the other side's best replies equally good."""
    side, other = game.sides[place], game.sides[1 - place]
    if place == 0:
        used, best = ~unused, slack_free
    else:
        used, best = slack_free, ~unused
    unknowns = {int(move): number for number, move in enumerate(np.flatnonzero(used))}
    start = len(unknowns)
    rows: list[dict[int, Fraction]] = [{unknowns[EMPTY]: Fraction(1), ONE: Fraction(-1)}]
    for before, first, options, _ in side.decisions:
        row = {
            unknowns[m]: Fraction(1) for m in range(first, first + len(options)) if m in unknowns
        }
        if before in unknowns:
            row[unknowns[before]] = row.get(unknowns[before], Fraction(0)) - 1
        if row:
            rows.append(row)
    paid: list[dict[int, Fraction]] = [{} for _ in range(other.size)]
    for *pair, amount in entries:
        if pair[place] in unknowns:
            row = paid[pair[1 - place]]
            column = unknowns[pair[place]]
            row[column] = row.get(column, Fraction(0)) + amount
    # What a sequence is worth, and all that follows, is the value of the decision that it ends.
    owner = [start] * other.size
    for number, decision in enumerate(other.decisions, start + 1):
        row = paid[decision.before]
        row[number] = row.get(number, Fraction(0)) + 1
        for move in decision.moves:
            owner[move] = number
    for move, row in enumerate(paid):
        if best[move]:
            row[owner[move]] = row.get(owner[move], Fraction(0)) - 1
            rows.append(row)
    values = solution(rows, [Fraction(0)] * (start + 1 + len(other.decisions)))
    if values is None:
        return None
    plan = [Fraction(0)] * side.size
    for move, number in unknowns.items():
        plan[move] = values[number]
    return plan if _is_plan(side, plan) else None


def _is_plan(side: Side, plan: Weights) -> bool:
    return (
        plan[EMPTY] == 1
        and min(plan) >= 0
        and all(plan[d.before] == sum(plan[m] for m in d.moves) for d in side.decisions)
    )
