"""Completeness and soundness error: the best trade-offs that a verifier can reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from nip_core.displays import Table, Tabular, line
from nip_core.errors import ModelError
from nip_core.registry import AnyProtocol
from nip_core.values.checks import (
    a_protocol,
    checked,
    checked_chance,
    checked_level,
    checked_switch,
    optional,
)
from nip_core.values.judged import judged
from nip_core.values.linear import ONE, Linear, less, value_at
from nip_core.values.mechanisms import (
    asked_settings,
    can_be_forced,
    checked_accuracy,
    checked_opposition,
    forced_programs,
    full_program,
    is_rivalry,
)
from nip_core.values.programs import LinearProgram, heeds
from nip_core.values.reports import Opposition, Setting

__all__ = ["Frontier", "frontier"]

Point = tuple[Fraction, Fraction]
"""A soundness error, and the completeness for it."""


@dataclass(frozen=True, slots=True)
class Frontier(Tabular):
    """The best completeness for each soundness error.

    Parameters
    ----------
    corners : tuple of (soundness error, completeness)
        In order of both. The frontier is straight between them, since a verifier can draw one of
        two strategies to commit to.
    is_exact : bool
        If false, these are lower bounds.
    """

    corners: tuple[Point, ...]
    is_exact: bool = True

    def __repr__(self) -> str:
        best = max(self.corners, key=lambda each: each[1] - each[0])
        bound = "" if self.is_exact else "at least "
        summary = (
            f"completeness {bound}{float(best[1]):.4g} at soundness error {float(best[0]):.4g}"
        )
        return line(self, f"{len(self.corners)} corners", summary)

    def table(self) -> Table:
        """Return the corners."""
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
    opposition=optional(checked_opposition),
    prior=checked_level,
    prover_accuracy=checked_accuracy,
    verifier_accuracy=checked_chance,
)
def frontier(
    handler: AnyProtocol,
    *,
    pessimistic: bool,
    opposition: Opposition | None = None,
    prior: float | Fraction = Fraction(1, 2),
    prover_accuracy: float | Fraction | tuple[float | Fraction, float | Fraction] = Fraction(1),
    verifier_accuracy: float | Fraction = Fraction(1, 2),
) -> Frontier:
    """Return the frontier over all strategies that a verifier can commit to.

    The provers know the strategy and maximise their pay. The verifier's pay has no effect, unless
    provers share it.

    Against one prover the frontier is exact. Against two provers that each maximise their own pay,
    it is that of the best equilibrium or, with `pessimistic`, a lower bound over all equilibria.
    Against a team it is exact too, except with `pessimistic` and replies that always pay the team
    the same: then it is a lower bound.

    Parameters
    ----------
    handler : ProtocolHandler, Specification, or anything else that identifies a protocol
    pessimistic, opposition, prior, prover_accuracy, verifier_accuracy
        As in :func:`~nip_core.values.best_mechanism`. The prior must not be 0 or 1.

    Raises
    ------
    UnsupportedError
        As there.
    ModelError
        As there.
    """
    _, (apart, playable) = asked_settings(
        judged(handler), opposition, prior, prover_accuracy, verifier_accuracy
    )
    found = [_regions(setting, pessimistic) for setting in playable]
    regions = [region for each, _ in found for region in each]
    corners = [corner for program, gains in regions for corner in _corners(program, gains)]
    return Frontier(_hull(corners), apart in playable and all(whole for _, whole in found))


Region = tuple[LinearProgram, Sequence[Linear]]
"""Commitments, and linear functions that are not negative if the counted replies are best."""


def _regions(setting: Setting, pessimistic: bool) -> tuple[list[Region], bool]:
    """Return regions of commitments with known replies, and whether these are all."""
    program = full_program(setting)
    if not pessimistic or not setting.reporters:
        return [(program, program.truths)], True
    if is_rivalry(setting):
        forced = forced_programs(setting)
        parts = {name[:n] for name in forced for n in range(len(name))}
        return [way for name, way in forced.items() if name not in parts], False
    found: list[Region] = []
    is_whole = True
    for number, heed in enumerate(heeds(setting)):
        program = LinearProgram(setting, heed) if number else program
        if can_be_forced(program, program.truths):
            found.append((program, program.truths))
            if program.is_telling:
                break  # Every way to merge reports is included in this one.
        elif setting.is_team and not all(program.truths):
            # A reply always pays the team the same.
            is_whole = False
    return found, is_whole


def _corners(program: LinearProgram, gains: Sequence[Linear]) -> list[Point]:
    errors, right = program.accepted(0), program.accepted(1)

    def at_most(goal: Linear, *rows: Linear) -> Point:
        at = program.maximise(goal, [*gains, *rows]).at
        return value_at(errors, at), value_at(right, at)

    def between(low: Point, high: Point) -> list[Point]:
        """Return the corners above the straight line from one point to another."""
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
    return [
        (error / program.chance_of(0), completeness / program.chance_of(1))
        for error, completeness in [low, *between(low, high), high]
    ]


def _times(row: Linear, factor: Fraction | int) -> Linear:
    return {place: factor * each for place, each in row.items()}


def _hull(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the corners of the least concave frontier above all points."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda each: (each[0], -each[1])):
        if kept and point[1] <= kept[-1][1]:
            continue
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) >= 0:
            kept.pop()
        kept.append(point)
    return tuple(kept)


def _turn(first: Point, second: Point, third: Point) -> Fraction:
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (
        third[0] - first[0]
    )
