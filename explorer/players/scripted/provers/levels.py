"""How well liars lie, and how often two of them contradict each other.

What an expert has to claim for its side it works out, like anybody, from programs and graphs. Where
that is also what is so, there is nothing to think about, and all experts say the same. Where it is
not, the expert has to lie: it may keep to the plan, which is the same for all who argue its side;
it may slip, and say what is so after all; or it evades. Two who cannot talk to each other draw
apart, and contradict each other when one keeps to the plan and the other slips.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from explorer.players.scripted.provers.voices import drawn
from nip_core.displays import displayed
from nip_core.errors import UnknownNameError

__all__ = ["LEVELS", "Level", "Way", "chance_of_contradiction", "level_named"]

# What a liar does where it has to lie.
Way = Literal["plan", "slip", "evade"]


@displayed
@dataclass(frozen=True, slots=True)
class Level:
    """How well a prover plays.

    Parameters
    ----------
    name : str
    about : str
        For whoever chooses it.
    ways : tuple of str
        What it does where it has to lie, one of these with equal chances each time.
    """

    name: str
    about: str
    ways: tuple[Way, ...]

    def way(self, *about: str | int) -> Way:
        """What is done in one case: the same whenever the same is asked."""
        return self.ways[drawn("way", *about) % len(self.ways)]

    def chance(self, way: Way) -> Fraction:
        """How often it does what."""
        return Fraction(self.ways.count(way), len(self.ways))


def _level(name: str, about: str, *, plan: int, slip: int, evade: int) -> Level:
    times: dict[Way, int] = {"plan": plan, "slip": slip, "evade": evade}
    return Level(name, about, tuple(way for way, n in times.items() for _ in range(n)))


LEVELS = {
    level.name: level
    for level in (
        _level("easy", "lies badly: lets the truth slip out, or evades", plan=10, slip=8, evade=2),
        _level("medium", "keeps to its story most of the time", plan=15, slip=4, evade=1),
        _level("hard", "never leaves its story", plan=20, slip=0, evade=0),
    )
}


def level_named(name: str) -> Level:
    """A level by its name.

    Raises
    ------
    UnknownNameError
    """
    if name not in LEVELS:
        raise UnknownNameError("level", name, list(LEVELS))
    return LEVELS[name]


def chance_of_contradiction(levels: Sequence[Level]) -> Fraction:
    """How often liars contradict each other when all are asked the same thing and must lie.

    Worked out by going through all that they may do. Honest experts never contradict each other.
    """
    cases = list(itertools.product(*(level.ways for level in levels)))
    return Fraction(sum({"plan", "slip"} <= set(ways) for ways in cases), len(cases))
