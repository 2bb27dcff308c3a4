"""A verifier's value against provers that resolve indifference against it.

A prover knows the commitment and picks the reply that pays it best; among equally good ones, the
reply that is worst for the verifier. The verifier's value then jumps where the prover becomes
indifferent, so the largest value may only be approached (von Stengel and Zamir, 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from nip_core.values.linear import ONE, Linear, Solution, combined, less, maximise, value_at

__all__ = ["Contest", "Reply", "attaining", "hostile", "strictly"]


@dataclass(frozen=True, slots=True)
class Reply:
    """The value of a reply for both players, as linear functions of the commitment."""

    prover: Linear
    verifier: Linear


@dataclass(frozen=True, slots=True)
class Contest:
    """The true reply compared with all others, in a choice that is independent of other choices."""

    truth: Reply
    rivals: tuple[Reply, ...]

    @property
    def gains(self) -> list[Linear]:
        """Return by how much the true reply is better than each other one."""
        return [less(self.truth.prover, rival.prover) for rival in self.rivals]


def strictly(gains: Sequence[Linear], rows: Sequence[Linear], size: int) -> Solution | None:
    """Return a commitment that fits rows and makes all gains positive."""
    lead = {size: Fraction(1)}
    fits = [*rows, *(less(row, lead) for row in gains), {ONE: Fraction(1), size: Fraction(-1)}]
    solved = maximise(lead, fits, size + 1, beyond=Fraction(0))
    return solved if solved is not None and solved.value > 0 else None


def hostile(
    contests: Sequence[Contest], rows: Sequence[Linear], size: int
) -> tuple[Fraction, Solution] | None:
    """Return the value that is approached if true replies can be made the only best replies.

    Replies that pay the provers the same under every commitment count as one; of these, provers
    pick the one that is worst for the verifier.

    Returns
    -------
    found : pair of Fraction and Solution, or None
        None if no commitment makes true replies better than all others.
    """
    tied = [[r for r, gain in zip(c.rivals, c.gains, strict=True) if not gain] for c in contests]
    gains = [gain for contest in contests for gain in contest.gains if gain]
    if gains and strictly(gains, rows, size) is None:
        return None
    goal, least, wide = _least(contests, tied, size)
    solved = maximise(goal, [*rows, *gains, *least], wide)
    return None if solved is None else (solved.value, solved)


def attaining(
    contests: Sequence[Contest], rows: Sequence[Linear], size: int, value: Fraction
) -> Solution | None:
    """Return a commitment with a value under all best replies; None if there is none.

    Consider all commitments that make true replies best and have the value under every reply that
    must be expected. If a reply is as good as the true one under all of these, it must be expected
    too. This is repeated until no reply is added.
    """
    tied: list[list[Reply]] = [[] for _ in contests]
    while True:
        goal, least, wide = _least(contests, tied, size)
        fits = [*rows, *least, less(goal, {ONE: value})]
        leads: list[tuple[int, Reply, Linear]] = []
        for place, contest in enumerate(contests):
            for rival, gain in zip(contest.rivals, contest.gains, strict=True):
                fits.append(gain)
                if not any(rival is each for each in tied[place]):
                    leads.append((place, rival, gain))
        points: list[Solution] = []
        while True:
            solved = _ahead([gain for _, _, gain in leads], fits, wide)
            if solved is None:
                return None
            points.append(solved)
            left = [lead for lead in leads if value_at(lead[2], solved.at) <= 0]
            if len(left) == len(leads):
                break
            leads = left
        if not leads:
            # At the mean of points, everything is strict that is strict at one of them.
            columns = zip(*(point.at[:size] for point in points), strict=True)
            middle = tuple(sum(each, Fraction(0)) / len(points) for each in columns)
            return Solution(value, middle)
        for place, rival, _ in leads:
            tied[place].append(rival)


def _least(
    contests: Sequence[Contest], tied: Sequence[Sequence[Reply]], size: int
) -> tuple[Linear, list[Linear], int]:
    """Return the verifier's least value, the rows that ensure it, and the number of variables."""
    parts: list[Linear] = []
    rows: list[Linear] = []
    for contest, others in zip(contests, tied, strict=True):
        if not others:
            parts.append(contest.truth.verifier)
            continue
        least = {size: Fraction(1)}
        rows += [less(each.verifier, least) for each in (contest.truth, *others)]
        parts.append(least)
        size += 1
    return combined(parts), rows, size


def _ahead(gains: Sequence[Linear], rows: Sequence[Linear], size: int) -> Solution | None:
    """Return a solution at which as many gains as possible are positive."""
    leads = range(size, size + len(gains))
    more = [less(row, {place: Fraction(1)}) for row, place in zip(gains, leads, strict=True)]
    caps = [{ONE: Fraction(1), place: Fraction(-1)} for place in leads]
    goal = dict.fromkeys(leads, Fraction(1))
    return maximise(goal, [*rows, *more, *caps], size + len(gains))
