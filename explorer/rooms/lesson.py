"""A room together with its lesson and answers, each loaded at most once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from explorer.lessons import Block, Lesson, PairGame, QuizOption, lessons, pair_game
from explorer.rooms.changes import now
from explorer.rooms.errors import RoomError
from explorer.rooms.lesson_answers import given_of
from explorer.rooms.pace import ROUNDS, Key, Pace, Stage
from explorer.rooms.pairs import Given, PairPlay, play_of, seat_of, sitters
from explorer.rooms.room import Room
from explorer.storage import Rooms
from nip_core.displays import displayed

__all__ = ["STATE", "LessonRoom", "lesson_called", "without_solution"]

STATE = "lesson"  # the key of the pace in the room's state
ONE = ("guess", "quiz")  # the kinds of answers of which a person has only one per question
Row = Mapping[str, Any]


def lesson_called(slug: str) -> Lesson:
    """Return a lesson by its name.

    Raises
    ------
    RoomError
        If there is none, for example because a teacher's file was removed.
    """
    found = next((each for each in lessons()[0] if each.slug == slug), None)
    if found is None:
        raise RoomError(
            f"The lesson {slug!r} of this room is not here any more. Put its file back, or make a "
            "room with another lesson."
        )
    return found


def without_solution(block: Block) -> Block:
    """Return a block without the parts that are shown only after it was answered."""
    answers = tuple(QuizOption(answer.text, "") for answer in block.answers)
    if block.kind == "predict":
        return replace(block, text="", truth=None, right="")
    return replace(block, answers=answers)


@displayed
@dataclass(frozen=True)
class LessonRoom:
    """A room and its lesson at present. Answers are read on first use, once.

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
        """Return the lesson."""
        return lesson_called(self.room.plan.lesson)

    @cached_property
    def pace(self) -> Pace:
        """Return where the class is in the lesson."""
        return Pace.from_dict(self.room.state.get(STATE, {}))

    @cached_property
    def gone(self) -> Collection[int]:
        """Return the people who have left."""
        return frozenset(person.number for person in self.room.people if person.left)

    @cached_property
    def bots(self) -> Collection[int]:
        """Return the bots of a rehearsal."""
        return frozenset(person.number for person in self.room.here if person.bot)

    @cached_property
    def uncounted(self) -> Collection[int]:
        """Return those whose answers are not counted: bots, if people take part as well.

        In a rehearsal, and where there are only bots, they are counted and labelled as bots.
        """
        people = any(not person.bot for person in self.room.here)
        return self.bots if people and not self.room.plan.rehearsal else frozenset()

    @property
    def of_bots(self) -> str:
        """Return the note about bots for a tally; empty where there are none."""
        if not self.bots:
            return ""
        bots = "1 bot" if len(self.bots) == 1 else f"{len(self.bots)} bots"
        return f"{bots}, not counted." if self.uncounted else f"A rehearsal: {bots} are counted."

    def block(self, place: int) -> Block:
        """Return a block by its number, counted from 1."""
        return self.lesson.blocks[place - 1]

    def stage(self, key: Key) -> Stage:
        """Return what may be done with a block now."""
        return self.pace.stage(self.lesson, key, now())

    @cached_property
    def counts(self) -> Mapping[Key, Counter[str]]:
        """Return how often each value was answered, by block and round."""
        found: dict[Key, Counter[str]] = {}
        for row in self._kept.answers_counted(self.room.number, self.uncounted):
            found.setdefault((row["block"], row["part"]), Counter())[row["value"]] += row["often"]
        return found

    @cached_property
    def answered(self) -> Mapping[Key, int]:
        """Return how many of the present, counted people have answered, by block and round."""
        return self._kept.answered(self.room.number, {*self.gone, *self.uncounted})

    @cached_property
    def rows(self) -> list[Row]:
        """Return all answers."""
        return self._kept.answers_of(self.room.number)

    def of(self, key: Key, people: Collection[int] | None = None) -> list[Row]:
        """Return the answers to a block in a round, by everybody or by some people."""
        return self._kept.answers_of(self.room.number, people=people, at=key)

    def mine(self, key: Key, person: int) -> str | None:
        """Return what a person has guessed or answered."""
        if person not in self._said:
            own = self._kept.answers_of(self.room.number, people=[person], kinds=ONE)
            self._said[person] = {(row["block"], row["part"]): row["value"] for row in own}
        return self._said[person].get(key)

    def game(self, place: int) -> PairGame:
        """Return the game that two people play as a pair."""
        found = pair_game(self.block(place).name)
        if found is None:
            raise RoomError("This game is not played by pairs.")
        return found

    def given(self, key: Key, people: Collection[int] | None = None) -> Given:
        """Return what the members of all pairs, or some people, have answered."""
        return given_of(self.of(key, people))

    def seating(self, key: Key) -> Mapping[str, Any]:
        """Return who sits with whom."""
        return self.pace.pairs.get(key, {"seed": "", "pairs": []})

    def pair(self, key: Key, person: int) -> tuple[PairPlay, int, int] | None:
        """Return a person's game, the number of their pair, and their seat in it."""
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
        """Return each person's pair number, from 1, where pairs are playing now."""
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
        """Return the people whose answers appear on a person's screen."""
        heard = {person}
        for key, seating in self.pace.pairs.items():
            place = seat_of(seating, person)
            if place is not None and key[0] == self.pace.asking(self.lesson):
                heard |= sitters(seating, place[0])
        return heard


def has_wall(key: Key) -> bool:
    """Return whether the two provers are separated in this round."""
    return key[1] != ROUNDS[0]
