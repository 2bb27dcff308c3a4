"""Where a lesson's room is: which block is at hand, who may answer, what has been told.

Everything here is pure: an act takes a pace and gives the next one. Time is handed in.

A block that asks (a guess, a quiz question, a game) is asked in rounds, ``"before"`` and
``"after"``: before and after people talked to each other, or a wall was put between two provers.
Answers of rounds are kept apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from explorer.lessons.lesson import Block, Lesson
from explorer.rooms.errors import NotNowError

__all__ = [
    "ASKING",
    "ROUNDS",
    "TIMES",
    "Key",
    "Pace",
    "Stage",
    "asks",
    "steps",
]

Stage = Literal["open", "locked", "revealed"]
Key = tuple[int, str]
"""A block, counted from 1 on, and its round."""

ASKING = ("predict", "quiz", "game")
ROUNDS = ("before", "after")
TIMES = (30, 60, 120, 300)  # seconds that a timer may run


def asks(block: Block) -> bool:
    """Does a block want something of people?"""
    return block.kind in ASKING


def steps(lesson: Lesson) -> tuple[tuple[int, ...], ...]:
    """The blocks that are shown together, one step after the other.

    Each block is a step of its own, but ways on to other pages stand below what comes before them.
    """
    made: list[tuple[int, ...]] = []
    for place, block in enumerate(lesson.blocks, start=1):
        if made and block.kind == "open":
            made[-1] += (place,)
        else:
            made.append((place,))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Pace:
    """Where a room is in its lesson.

    Parameters
    ----------
    led : bool
        Does everybody see the step at hand? Otherwise people go on by themselves, and the step at
        hand is what the projector shows.
    at : int
        The step at hand, from 1 on; 0 before the first.
    rounds : mapping of int to str
        The round of each block; the first where nothing is said.
    stages : mapping
        What may be done, by block and round.
    until : datetime, optional
        When the block at hand locks by itself.
    resets : mapping
        How often a block's round was begun anew.
    alone : frozenset of int
        The blocks that each phone plays alone although pairs could.
    pairs : mapping
        Who sits with whom, by block and round; see :mod:`explorer.rooms.pairs`.
    """

    led: bool = True
    at: int = 0
    rounds: Mapping[int, str] = field(default_factory=dict[int, str])
    stages: Mapping[Key, Stage] = field(default_factory=dict[Key, Stage])
    until: datetime | None = None
    resets: Mapping[Key, int] = field(default_factory=dict[Key, int])
    alone: frozenset[int] = frozenset()
    pairs: Mapping[Key, Any] = field(default_factory=dict[Key, Any])

    # -- what holds now ------------------------------------------------------------------------

    def key(self, place: int) -> Key:
        """A block and the round that it is at."""
        return place, self.rounds.get(place, ROUNDS[0])

    def in_pairs(self, lesson: Lesson, place: int) -> bool:
        """Do two phones together play this block?"""
        return self.led and lesson.blocks[place - 1].pairs and place not in self.alone

    def stage(self, lesson: Lesson, key: Key, now: datetime) -> Stage:
        """What may be done with a block: pairs first agree on a plan, so that theirs is locked."""
        place = key[0]
        first: Stage = "locked" if self.in_pairs(lesson, place) else "open"
        stage = self.stages.get(key, first)
        over = self.until is not None and now >= self.until and place == self.asking(lesson)
        return "locked" if stage == "open" and over and key == self.key(place) else stage

    def asking(self, lesson: Lesson) -> int | None:
        """The block at hand that asks, if it does."""
        if not 1 <= self.at <= len(steps(lesson)):
            return None
        at_hand = steps(lesson)[self.at - 1]
        return next((place for place in at_hand if asks(lesson.blocks[place - 1])), None)

    def shown(self, lesson: Lesson) -> tuple[int, ...]:
        """The blocks that people may see: all when they go by themselves, else up to this step."""
        far = steps(lesson)[: self.at] if self.led else steps(lesson)
        return tuple(place for step in far for place in step)

    def told(self, key: Key) -> bool:
        """Has the facilitator revealed it to everybody?"""
        return self.stages.get(key) == "revealed"

    # -- acts ----------------------------------------------------------------------------------

    def went(self, lesson: Lesson, step: int) -> Pace:
        """Go to a step; a timer ends with the step that it was for."""
        if not 0 <= step <= len(steps(lesson)):
            raise NotNowError("The lesson has no such step.")
        return replace(self, at=step, until=None)

    def staged(self, lesson: Lesson, stage: Stage) -> Pace:
        """Open, lock or reveal the block at hand."""
        key = self._at_hand(lesson)
        return replace(self, stages={**self.stages, key: stage}, until=None)

    def timed(self, lesson: Lesson, seconds: int, now: datetime) -> Pace:
        """Open the block at hand for some time."""
        if seconds not in TIMES:
            raise NotNowError(f"A timer runs {', '.join(map(str, TIMES))} seconds.")
        opened = self.staged(lesson, "open")
        return replace(opened, until=now + timedelta(seconds=seconds))

    def asked_in(self, lesson: Lesson, round_name: str) -> Pace:
        """Ask the block at hand in another round."""
        place, _ = self._at_hand(lesson)
        if round_name not in ROUNDS:
            raise NotNowError(f"The rounds are {' and '.join(ROUNDS)}.")
        return replace(self, rounds={**self.rounds, place: round_name}, until=None)

    def reset(self, lesson: Lesson) -> Pace:
        """Begin the block at hand anew, in the round that it is at; its answers are to go."""
        key = self._at_hand(lesson)
        return replace(
            self,
            stages={each: stage for each, stage in self.stages.items() if each != key},
            resets={**self.resets, key: self.resets.get(key, 0) + 1},
            pairs={each: seated for each, seated in self.pairs.items() if each != key},
            until=None,
        )

    def played(self, lesson: Lesson, *, alone: bool) -> Pace:
        """Let each phone play the block at hand alone, or two together."""
        place, _ = self._at_hand(lesson)
        if not lesson.blocks[place - 1].pairs:
            raise NotNowError("This block is played alone.")
        return replace(self, alone=self.alone | {place} if alone else self.alone - {place})

    def _at_hand(self, lesson: Lesson) -> Key:
        place = self.asking(lesson)
        if place is None:
            raise NotNowError(
                "This step asks nothing of anybody. Go to a question, a guess or a game."
            )
        return self.key(place)

    # -- documents -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The pace as a plain document."""
        return {
            "led": self.led,
            "at": self.at,
            "rounds": {str(place): name for place, name in self.rounds.items()},
            "stages": {_text(key): stage for key, stage in self.stages.items()},
            "until": None if self.until is None else self.until.isoformat(),
            "resets": {_text(key): count for key, count in self.resets.items()},
            "alone": sorted(self.alone),
            "pairs": {_text(key): seated for key, seated in self.pairs.items()},
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Pace:
        """Read what :meth:`to_dict` made; where nothing was kept yet, the beginning."""
        if not document:
            return cls()
        until = document["until"]
        return cls(
            led=document["led"],
            at=document["at"],
            rounds={int(place): name for place, name in document["rounds"].items()},
            stages={_key(text): stage for text, stage in document["stages"].items()},
            until=None if until is None else datetime.fromisoformat(until),
            resets={_key(text): count for text, count in document["resets"].items()},
            alone=frozenset(document["alone"]),
            pairs={_key(text): seated for text, seated in document["pairs"].items()},
        )


def _text(key: Key) -> str:
    return f"{key[0]}/{key[1]}"


def _key(text: str) -> Key:
    place, _, name = text.partition("/")
    return int(place), name
