r"""The strength of honest and dishonest players, from who convinced.

A *match* is an episode in which two seats argued for different answers. The seat whose answer was
chosen wins; without a verdict, each has half a win. In the model of Bradley and Terry (1952) with
strengths :math:`\theta`,

.. math::

    \Pr[i \text{ beats } j] = \frac{1}{1 + 10^{(\theta_j - \theta_i) / 400}} ,

on the scale of Elo (1978), whose mean is 1500.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from explorer.studies.results import ResultRow
from explorer.studies.statistics.estimates import LEVEL, Estimate, Estimates, Floats, Redrawn
from explorer.studies.study import StudyError
from nip_core.displays import displayed

MIDDLE = 1500.0
SCALE = 400 / math.log(10)
# Every player is given this many games against an average player, each counted as half a win.
# Without them, a player who never lost would be infinitely strong.
GIVEN = 1.0
MOST_PLAYERS = 60
HONEST, DISHONEST = "honest", "dishonest"


@displayed
@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A match of two players who argued for different answers."""

    first: str
    second: str
    score: float  # 1 if the first won, 0 if the second did, 1/2 if neither did
    problem: str = ""  # matches about one problem are similar, so the bootstrap draws them together


@displayed
@dataclass(frozen=True, slots=True)
class Rating:
    """The strength of a player who argues for the truth, or against it.

    Parameters
    ----------
    side : {"honest", "dishonest"}
    strength : Estimate
        By the model of Bradley and Terry; its count is of matches.
    won : float
        The share of matches that it won; a half for those without a verdict.
    remark : str
        Why the matches alone give no finite number, and what was done; else empty.
    """

    player: str
    side: str
    strength: Estimate
    won: float
    remark: str = ""


def matches(rows: Iterable[ResultRow]) -> list[RatedMatch]:
    """Return a match for each episode: its honest seat against its dishonest one.

    The players are named with their sides, as ``"name, honest"``. If several seats argued for one
    side, the first one counts. Episodes without two sides are left out.
    """
    rated: list[RatedMatch] = []
    for row in rows:
        sides = {
            honest: next((a for a, s in row.stances.items() if (s == row.y) == honest), None)
            for honest in (True, False)
        }
        one, other = sides[True], sides[False]
        if row.y >= 0 and one is not None and other is not None:
            score = 0.5 if row.decision is None else float(row.decision == row.y)
            first, second = row.seats.get(one, "?"), row.seats.get(other, "?")
            rated.append(
                RatedMatch(f"{first}, {HONEST}", f"{second}, {DISHONEST}", score, row.problem)
            )
    return rated


def bradley_terry(wins: Floats, prior: float = 0.0) -> Floats:
    """Return the maximum-likelihood strengths, as natural logarithms with mean 0.

    An array of wins (..., n, n) has how often the row's player beat the column's. Every player is
    given so many games more against an average one, half of them won, which keep strengths finite
    if somebody always won. Without them, a StudyError says that a strength is infinite.
    """
    if prior <= 0 and without_bounds(wins):
        raise StudyError(
            "A player never lost, or never won, against all others, so no finite ratings exist. "
            "Give everybody a game against an average player."
        )
    played = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(-1) + prior / 2
    strength: Floats = np.zeros(wins.shape[:-1])
    size = wins.shape[-1]
    # Newton's method on a concave function; the mean is fixed, since nothing depends on it.
    held: Floats = np.full((size, size), 1 / size)
    for _ in range(200):
        chance = 1 / (1 + np.exp(strength[..., None, :] - strength[..., :, None]))
        drawn = 1 / (1 + np.exp(-strength))
        slope = won - (played * chance).sum(-1) - prior * drawn
        weight = played * chance * (1 - chance)
        curve = -weight + held
        diagonal = weight.sum(-1) + prior * drawn * (1 - drawn)
        curve[..., np.arange(size), np.arange(size)] += diagonal
        step = cast("Floats", np.linalg.solve(curve, slope[..., None])[..., 0])
        # Steps are limited to where the quadratic approximation is meaningful.
        strength = strength + np.clip(step, -2, 2)
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return strength - strength.mean(-1, keepdims=True)


def without_bounds(wins: Floats) -> bool:
    """Return whether a group of players never lost to, or never met, the others (Ford 1957).

    Then no finite strengths have maximum likelihood.
    """
    return not _reached(wins).all()


def _reached(wins: Floats) -> npt.NDArray[np.bool_]:
    """Return who beat whom, directly or through a chain of wins."""
    size = wins.shape[-1]
    reached = (wins > 0) | np.eye(size, dtype=bool)
    for between in range(size):
        reached |= reached[..., between, None] & reached[..., None, between, :]
    return reached


def ratings(played: Iterable[RatedMatch], level: float = LEVEL) -> Estimates[Rating]:
    """Return the ratings of all players with a match, the strongest first.

    Every player is given a drawn game against an average one. So ratings are finite even of players
    who never lost, never won or never met; their remarks say so.

    Raises
    ------
    StudyError
        If there are too many players.
    """
    listed = list(played)
    names = list(dict.fromkeys(name for m in listed for name in (m.first, m.second)))
    if not names:
        return Estimates()
    if len(names) > MOST_PLAYERS:
        raise StudyError(
            f"{len(names)} players argued for one side or the other; at most {MOST_PLAYERS} are "
            "rated together. Choose fewer conditions."
        )
    wins, columns = _wins(listed, names)
    strengths = MIDDLE + SCALE * bradley_terry(wins, GIVEN)
    redrawn = Redrawn([match.problem for match in listed])
    drawn = _redrawn_strengths(redrawn, columns, len(names))
    remarks = _remarks(wins, names)
    counts = (wins + wins.T).sum(1)
    found: list[Rating] = []
    for place, name in enumerate(names):
        mine = [m for m in listed if name in (m.first, m.second)]
        between = None if drawn is None else redrawn.interval(drawn[:, place], level)
        low, high = between or (None, None)
        size = len({match.problem for match in mine})
        strength = Estimate(float(strengths[place]), low, high, None, len(mine), size)
        player, _, side = name.rpartition(", ")
        won = float(wins[place].sum() / counts[place])
        found.append(Rating(player, side, strength, won, remarks[place]))
    return Estimates(sorted(found, key=lambda rating: -(rating.strength.value or 0.0)))


def _wins(
    played: Sequence[RatedMatch], names: Sequence[str]
) -> tuple[Floats, dict[tuple[int, int], Floats]]:
    """Return how often each player beat each other, and the same for each match, by pair."""
    places = {name: place for place, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    columns: dict[tuple[int, int], Floats] = {}
    for number, match in enumerate(played):
        one, other = places[match.first], places[match.second]
        for winner, loser, score in ((one, other, match.score), (other, one, 1 - match.score)):
            if score and one != other:
                wins[winner, loser] += score
                column = columns.setdefault((winner, loser), np.zeros(len(played)))
                column[number] += score
    return wins, columns


def _redrawn_strengths(
    redrawn: Redrawn, columns: dict[tuple[int, int], Floats], size: int
) -> Floats | None:
    """Return all strengths in each of the draws."""
    if redrawn.size < 2 or not columns:
        return None
    sums = redrawn.sums(np.column_stack(list(columns.values())))
    wins = np.zeros((len(sums), size, size))
    for (winner, loser), total in zip(columns, sums.T, strict=True):
        wins[:, winner, loser] = total
    return MIDDLE + SCALE * bradley_terry(wins, GIVEN)


def _remarks(wins: Floats, names: Sequence[str]) -> list[str]:
    """Return a remark for each player whose rating the matches alone do not bound."""
    reached = _reached(wins)
    met = _reached(wins + wins.T)
    remarks: list[str] = []
    for place in range(len(names)):
        lost, won = wins[:, place].sum(), wins[place].sum()
        if not lost:
            remarks.append(f"never lost; {_BOUNDED}")
        elif not won:
            remarks.append(f"never won; {_BOUNDED}")
        elif not met[place].all():
            remarks.append(f"not compared with all others, even through others; {_BOUNDED}")
        elif not (reached[place].all() and reached[:, place].all()):
            remarks.append(
                f"in a group that always won, or always lost, against the others; {_BOUNDED}"
            )
        else:
            remarks.append("")
    return remarks


_BOUNDED = (
    "the rating is finite only because each player also gets a drawn game against an average "
    "player."
)
