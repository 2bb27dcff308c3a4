"""All that may come out where players draw, each with its chance. Exact: nothing is sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from explorer.players.scripted import Level, Way

__all__ = ["Draws", "Undecided", "outcomes"]

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
    before : mapping of tuple to str
        What it did, by what the draw was about; what is drawn is added.
    """

    draws: Draws = field(default_factory=Draws)
    before: dict[Key, Way] = field(default_factory=dict[Key, Way])

    @classmethod
    def of(cls, level: Level, draws: Draws, before: Mapping[Key, Way]) -> Undecided:
        """The level of a player, open."""
        return cls(level.name, level.about, level.ways, draws, dict(before))

    def way(self, *about: str | int) -> Way:
        """What is done in one case: as before, or as it is drawn."""
        key = tuple(map(str, about))
        if key not in self.before:
            possible = tuple(dict.fromkeys(self.ways))
            option = self.draws.draw(tuple(map(self.chance, possible)))
            self.before[key] = possible[option]
        return self.before[key]
