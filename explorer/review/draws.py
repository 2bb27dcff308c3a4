"""All that may come out where players draw, each with its chance. Exact: nothing is sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from explorer.players.scripted import Level, Way

__all__ = ["Draws", "Noting", "Undecided", "outcomes"]

T = TypeVar("T")
Key = tuple[str, ...]


@dataclass
class Draws:
    """One way in which all draws may come out: some given, the first possible one for the rest.

    Parameters
    ----------
    given : tuple of int
        The options taken at the first draws.
    """

    given: tuple[int, ...] = ()
    taken: list[tuple[int, tuple[Fraction, ...]]] = field(
        default_factory=list[tuple[int, tuple[Fraction, ...]]]
    )

    @property
    def chance(self) -> Fraction:
        """How likely this way is."""
        product = Fraction(1)
        for option, chances in self.taken:
            product *= chances[option]
        return product

    def draw(self, chances: tuple[Fraction, ...]) -> int:
        """The option that comes out."""
        place = len(self.taken)
        option = self.given[place] if place < len(self.given) else 0
        self.taken.append((option, chances))
        return option


def outcomes(play: Callable[[Draws], T]) -> Iterator[tuple[Fraction, T]]:
    """Let something happen in every way in which it can; each way's chance and result."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = Draws(waiting.pop())
        result = play(draws)
        yield draws.chance, result
        options = tuple(option for option, _ in draws.taken)
        for place in range(len(draws.given), len(options)):
            for other in range(1, len(draws.taken[place][1])):
                waiting.append((*options[:place], other))


@dataclass(frozen=True)
class Undecided(Level):
    """A level whose draws are still open, but for those that a player has made before.

    Parameters
    ----------
    draws : Draws
    before : dict of tuple to int
        What came out, by what the draw was about; what is drawn is added. Players share it: what
        each draws about holds whose story it is.
    """

    draws: Draws = field(default_factory=Draws)
    before: dict[Key, int] = field(default_factory=dict[Key, int])

    @classmethod
    def of(cls, level: Level, draws: Draws, before: dict[Key, int]) -> Undecided:
        """The level of a player, open."""
        return cls(level.name, level.about, level.ways, draws, before)

    def way(self, *about: str | int) -> Way:
        """What is done in one case: as before, or as it is drawn."""
        possible = tuple(dict.fromkeys(self.ways))
        return possible[self._drawn(tuple(map(self.chance, possible)), "way", *about)]

    def pick(self, choices: int, *about: str | int) -> int:
        """Which invention comes to its mind: as before, or as it is drawn."""
        return self._drawn((Fraction(1, choices),) * choices, "pick", *about)

    def _drawn(self, chances: tuple[Fraction, ...], *about: str | int) -> int:
        key = (self.name, *map(str, about))
        if key not in self.before:
            self.before[key] = self.draws.draw(chances)
        return self.before[key]


@dataclass(frozen=True)
class Noting(Level):
    """A level that notes what came out, as :class:`Undecided` takes it."""

    noted: dict[Key, int] = field(default_factory=dict[Key, int])

    def way(self, *about: str | int) -> Way:
        """What is done in one case."""
        drawn = super().way(*about)
        self.noted[self.name, "way", *map(str, about)] = [*dict.fromkeys(self.ways)].index(drawn)
        return drawn

    def pick(self, choices: int, *about: str | int) -> int:
        """Which invention comes to its mind."""
        drawn = super().pick(choices, *about)
        self.noted[self.name, "pick", *map(str, about)] = drawn
        return drawn
