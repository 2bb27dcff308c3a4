"""How well liars lie, and how often two of them contradict each other.

What an expert has to claim for its side it works out, like anybody, from programs and graphs. Where
that is also what is so, there is nothing to think about, and all experts say the same. Where it is
not, the expert has to lie. What was prepared, it has by heart, and so has everybody of its side.
Where nothing was prepared it lies by itself: it works out what its story needs, or it makes
something up that might pass, or it slips, and says what is so after all; or it evades.

Nobody decides to contradict anybody. Two who cannot talk to each other lie independently, and what
they say differs as often as two such inventions do: :func:`chance_of_contradiction` goes through
all of them. Two who sit together have agreed on one story, and say the same.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from explorer.players.scripted.provers.voices import drawn
from nip_core.displays import displayed
from nip_core.errors import UnknownNameError

__all__ = ["LEVELS", "Level", "Way", "chance_of_contradiction", "level_named"]

# What a liar does where it has to lie and nothing was prepared.
Way = Literal["plan", "invent", "slip", "evade"]
# What a liar says, as far as others can tell it apart; None is nothing.
Lie = Hashable


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

    def pick(self, choices: int, *about: str | int) -> int:
        """Which of several inventions comes to its mind, all equally likely."""
        return drawn("invention", *about) % choices

    def chance(self, way: Way) -> Fraction:
        """How often it does what."""
        return Fraction(self.ways.count(way), len(self.ways))

    def lies(self, choices: int, *, truth: bool = True) -> Mapping[Lie, Fraction]:
        """How likely each thing is that it may say where it has to lie.

        Parameters
        ----------
        choices : int
            How many values come to mind that might pass, besides the one that the story needs.
        truth : bool
            Is there a true value that may slip out? Else whoever leaves the story makes one up.
        """
        slip = self.chance("slip") if truth else Fraction(0)
        made_up = 1 - self.chance("plan") - self.chance("evade") - slip
        lies: dict[Lie, Fraction] = {
            "plan": self.chance("plan"),
            "slip": slip,
            None: self.chance("evade"),
        }
        if not choices:
            lies["plan"] += made_up
        for number in range(choices):
            lies[number] = made_up / choices
        return lies


def _level(name: str, about: str, *, plan: int, invent: int, slip: int, evade: int) -> Level:
    times: dict[Way, int] = {"plan": plan, "invent": invent, "slip": slip, "evade": evade}
    return Level(name, about, tuple(way for way, n in times.items() for _ in range(n)))


LEVELS = {
    level.name: level
    for level in (
        _level(
            "easy",
            "lies badly: makes things up, lets the truth slip out, or evades",
            plan=5,
            invent=6,
            slip=7,
            evade=2,
        ),
        _level(
            "medium",
            "keeps to its story most of the time, but may make things up or slip",
            plan=12,
            invent=5,
            slip=2,
            evade=1,
        ),
        _level(
            "hard",
            "knows its story, lets nothing slip, and seldom has to make something up",
            plan=14,
            invent=6,
            slip=0,
            evade=0,
        ),
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


def chance_of_contradiction(
    levels: Sequence[Level], choices: int, *, truth: bool = True
) -> Fraction:
    """How often liars who sit apart contradict each other when all are asked the same thing.

    Worked out by going through all that each of them may say by itself, where it must lie and
    nothing was prepared. Honest experts never contradict each other.

    Parameters
    ----------
    levels : sequence of Level
    choices, truth
        As for :meth:`Level.lies`.
    """
    lies = [level.lies(choices, truth=truth).items() for level in levels]
    return sum(
        (
            math.prod((chance for _, chance in said), start=Fraction(1))
            for said in itertools.product(*lies)
            if len({what for what, _ in said if what is not None}) > 1
        ),
        start=Fraction(0),
    )
