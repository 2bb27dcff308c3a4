"""A room together with its lesson and answers, each loaded at most once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Any, Literal
from zlib import crc32

from explorer.languages import trn
from explorer.lessons import (
    Block,
    Lesson,
    PairGame,
    Question,
    QuizOption,
    exchange,
    in_language,
    lessons,
    own_answers,
    pair_game,
)
from explorer.rooms.changes import now
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.lesson_answers import can_be_answer, given_of
from explorer.rooms.pairs import Given, PairPlay, play_of, seat_of, sitters
from explorer.rooms.room import Room
from nip_core.displays import displayed

Stage = Literal["open", "locked", "revealed"]
Key = tuple[int, str]
"""A block, counted from 1 on, and its round."""

ASKING = ("predict", "quiz", "say", "game", "playable")
ROUNDS = ("before", "after")
TIMES = (30, 60, 120, 300)  # seconds for which a timer may run


def asks(block: Block) -> bool:
    """Return whether a block asks people for something."""
    return block.kind in ASKING and (block.kind != "playable" or bool(block.question))


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
    """A room's position in its lesson."""

    # Whether everybody sees the current step. Otherwise people go on by themselves, and the current
    # step is what the projector shows.
    led: bool = True
    at: int = 0  # the current step, counted from 1; 0 before the first
    # The round of each block; by default the first.
    rounds: Mapping[int, str] = field(default_factory=dict[int, str])
    # What may be done, by block and round.
    stages: Mapping[Key, Stage] = field(default_factory=dict[Key, Stage])
    until: datetime | None = None  # when the current block locks by itself
    # How often a block's round was reset.
    resets: Mapping[Key, int] = field(default_factory=dict[Key, int])
    # The blocks that are played alone although they could be played in pairs.
    alone: frozenset[int] = frozenset()
    # Who sits with whom, by block and round; see `explorer.rooms.pairs`.
    pairs: Mapping[Key, Any] = field(default_factory=dict[Key, Any])
    # Whose words are shown to the class, by block and round, in order.
    let: Mapping[Key, list[int]] = field(default_factory=dict[Key, list[int]])
    paused: bool = False  # whether everybody is to look up: nothing is answered
    left: float | None = None  # the seconds of the timer that a pause has stopped

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

    def halted(self, now: datetime) -> Pace:
        """Pause, and stop the timer."""
        left = None if self.until is None else max(0.0, (self.until - now).total_seconds())
        return replace(self, paused=True, until=None, left=left)

    def resumed(self, now: datetime) -> Pace:
        """Go on after a pause, with what was left of the timer."""
        until = None if self.left is None else now + timedelta(seconds=self.left)
        return replace(self, paused=False, until=until, left=None)

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
            stages={place: stage for place, stage in self.stages.items() if place != key},
            resets={**self.resets, key: self.resets.get(key, 0) + 1},
            pairs={place: seated for place, seated in self.pairs.items() if place != key},
            let={place: people for place, people in self.let.items() if place != key},
            until=None,
        )

    def let_through(self, lesson: Lesson, person: int) -> Pace:
        """Show the class what a person has written, or show it no longer."""
        key = self._at_hand(lesson)
        shown = self.let.get(key, [])
        after = [who for who in shown if who != person] if person in shown else [*shown, person]
        return replace(self, let={**self.let, key: after})

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

    def to_dict(self, lesson: Lesson) -> dict[str, Any]:
        """Return the pace as a plain document, with the blocks' own numbers."""

        def text(key: Key) -> str:
            return f"{lesson.numbers[key[0] - 1]}/{key[1]}"

        some = steps(lesson)
        here = some[self.at - 1][0] if 1 <= self.at <= len(some) else None
        return {
            "led": self.led,
            "at": self.at,
            "block": None if here is None else lesson.numbers[here - 1],
            "rounds": {str(lesson.numbers[n - 1]): name for n, name in self.rounds.items()},
            "stages": {text(key): stage for key, stage in self.stages.items()},
            "until": None if self.until is None else self.until.isoformat(),
            "resets": {text(key): count for key, count in self.resets.items()},
            "alone": sorted(lesson.numbers[place - 1] for place in self.alone),
            "pairs": {text(key): seated for key, seated in self.pairs.items()},
            "let": {text(key): people for key, people in self.let.items()},
            "paused": self.paused,
            "left": self.left,
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], lesson: Lesson) -> Pace:
        """Return the pace that :meth:`to_dict` wrote; the beginning if nothing was stored.

        The lesson may have changed meanwhile: what belongs to blocks that are gone is left out.
        """
        if not document:
            return cls()

        def keyed(name: str) -> dict[Key, Any]:
            values: dict[Key, Any] = {}
            for text, value in document.get(name, {}).items():
                number, _, part = text.partition("/")
                place = lesson.place(int(number))
                if place is not None:
                    values[place, part] = value
            return values

        rounds = {lesson.place(int(n)): name for n, name in document["rounds"].items()}
        alone = (lesson.place(number) for number in document["alone"])
        return cls(
            led=document["led"],
            at=_step(document, lesson),
            rounds={place: name for place, name in rounds.items() if place is not None},
            stages=keyed("stages"),
            until=end_of_timer(document),
            resets=keyed("resets"),
            alone=frozenset(place for place in alone if place is not None),
            pairs=keyed("pairs"),
            # Rooms of earlier versions had neither words nor pauses.
            let=keyed("let"),
            paused=document.get("paused", False),
            left=document.get("left"),
        )


def _step(document: Mapping[str, Any], lesson: Lesson) -> int:
    """Return the step of the block that the class is at; the same number if it is gone."""
    some, at = steps(lesson), int(document["at"])
    block: int | None = document.get("block")
    if block is None and lesson.former is not None and 1 <= at <= len(lesson.former.steps):
        # Rooms of earlier versions have only the number of the step, in the lesson of that time.
        block = lesson.former.steps[at - 1]
    place = lesson.place(block or 0)
    places = (number for number, step in enumerate(some, start=1) if place in step)
    return next(places, min(at, len(some)))


def end_of_timer(document: Mapping[str, Any]) -> datetime | None:
    """Return when the timer in a stored pace ends, if there is one."""
    until = document.get("until")
    return None if until is None else datetime.fromisoformat(until)


STATE = "lesson"  # the key of the pace in the room's state
ONE = ("guess", "quiz", "said")  # the kinds of answers of which a person has only one per question
Row = Mapping[str, Any]


def lesson_called(slug: str) -> Lesson:
    """Return a lesson by its name, or raise a RoomError if it is not here any more."""
    lesson = next((lesson for lesson in lessons()[0] if lesson.slug == slug), None)
    if lesson is None:
        raise RoomError(
            f"The lesson {slug!r} of this room is not here any more. Put its file back, or make a "
            "room with another lesson."
        )
    return lesson


def without_solution(block: Block) -> Block:
    """Return a block without the parts that are shown only after it was answered."""
    answers = _unsolved(block.answers)
    if block.instead is not None:
        other = Question(block.instead.question, _unsolved(block.instead.answers))
        block = replace(block, instead=other)
    if block.kind == "predict":
        return replace(block, text="", truth=None, spread=(), right="", answers=answers)
    if block.kind == "playable":
        return replace(block, truth=None, spread=())
    return replace(block, answers=answers)


def _unsolved(answers: Iterable[QuizOption]) -> tuple[QuizOption, ...]:
    return tuple(QuizOption(answer.text, "") for answer in answers)


@displayed
@dataclass(frozen=True)
class LessonRoom:
    """A room and its lesson at present. Answers are read on first use, once."""

    room: Room
    _said: dict[int, dict[Key, str]] = field(default_factory=dict[int, dict[Key, str]], repr=False)
    _played: dict[tuple[Key, int], PairPlay] = field(
        default_factory=dict[tuple[Key, int], PairPlay], repr=False
    )

    @cached_property
    def lesson(self) -> Lesson:
        """Return the lesson, in the present language."""
        return in_language(lesson_called(self.room.plan.lesson))

    @cached_property
    def pace(self) -> Pace:
        """Return where the class is in the lesson."""
        return Pace.from_dict(self.room.state.get(STATE, {}), self.lesson)

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
        bots = len(self.bots)
        if self.uncounted:
            return trn("{n} bot, not counted.", "{n} bots, not counted.", bots)
        return trn("A rehearsal: {n} bot is counted.", "A rehearsal: {n} bots are counted.", bots)

    def block(self, place: int) -> Block:
        """Return a block by its number, counted from 1."""
        return self.lesson.blocks[place - 1]

    def asked(self, place: int, person: int) -> Block:
        """Return a block as this person is asked it; see :meth:`begins_with_the_other`."""
        block = self.block(place)
        other = block.instead is not None and self.begins_with_the_other(person)
        return exchange(block) if other else block

    def begins_with_the_other(self, person: int) -> bool:
        """Return whether a person is asked before the lesson what others are asked after it.

        What they have answered decides; before that, chance has drawn it for them: of each two who
        join one after the other, one begins with either question.
        """
        for place in self.lesson.transfer or ():
            said = self.mine(self.pace.key(place + 1), person)
            if said is not None:
                return int(said) not in own_answers(self.block(place + 1))
        two, second = divmod(person, 2)
        return crc32(f"{self.room.code}/{two}".encode()) % 2 != second

    def stage(self, key: Key) -> Stage:
        """Return what may be done with a block now."""
        return self.pace.stage(self.lesson, key, now())

    @cached_property
    def counts(self) -> Mapping[Key, Counter[str]]:
        """Return how often each value was answered, by block and round."""
        counts: dict[Key, Counter[str]] = {}
        counted = self.room.storage.rooms.answers_counted(self.room.number, self.uncounted)
        for (_, number, part), values in counted.items():
            place = self.lesson.place(number)
            if place is None:
                continue
            block = self.block(place)
            fitting = {value: n for value, n in values.items() if can_be_answer(block, value)}
            counts.setdefault((place, part), Counter()).update(fitting)
        return counts

    @cached_property
    def answered(self) -> Mapping[Key, int]:
        """Return how many of the present, counted people have answered, by block and round."""
        without = {*self.gone, *self.uncounted}
        many_by_key: dict[Key, int] = {}
        for (number, part), many in self.room.storage.rooms.answered(
            self.room.number, without
        ).items():
            place = self.lesson.place(number)
            if place is None:
                continue
            if (place, part) in many_by_key:
                # Answered before and after numbers were the blocks' own, perhaps by the same.
                many = len({row["person"] for row in self.of((place, part))} - without)
            many_by_key[place, part] = many
        return many_by_key

    @cached_property
    def rows(self) -> list[Row]:
        """Return all answers; those to blocks that are gone have block 0."""
        rows = self.room.storage.rooms.answers_of(self.room.number)
        return [{**row, "block": self.lesson.place(row["block"]) or 0} for row in rows]

    def of(self, key: Key, people: Collection[int] | None = None) -> list[Row]:
        """Return the answers to a block in a round, by everybody or by some people."""
        answers_of = partial(self.room.storage.rooms.answers_of, self.room.number, people=people)
        return [row for at in self.stored_under(key)[::-1] for row in answers_of(at=at)]

    def stored_under(self, key: Key) -> tuple[Key, ...]:
        """Return all names of a block in the database; that of earlier versions is the last one."""
        former = self.lesson.former_place(key[0])
        return (self.stored(key), *(() if former is None else ((former, key[1]),)))

    def stored(self, key: Key) -> Key:
        """Return the same with the block's own number, under which answers are stored."""
        return self.lesson.numbers[key[0] - 1], key[1]

    def mine(self, key: Key, person: int) -> str | None:
        """Return what a person has guessed or answered."""
        if person not in self._said:
            own = self.room.storage.rooms.answers_of(self.room.number, people=[person], kinds=ONE)
            answers = self._said[person] = dict[Key, str]()
            for row in sorted(own, key=lambda row: row["block"]):
                place = self.lesson.place(row["block"])
                if place is not None and can_be_answer(self.block(place), row["value"]):
                    answers[place, row["part"]] = row["value"]
        return self._said[person].get(key)

    def words(self, key: Key) -> dict[int, str]:
        """Return what people have written, by person; what was deleted is not there.

        Bots are left out where people take part, as in counts.
        """
        block = self.block(key[0])
        rows = self.of(key) if block.kind == "say" and not block.choices else []
        return {
            row["person"]: row["value"]
            for row in rows
            if row["person"] not in self.uncounted and can_be_answer(block, row["value"])
        }

    def game(self, place: int) -> PairGame:
        """Return the game that two people play as a pair."""
        game = pair_game(self.block(place).name)
        if game is None:
            raise RoomError("This game is not played by pairs.")
        return game

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

    def shows_answers_of(self, person: int) -> set[int]:
        """Return the people whose answers appear on a person's screen."""
        shown = {person}
        for key, seating in self.pace.pairs.items():
            place = seat_of(seating, person)
            if place is not None and key[0] == self.pace.asking(self.lesson):
                shown |= sitters(seating, place[0])
        return shown


def has_wall(key: Key) -> bool:
    """Return whether the two provers are separated in this round."""
    return key[1] != ROUNDS[0]
