"""What a game is that two people play together, each at an own phone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

from explorer.lessons.game import Choice, Circumstances, Scene

__all__ = ["PairGame", "PairRound", "Sight"]


@dataclass(frozen=True, slots=True)
class PairRound:
    """A round of two players.

    Parameters
    ----------
    asked : (int, int)
        The question of each.
    answers : (int or None, int or None)
        What each has said; None until then.
    by_people : bool
        Did no bot take part?
    bots : (bool, bool)
        Did a bot answer in the place of each?
    """

    asked: tuple[int, int]
    answers: tuple[int | None, int | None]
    by_people: bool = True
    bots: tuple[bool, bool] = (False, False)

    @property
    def complete(self) -> bool:
        """Have both answered?"""
        return None not in self.answers


@dataclass(frozen=True, slots=True)
class Sight:
    """What one of the two may know of their game. A scene is made of this and nothing else.

    Parameters
    ----------
    partner : str
        What the other one is called.
    bot : bool
        Does a bot answer for the other one?
    wall : bool
    passed : tuple of (int, int, bool)
        The own questions and answers of this game's rounds that held, and whether a bot answered.
    asked, other : int, optional
        The question now; the other one's, where there is no wall.
    answer : int, optional
        What was answered to it, while the other one has not.
    before : tuple of PairRound
        The whole game that ended last; over, it is no secret any more.
    """

    partner: str
    bot: bool
    wall: bool
    passed: tuple[tuple[int, int, bool], ...]
    asked: int
    other: int | None
    answer: int | None
    before: tuple[PairRound, ...]


class PairGame(Protocol):
    """A game for two, of rounds in which each answers an own question.

    Attributes
    ----------
    rounds : int
        After so many rounds that held, a game is survived.
    outcomes : mapping
        How a round can end, and what that is called for people: ``held`` and ``failed``.
    """

    rounds: int
    outcomes: Mapping[str, str]

    def circumstances(self, *, wall: bool) -> Circumstances:
        """With a wall or without: for people, and the chances of a round for the best players."""
        ...

    def question(self, random: Random) -> tuple[int, int]:
        """What both are asked."""
        ...

    def choices(self) -> tuple[Choice, ...]:
        """What can be answered; the names are whole numbers."""
        ...

    def holds(self, asked: tuple[int, int], answers: tuple[int, int]) -> bool:
        """Is the verifier content?"""
        ...

    def bot(self, seat: int, asked: tuple[int, int], *, wall: bool) -> int:
        """What a bot answers that keeps to the plan."""
        ...

    def scene(self, sight: Sight) -> Scene:
        """What the person sees."""
        ...

    def huddle(self, partner: str, *, bot: bool, wall: bool) -> Scene:
        """What the person sees before the first question."""
        ...
