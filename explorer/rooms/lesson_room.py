"""A room's lesson: what was loaded of it, in one place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from explorer.lessons.lesson import Answer, Block, Lesson
from explorer.lessons.library import lessons, pair_game
from explorer.lessons.pair_game import PairGame
from explorer.rooms.changes import now
from explorer.rooms.errors import RoomError
from explorer.rooms.lesson_counts import given_of
from explorer.rooms.pace import ROUNDS, Key, Pace, Stage
from explorer.rooms.pairs import Given, PairPlay, play_of, seat_of
from explorer.rooms.room import Room
from nip_core.displays import displayed

__all__ = ["STATE", "LessonRoom", "lesson_called", "untold"]

STATE = "lesson"  # where the pace is in the room's state
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
    """A room, its lesson and its answers as they are now.

    Parameters
    ----------
    room : Room
    rows : sequence of mapping
        The answers.
    """

    room: Room
    rows: tuple[Row, ...]

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

    def block(self, place: int) -> Block:
        """A block by its number, from 1 on."""
        return self.lesson.blocks[place - 1]

    def stage(self, key: Key) -> Stage:
        """What may be done with a block now."""
        return self.pace.stage(self.lesson, key, now())

    def of(self, key: Key) -> list[Row]:
        """The answers to a block in a round."""
        return [row for row in self.rows if (row["block"], row["part"]) == key]

    def mine(self, key: Key, person: int) -> str | None:
        """What somebody has guessed or answered."""
        found = (row["value"] for row in self.of(key) if row["person"] == person)
        return next(found, None)

    def game(self, place: int) -> PairGame:
        """The game that two phones play together."""
        found = pair_game(self.block(place).name)
        if found is None:
            raise RoomError("This game is not played by pairs.")
        return found

    def given(self, key: Key) -> Given:
        """What the people of all pairs have answered."""
        return given_of(self.of(key))

    def seating(self, key: Key) -> Mapping[str, Any]:
        """Who sits with whom."""
        return self.pace.pairs.get(key, {"seed": "", "pairs": []})

    def pair(self, key: Key, person: int) -> tuple[PairPlay, int, int] | None:
        """Somebody's game, which pair it is, and their seat in it."""
        place = seat_of(self.seating(key), person)
        if place is None:
            return None
        played = play_of(
            self.seating(key),
            place[0],
            self.given(key),
            self.game(key[0]),
            wall=has_wall(key),
            gone=self.gone,
        )
        return played, *place


def has_wall(key: Key) -> bool:
    """Are two provers in two rooms, in this round?"""
    return key[1] != ROUNDS[0]
