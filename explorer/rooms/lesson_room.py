"""A room's lesson: what was loaded of it, in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from explorer.lessons.lesson import Answer, Block, Lesson
from explorer.lessons.library import lessons, pair_game
from explorer.lessons.pair_game import PairGame
from explorer.rooms.changes import now
from explorer.rooms.errors import RoomError
from explorer.rooms.lesson_counts import given_of
from explorer.rooms.pace import ROUNDS, Key, Pace, Stage
from explorer.rooms.pairs import Given, PairPlay, play_of, seat_of, sitters
from explorer.rooms.room import Room
from explorer.storage import Rooms
from nip_core.displays import displayed

__all__ = ["STATE", "LessonRoom", "lesson_called", "untold"]

STATE = "lesson"  # where the pace is in the room's state
ONE = ("guess", "quiz")  # the kinds of answers of which somebody has one to a question
Row = Mapping[str, Any]


def lesson_called(slug: str) -> Lesson:
    """A lesson by its name.

    Raises
    ------
    RoomError
        If there is none: a teacher's file may have gone.
    """
    found = next((each for each in lessons()[0] if each.slug == slug), None)
    if found is None:
        raise RoomError(
            f"The lesson {slug!r} of this room is not here any more. Put its file back, or make a "
            "room with another lesson."
        )
    return found


def untold(block: Block) -> Block:
    """A block without what is told after it was answered."""
    answers = tuple(Answer(answer.text, "") for answer in block.answers)
    if block.kind == "predict":
        return replace(block, text="", truth=None, right="")
    return replace(block, answers=answers)


@displayed
@dataclass(frozen=True)
class LessonRoom:
    """A room and its lesson as they are now. Of the answers what is asked for is read, once.

    Parameters
    ----------
    room : Room
    """

    room: Room
    _kept: Rooms = field(repr=False)
    _said: dict[int, dict[Key, str]] = field(default_factory=dict[int, dict[Key, str]], repr=False)
    _played: dict[tuple[Key, int], PairPlay] = field(
        default_factory=dict[tuple[Key, int], PairPlay], repr=False
    )

    @cached_property
    def lesson(self) -> Lesson:
        """What is learned."""
        return lesson_called(self.room.plan.lesson)

    @cached_property
    def pace(self) -> Pace:
        """Where it is."""
        return Pace.from_dict(self.room.state.get(STATE, {}))

    @cached_property
    def gone(self) -> Collection[int]:
        """The people who have left."""
        return frozenset(person.number for person in self.room.people if person.left)

    @cached_property
    def bots(self) -> Collection[int]:
        """The bots that rehearse here."""
        return frozenset(person.number for person in self.room.here if person.bot)

    @cached_property
    def uncounted(self) -> Collection[int]:
        """Those whose answers no tally counts: bots, beside people.

        In a rehearsal, and where there are only bots, they are counted, and named as bots.
        """
        people = any(not person.bot for person in self.room.here)
        return self.bots if people and not self.room.plan.rehearsal else frozenset()

    @property
    def of_bots(self) -> str:
        """What a tally says of bots; empty where there are none."""
        if not self.bots:
            return ""
        bots = "1 bot" if len(self.bots) == 1 else f"{len(self.bots)} bots"
        return f"{bots}, not counted." if self.uncounted else f"A rehearsal: {bots} are counted."

    def block(self, place: int) -> Block:
        """A block by its number, from 1 on."""
        return self.lesson.blocks[place - 1]

    def stage(self, key: Key) -> Stage:
        """What may be done with a block now."""
        return self.pace.stage(self.lesson, key, now())

    @cached_property
    def counts(self) -> Mapping[Key, Counter[str]]:
        """How often each value was answered, by block and round."""
        found: dict[Key, Counter[str]] = {}
        for row in self._kept.answers_counted(self.room.number, self.uncounted):
            found.setdefault((row["block"], row["part"]), Counter())[row["value"]] += row["often"]
        return found

    @cached_property
    def answered(self) -> Mapping[Key, int]:
        """How many of those who are here and counted have answered, by block and round."""
        return self._kept.answered(self.room.number, {*self.gone, *self.uncounted})

    @cached_property
    def rows(self) -> list[Row]:
        """All answers."""
        return self._kept.answers_of(self.room.number)

    def of(self, key: Key, people: Collection[int] | None = None) -> list[Row]:
        """The answers to a block in a round: all, or those of some people."""
        return self._kept.answers_of(self.room.number, people=people, at=key)

    def mine(self, key: Key, person: int) -> str | None:
        """What somebody has guessed or answered."""
        if person not in self._said:
            own = self._kept.answers_of(self.room.number, people=[person], kinds=ONE)
            self._said[person] = {(row["block"], row["part"]): row["value"] for row in own}
        return self._said[person].get(key)

    def game(self, place: int) -> PairGame:
        """The game that two phones play together."""
        found = pair_game(self.block(place).name)
        if found is None:
            raise RoomError("This game is not played by pairs.")
        return found

    def given(self, key: Key, people: Collection[int] | None = None) -> Given:
        """What the people of all pairs have answered, or some of them."""
        return given_of(self.of(key, people))

    def seating(self, key: Key) -> Mapping[str, Any]:
        """Who sits with whom."""
        return self.pace.pairs.get(key, {"seed": "", "pairs": []})

    def pair(self, key: Key, person: int) -> tuple[PairPlay, int, int] | None:
        """Somebody's game, which pair it is, and their seat in it."""
        place = seat_of(self.seating(key), person)
        if place is None:
            return None
        number, seat = place
        if (key, number) not in self._played:
            self._played[key, number] = play_of(
                self.seating(key),
                number,
                self.given(key, sitters(self.seating(key), number)),
                self.game(key[0]),
                wall=has_wall(key),
                gone=self.gone,
            )
        return self._played[key, number], number, seat

    def signs(self) -> dict[int, int]:
        """Whose pair is which, from 1 on, where pairs play now."""
        place = self.pace.asking(self.lesson)
        if place is None or not self.pace.in_pairs(self.lesson, place):
            return {}
        pairs = self.seating(self.pace.key(place))["pairs"]
        return {
            who: number
            for number, pair in enumerate(pairs, start=1)
            for history in pair
            for who in history[-1][1:]
            if who is not None
        }

    def heard_by(self, person: int) -> set[int]:
        """The people of whose answers somebody's screen shows something."""
        heard = {person}
        for key, seating in self.pace.pairs.items():
            place = seat_of(seating, person)
            if place is not None and key[0] == self.pace.asking(self.lesson):
                heard |= sitters(seating, place[0])
        return heard


def has_wall(key: Key) -> bool:
    """Are two provers in two rooms, in this round?"""
    return key[1] != ROUNDS[0]
