"""A room's position in its lesson: the current block, who may answer, what is revealed.

Everything here is pure: an act returns a new pace, and the time is an argument.

A block that asks (a guess, a quiz question, a game) has two rounds, ``"before"`` and ``"after"``:
before and after people talked to each other, or the two provers were separated. Answers of the
rounds are kept apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from explorer.lessons import Block, Lesson
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
TIMES = (30, 60, 120, 300)  # seconds for which a timer may run


def asks(block: Block) -> bool:
    """Return whether a block asks people for something."""
    return block.kind in ASKING


def steps(lesson: Lesson) -> tuple[tuple[int, ...], ...]:
    """Return the blocks grouped into steps.

    Each block is a step of its own, except that links to other pages belong to the step before.
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
    """A room's position in its lesson.

    Parameters
    ----------
    led : bool
        Whether everybody sees the current step. Otherwise people go on by themselves, and the
        current step is what the projector shows.
    at : int
        The current step, counted from 1; 0 before the first.
    rounds : mapping of int to str
        The round of each block; by default the first.
    stages : mapping
        What may be done, by block and round.
    until : datetime, optional
        When the current block locks by itself.
    resets : mapping
        How often a block's round was reset.
    alone : frozenset of int
        The blocks that are played alone although they could be played in pairs.
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

    # -- queries -------------------------------------------------------------------------------

    def key(self, place: int) -> Key:
        """Return a block and its current round."""
        return place, self.rounds.get(place, ROUNDS[0])

    def in_pairs(self, lesson: Lesson, place: int) -> bool:
        """Return whether this block is played in pairs."""
        return self.led and lesson.blocks[place - 1].pairs and place not in self.alone

    def stage(self, lesson: Lesson, key: Key, now: datetime) -> Stage:
        """Return what may be done with a block; one for pairs starts locked: they plan first."""
        place = key[0]
        first: Stage = "locked" if self.in_pairs(lesson, place) else "open"
        stage = self.stages.get(key, first)
        over = self.until is not None and now >= self.until and place == self.asking(lesson)
        return "locked" if stage == "open" and over and key == self.key(place) else stage

    def asking(self, lesson: Lesson) -> int | None:
        """Return the current block that asks something, if there is one."""
        if not 1 <= self.at <= len(steps(lesson)):
            return None
        at_hand = steps(lesson)[self.at - 1]
        return next((place for place in at_hand if asks(lesson.blocks[place - 1])), None)

    def shown(self, lesson: Lesson) -> tuple[int, ...]:
        """Return the blocks that people may see: all if self-paced, else up to the current step."""
        far = steps(lesson)[: self.at] if self.led else steps(lesson)
        return tuple(place for step in far for place in step)

    def is_revealed(self, key: Key) -> bool:
        """Return whether the facilitator has revealed the block's solution."""
        return self.stages.get(key) == "revealed"

    # -- acts ----------------------------------------------------------------------------------

    def went(self, lesson: Lesson, step: int) -> Pace:
        """Go to a step; the timer ends with the step that it belongs to."""
        if not 0 <= step <= len(steps(lesson)):
            raise NotNowError("The lesson has no such step.")
        return replace(self, at=step, until=None)

    def staged(self, lesson: Lesson, stage: Stage) -> Pace:
        """Open, lock or reveal the block at hand."""
        key = self._at_hand(lesson)
        return replace(self, stages={**self.stages, key: stage}, until=None)

    def timed(self, lesson: Lesson, seconds: int, now: datetime) -> Pace:
        """Open the current block for a limited time."""
        if seconds not in TIMES:
            raise NotNowError(f"A timer runs {', '.join(map(str, TIMES))} seconds.")
        opened = self.staged(lesson, "open")
        return replace(opened, until=now + timedelta(seconds=seconds))

    def asked_in(self, lesson: Lesson, round_name: str) -> Pace:
        """Ask the current block in another round."""
        place, _ = self._at_hand(lesson)
        if round_name not in ROUNDS:
            raise NotNowError(f"The rounds are {' and '.join(ROUNDS)}.")
        return replace(self, rounds={**self.rounds, place: round_name}, until=None)

    def reset(self, lesson: Lesson) -> Pace:
        """Reset the current block in its round; the caller deletes its answers."""
        key = self._at_hand(lesson)
        return replace(
            self,
            stages={each: stage for each, stage in self.stages.items() if each != key},
            resets={**self.resets, key: self.resets.get(key, 0) + 1},
            pairs={each: seated for each, seated in self.pairs.items() if each != key},
            until=None,
        )

    def played(self, lesson: Lesson, *, alone: bool) -> Pace:
        """Let the current block be played alone or in pairs."""
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
        """Return the pace as a plain document."""
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
        """Return the pace that :meth:`to_dict` wrote; the beginning if nothing was stored."""
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
