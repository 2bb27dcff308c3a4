"""Completeness and soundness error: what a verifier can have of one at the price of the other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from nip_core.displays import Table, Tabular, line
from nip_core.errors import ModelError
from nip_core.registry import AnyProtocol, protocol
from nip_core.values.checks import (
    a_protocol,
    checked,
    checked_chance,
    checked_level,
    checked_switch,
)
from nip_core.values.game_tree import check_one_prover
from nip_core.values.linear import ONE, Linear, less, value_at
from nip_core.values.programs import Program
from nip_core.values.rationals import fraction
from nip_core.values.reports import own_opposition, settings_of

__all__ = ["Frontier", "frontier"]

Point = tuple[Fraction, Fraction]
"""A soundness error, and the completeness that goes with it."""


@dataclass(frozen=True, slots=True)
class Frontier(Tabular):
    """The best completeness for each soundness error.

    Parameters
    ----------
    corners : tuple of (soundness error, completeness)
        In order of both. Between two of them the frontier is straight, since a verifier can draw
        which of two strategies it commits itself to.
    """

    corners: tuple[Point, ...]

    def __repr__(self) -> str:
        best = max(self.corners, key=lambda each: each[1] - each[0])
        told = f"completeness {float(best[1]):.4g} at soundness error {float(best[0]):.4g}"
        return line(self, f"{len(self.corners)} corners", told)

    def table(self) -> Table:
        """The corners."""
        rows = [tuple(map(float, corner)) for corner in self.corners]
        return Table(("soundness error", "completeness"), rows)

    @checked(soundness_error=checked_chance)
    def completeness(self, soundness_error: float | Fraction) -> Fraction:
        """Return the best completeness with at most this soundness error.

        Raises
        ------
        ModelError
            If no strategy has so small a soundness error.
        """
        wanted = Fraction(soundness_error)
        (least, lowest), *others = self.corners
        if wanted < least:
            raise ModelError(
                f"No strategy has a soundness error below {float(least):.6g}; "
                f"{float(wanted):.6g} was asked for."
            )
        for error, most in others:
            if wanted < error:
                return lowest + (most - lowest) * (wanted - least) / (error - least)
            least, lowest = error, most
        return lowest


@checked(
    handler=a_protocol,
    pessimistic=checked_switch,
    prior=checked_level,
    prover_accuracy=checked_chance,
    verifier_accuracy=checked_chance,
)
def frontier(
    handler: AnyProtocol,
    *,
    pessimistic: bool,
    prior: float | Fraction = Fraction(1, 2),
    prover_accuracy: float | Fraction = Fraction(1),
    verifier_accuracy: float | Fraction = Fraction(1, 2),
) -> Frontier:
    """Return the frontier over all strategies that a verifier can commit itself to.

    The prover knows the strategy and does what pays it best. What the verifier is paid does not
    matter here.

    Parameters
    ----------
    handler : ProtocolHandler, or anything else that :func:`nip_core.protocol` takes
    pessimistic, prior, prover_accuracy, verifier_accuracy
        As in :func:`~nip_core.values.best_mechanism`.

    Raises
    ------
    UnsupportedError
        As there.
    """
    handler = protocol(handler)
    check_one_prover(handler.spec, "The frontier is computed for")
    likely, *accuracies = map(fraction, (prior, prover_accuracy, verifier_accuracy))
    setting, _ = settings_of(
        handler,
        own_opposition(handler.spec),
        likely,
        (accuracies[0],) * len(handler.spec.provers),
        accuracies[1],
    )
    program = Program(setting)
    listens = not pessimistic or program.can_separate
    return Frontier(_corners(program if listens else program.ignoring()))


def _corners(program: Program) -> tuple[Point, ...]:
    errors, right = program.accepted(0), program.accepted(1)
    gains = [gain for contest in program.contests for gain in contest.gains]

    def at_most(goal: Linear, *rows: Linear) -> Point:
        at = program.maximise(goal, [*gains, *rows]).at
        return value_at(errors, at), value_at(right, at)

    def between(low: Point, high: Point) -> list[Point]:
        """Return the corners beyond the straight line from one point to another."""
        run, rise = high[0] - low[0], high[1] - low[1]
        if run <= 0 or rise <= 0:
            return []
        goal = less(_times(right, run), _times(errors, rise))
        found = at_most(goal)
        if (found[1] - low[1]) * run <= (found[0] - low[0]) * rise:
            return []
        return [*between(low, found), found, *between(found, high)]

    fewest, most = at_most(_times(errors, -1))[0], at_most(right)[1]
    low = at_most(right, less({ONE: fewest}, errors))
    high = at_most(_times(errors, -1), less(right, {ONE: most}))
    return tuple(
        (error / program.chance_of(0), completeness / program.chance_of(1))
        for error, completeness in _without_middles([low, *between(low, high), high])
    )


def _times(row: Linear, factor: Fraction | int) -> Linear:
    return {place: factor * each for place, each in row.items()}


def _without_middles(points: list[Point]) -> list[Point]:
    """Return points without those on the straight line between their neighbours."""
    kept: list[Point] = []
    for point in dict.fromkeys(points):
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) == 0:
            kept.pop()
        kept.append(point)
    return kept


def _turn(first: Point, second: Point, third: Point) -> Fraction:
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (
        third[0] - first[0]
    )
