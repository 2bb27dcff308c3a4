r"""Safety and usefulness: the best trade-offs of a side that watches another one.

The watching side (a trusted monitor) commits to a plan. The watched side (an untrusted model)
either works honestly, which makes the plan *useful*, or does as much *harm* as it can against this
plan. For a weight of harm :math:`\lambda`, the best plan is one linear program:

.. math:: \max_x\; u(x, \text{honest}) - \lambda \max_y h(x, y).

The frontier is straight between its corners, since the watching side can draw one of two plans
before play. Harm and usefulness are what is paid to two seats that only count; see
:func:`with_counters`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import scipy

from nip_core.budget import Budget
from nip_core.displays import Table, Tabular, line
from nip_core.errors import StoppedError, TooLargeError
from nip_core.language import Habit, Specification
from nip_core.language.data import Option, Pay, Seat
from nip_core.values.checks import checked, instance, refuse
from nip_core.values.features import Goal
from nip_core.values.highs import solved
from nip_core.values.sequences import MOST_MOVES, MixedPlan, sequences
from nip_core.values.sides import TwoSides
from nip_core.values.solving import A_GOAL, SOLVING, Solved, a_side, not_computed, sides_of
from nip_core.values.turns import Own, Player, Turns

__all__ = ["AuditFrontier", "Watch", "audit_frontier", "with_counters"]

_scipy = cast("Any", scipy)
# Corners that are this close to the straight line between others are left out.
CLOSE = 1e-4
# The weights of the ends of the frontier: harm counts nearly nothing, or nearly everything.
LIGHT, HEAVY = 1e-4, 1e4
MOST_CORNERS = 500


@dataclass(frozen=True, eq=False)
class Watch(Tabular):
    """A plan of the watching side: a corner of the frontier.

    Parameters
    ----------
    useful : Fraction
        How useful it is if the watched side works honestly; exact.
    harm : Fraction
        The most harm that the watched side can do; exact.
    plan : MixedPlan
    """

    useful: Fraction
    harm: Fraction
    plan: MixedPlan

    def __repr__(self) -> str:
        return line(self, f"useful {float(self.useful):.4g}", f"harm {float(self.harm):.4g}")

    def table(self) -> Table:
        """Return the plan."""
        return self.plan.table()


@dataclass(frozen=True, eq=False)
class AuditFrontier(Solved):
    """The best usefulness for each amount of harm.

    Parameters
    ----------
    how : str
        ``"exact"``, up to a ten-thousandth; ``"interval"``, if corners are missing for lack of
        time; or ``"not computed: ..."``.
    corners : tuple of Watch
        In order of harm.
    """

    how: str
    corners: tuple[Watch, ...] = ()

    def __repr__(self) -> str:
        return line(self, f"{len(self.corners)} corners", self.how)

    def table(self) -> Table:
        """Return the corners."""
        rows = [(float(corner.harm), float(corner.useful)) for corner in self.corners]
        return Table(("harm", "useful"), rows)


def _counters(name: str, value: Any) -> None:
    lists: list[Any] = [*value.values()] if isinstance(value, Mapping) else [None]
    if not all(isinstance(rules, list | tuple) for rules in lists) or not all(
        isinstance(rule, Pay) for rules in lists for rule in rules
    ):
        refuse(name, value, "lists of rules of pay by the name of what counts them")


@checked(spec=SOLVING["spec"], counters=_counters)
def with_counters(spec: Specification, counters: Mapping[str, Sequence[Pay]]) -> Specification:
    """Return a document with seats that only count: their pay, and nobody else's.

    Parameters
    ----------
    spec : Specification
    counters : mapping of str to list of Pay
        What each of them counts; whom a rule pays does not matter.
    """
    pay = tuple(
        replace(rule, to=((seat, Fraction(1)),))
        for seat, rules in counters.items()
        for rule in rules
    )
    return spec.replace(seats=(*spec.seats, *map(Seat, counters)), pay=pay)


@checked(
    watching=a_side,
    watched=a_side,
    useful=A_GOAL,
    harm=A_GOAL,
    honest=instance(Mapping, "options by choice"),
    **SOLVING,
)
def audit_frontier(
    spec: Specification,
    watching: str | Iterable[str],
    watched: str | Iterable[str],
    *,
    useful: Goal,
    harm: Goal,
    honest: Mapping[str, Option],
    habits: Sequence[Habit] = (),
    players: Sequence[Player] = (),
    seconds: float | None = None,
    most: int | None = MOST_MOVES,
    cancelled: threading.Event | None = None,
) -> AuditFrontier:
    """Return how useful the watched side's work can be for each amount of harm.

    Parameters
    ----------
    spec : Specification
    watching, watched : str or iterable of str
        The seats of both sides.
    useful, harm : Goal
        What the watching side wants of honest work, and what the watched side wants if it attacks.
    honest : mapping of str to option
        What the watched side chooses if it works honestly; other choices are made at random.
    habits, players
        How all others play, as in :func:`~nip_core.values.best_reply`.
    seconds, most, cancelled
        The limits: time, moves, and an event that another thread sets.
    """
    sides = sides_of(spec, watching, watched)
    try:
        with Budget(seconds=seconds, cancelled=cancelled):
            turns = Turns(spec, sides, habits, players, {*useful, *harm})
            game = sequences(turns, most=most)
            search = _Search(game, (sides[0], turns.noticed(0)), useful, harm, honest)
    except (StoppedError, TooLargeError) as error:
        return AuditFrontier(not_computed(error, most))
    how = "exact"
    try:
        with Budget(seconds=seconds, cancelled=cancelled):
            search.run()
    except StoppedError as error:
        how = "interval" if len(search.found) > 1 else not_computed(error)
    return AuditFrontier(how, search.corners())


class _Search:
    """Looks for corners."""

    def __init__(
        self,
        game: TwoSides,
        watcher: tuple[frozenset[str], frozenset[str]],
        useful: Goal,
        harm: Goal,
        honest: Mapping[str, Option],
    ) -> None:
        self._game, self._watcher = game, watcher
        own, other = game.sides
        self._harm = game.entries(harm)
        self._useful = game.worth(game.entries(useful), 0, other.weights(_honest(game, honest)))
        self.found: list[Watch] = []
        values = other.rows().shape[0]
        equal = own.rows()
        rows = _scipy.sparse.hstack([game.matrix(self._harm).T, -other.rows().T]).tocsr()
        self._program = (
            rows,
            np.zeros(other.size),
            _scipy.sparse.hstack(
                [equal, _scipy.sparse.csr_array((equal.shape[0], values))]
            ).tocsr(),
            np.eye(1, equal.shape[0])[0],
            [(0, None)] * own.size + [(None, None)] * values,
        )

    def run(self) -> None:
        """Find all corners."""
        self._between(self._best(HEAVY), self._best(LIGHT))

    def corners(self) -> tuple[Watch, ...]:
        """Return the corners found, in order of harm, without those that others are better than."""
        kept: list[Watch] = []
        for watch in sorted(self.found, key=lambda each: (each.harm, -each.useful)):
            if not kept or watch.useful > kept[-1].useful:
                kept.append(watch)
        return tuple(kept)

    def _between(self, low: Watch, high: Watch) -> None:
        """Find the corners above the straight line from one to another."""
        run, rise = float(high.harm - low.harm), float(high.useful - low.useful)
        if run <= CLOSE or rise <= CLOSE or len(self.found) >= MOST_CORNERS:
            return
        weight = rise / run
        middle = self._best(weight)
        above = float(middle.useful - low.useful) - weight * float(middle.harm - low.harm)
        if above > CLOSE:
            self._between(low, middle)
            self._between(middle, high)

    def _best(self, weight: float) -> Watch:
        """Return the best plan for a weight of harm."""
        own, other = self._game.sides
        goal = np.zeros(own.size + 1 + len(other.decisions))
        goal[: own.size] = [-float(amount) for amount in self._useful]
        goal[own.size] = weight
        result = solved(goal / max(1.0, weight), *self._program)
        if result is None:
            raise StoppedError("The linear program took too much time.")
        plan = own.rounded(result.x[: own.size], 10**6)
        harm = other.best(self._game.worth(self._harm, 1, plan)).values[0]
        useful = sum((a * w for a, w in zip(self._useful, plan, strict=True)), Fraction(0))
        watch = Watch(useful, harm, MixedPlan(self._watcher[0], own, plan, self._watcher[1]))
        self.found.append(watch)
        return watch


def _honest(game: TwoSides, honest: Mapping[str, Option]) -> Iterator[list[Fraction]]:
    """Yield the chances of options at each decision of the watched side."""
    for decision in game.sides[1].decisions:
        options = cast("tuple[Own, ...]", decision.options)
        fits = [all(honest.get(n, o) == o for n, o in own) for own in options]
        count = sum(fits) or len(fits)
        yield [Fraction(fit or not any(fits), count) for fit in fits]
