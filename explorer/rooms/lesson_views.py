"""What each window onto a room's lesson shows, as plain data made before any page.

A page shows its view and nothing else, and a window's mark is a hash of it. What is locked, not yet
reached or not yet revealed is in no view of a person or of the projector: blocks come without what
is told after them, and counts without theory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from explorer.lessons.game import Scene
from explorer.lessons.lesson import Block
from explorer.rooms.lesson_counts import Chart, charts, pair_charts
from explorer.rooms.lesson_room import LessonRoom, has_wall, untold
from explorer.rooms.pace import ROUNDS, Key, Stage, asks, steps
from explorer.rooms.pairs import sight_of
from nip_core.displays import displayed

__all__ = [
    "BOT",
    "LeadView",
    "Paired",
    "Part",
    "PersonView",
    "ProjectorView",
    "asking",
    "lead_view",
    "part_before",
    "person_view",
    "projector_view",
    "round_name",
]

NAMES = {
    "predict": ("First guess", "Second guess"),
    "quiz": ("First answer", "Second answer"),
    "game": ("First round", "Second round"),
}
BOT = "A bot"
WALLS = ("One room: no wall", "Two rooms: a wall")


def round_name(block: Block, name: str, *, pairs: bool) -> str:
    """What a round of a block is called for people."""
    return (WALLS if pairs else NAMES[block.kind])[ROUNDS.index(name)]


@displayed
@dataclass(frozen=True, slots=True)
class Paired:
    """Somebody's place in a pair.

    Parameters
    ----------
    scene : Scene
        What they see; nothing else of the game reaches them.
    question : int
        Which of the pair's questions is open, from 0 on.
    partner : str
        What the other one is called.
    waiting : bool
        Has only the partner to answer?
    away : bool
        Does a bot answer in their own place?
    number : int
        Which pair, from 1 on: of its sign.
    """

    scene: Scene
    question: int
    partner: str
    waiting: bool
    away: bool
    number: int


@displayed
@dataclass(frozen=True, slots=True)
class Part:
    """A block as a window may see it.

    Parameters
    ----------
    place : int
        From 1 on.
    block : Block
        Without what is told afterwards, unless it has been told.
    key : (int, str)
    round_name : str
        Where a block is asked in its second round, or by pairs.
    stage : {"open", "locked", "revealed"}, optional
        Of blocks that ask.
    mine : str, optional
        What this person has answered.
    told : bool
        Is what stands after an answer in the block?
    charts : tuple of dict
        What was answered, as far as it may be shown.
    answered : int
        How many have.
    pair : Paired, optional
    pairs : bool
        Do two phones play it together?
    signs : int
        How many pairs there are, where everybody in front may know.
    """

    place: int
    block: Block
    key: Key
    round_name: str = ""
    stage: Stage | None = None
    mine: str | None = None
    told: bool = False
    charts: tuple[Chart, ...] = ()
    answered: int = 0
    pair: Paired | None = None
    pairs: bool = False
    signs: int = 0

    @property
    def live(self) -> str:
        """What a window calls its charts, which move while the page stays."""
        return f"charts-{self.place}-{self.key[1]}"


def asking(parts: tuple[Part, ...]) -> Part | None:
    """Of what is at hand, the block that asks."""
    return next((part for part in parts if part.stage is not None), None)


@displayed
@dataclass(frozen=True, slots=True)
class PersonView:
    """What somebody who learns sees.

    Parameters
    ----------
    title, question : str
        The lesson's.
    led : bool
    step, steps : int
        Where the class is, and of how many; of a lesson that is led.
    parts : tuple of Part
        What is at hand; of a lesson that everybody goes through alone, all of it.
    before : tuple of int
        The blocks that were at hand before; see :func:`part_before`.
    until : datetime, optional
        When answers are closed.
    sources : mapping
    """

    title: str
    question: str
    led: bool
    step: int
    steps: int
    parts: tuple[Part, ...]
    before: tuple[int, ...]
    until: datetime | None
    sources: dict[str, str]


def person_view(at: LessonRoom, person: int) -> PersonView:
    """What somebody sees. Their own games against the machine come beside it."""
    pace, lesson = at.pace, at.lesson
    shown = pace.shown(lesson)
    now = steps(lesson)[pace.at - 1] if pace.led and pace.at else shown
    parts = tuple(_part_of_person(at, place, person) for place in now if place in shown)
    return PersonView(
        title=lesson.title,
        question=lesson.question,
        led=pace.led,
        step=pace.at,
        steps=len(steps(lesson)),
        parts=parts,
        before=tuple(place for place in shown if place not in now),
        until=pace.until if pace.led else None,
        sources=dict(lesson.sources),
    )


def part_before(at: LessonRoom, place: int, person: int) -> Part:
    """A block that was at hand before, of which nobody sees more than what came of it."""
    return _part_of_person(at, place, person, paired=False)


def _part_of_person(at: LessonRoom, place: int, person: int, *, paired: bool = True) -> Part:
    block, key = at.block(place), at.pace.key(place)
    if not asks(block):
        return Part(place, block, key)
    mine = None if block.kind == "game" else at.mine(key, person)
    # Whoever goes on by themselves is told after their answer, the others when all are.
    told = at.pace.told(key) if at.pace.led else mine is not None
    pairs = at.pace.in_pairs(at.lesson, place)
    pair = _paired(at, key, person) if pairs and paired else None
    return Part(
        place,
        block if told else untold(block),
        key,
        round_name=_named(at, place),
        stage=at.stage(key),
        mine=mine,
        told=told,
        charts=tuple(_charts(at, key, truth=True)) if at.pace.led and told else (),
        pair=pair,
        pairs=pairs,
    )


def _named(at: LessonRoom, place: int) -> str:
    key, pairs = at.pace.key(place), at.pace.in_pairs(at.lesson, place)
    plain = key[1] == ROUNDS[0] and not pairs
    return "" if plain else round_name(at.block(place), key[1], pairs=pairs)


def _paired(at: LessonRoom, key: Key, person: int) -> Paired | None:
    found = at.pair(key, person)
    if found is None:
        return None
    played, number, seat = found
    game, wall = at.game(key[0]), has_wall(key)
    away = at.seating(key)["pairs"][number][seat][-1][1] != person
    other = at.seating(key)["pairs"][number][1 - seat][-1][1]
    bot = other is None or other in at.gone
    partner = at.room.person(other).shown if other is not None and not bot else BOT
    if at.stage(key) == "locked" and not at.counts.get(key):
        scene = game.huddle(partner, bot=bot, wall=wall)
        return Paired(scene, 0, partner, waiting=False, away=away, number=number + 1)
    sight = None if away else sight_of(played, seat, game, wall=wall, partner=partner)
    if sight is None:
        said = "A bot answers in your place." if away else "That was the last question."
        scene = Scene((), (), said)
        return Paired(scene, 0, partner, waiting=False, away=away, number=number + 1)
    waiting = sight.answer is not None
    scene, question = game.scene(sight), len(played.rounds) - 1
    return Paired(scene, question, partner, waiting, away=False, number=number + 1)


def _charts(at: LessonRoom, key: Key, *, truth: bool) -> list[Chart]:
    block = at.block(key[0])
    if at.pace.in_pairs(at.lesson, key[0]):
        made = pair_charts(
            block,
            at.seating(key),
            at.of(key),
            wall=has_wall(key),
            gone=at.gone,
            bots=at.uncounted,
            truth=truth,
        )
    else:
        made = charts(block, at.counts.get(key, Counter()), truth=truth)
    if at.of_bots and made:
        made[0]["note"] = " ".join(filter(None, (made[0].get("note"), at.of_bots)))
    return made


@displayed
@dataclass(frozen=True, slots=True)
class ProjectorView:
    """What everybody sees in front.

    Parameters
    ----------
    title, question : str
        The lesson's.
    step, steps : int
    parts : tuple of Part
        The step at hand. While answers are open, guesses and quiz questions are shown without what
        others have said; theory and what is right only once they are revealed.
    people : int
        How many are here, and counted.
    until : datetime, optional
    rehearsal : bool
        Are bots among the people?
    sources : mapping
    """

    title: str
    question: str
    step: int
    steps: int
    parts: tuple[Part, ...]
    people: int
    until: datetime | None
    rehearsal: bool
    sources: dict[str, str]


def projector_view(at: LessonRoom) -> ProjectorView:
    """What is in front."""
    pace, lesson = at.pace, at.lesson
    now = steps(lesson)[pace.at - 1] if pace.at else ()
    return ProjectorView(
        title=lesson.title,
        question=lesson.question,
        step=pace.at,
        steps=len(steps(lesson)),
        parts=tuple(_part_in_front(at, place) for place in now),
        people=len(at.room.here) - len(at.uncounted),
        until=pace.until,
        rehearsal=bool(at.bots),
        sources=dict(lesson.sources),
    )


def _part_in_front(at: LessonRoom, place: int) -> Part:
    block, key = at.block(place), at.pace.key(place)
    if not asks(block):
        return Part(place, block, key)
    told, stage = at.pace.told(key), at.stage(key)
    # What others say would sway those who have not answered; how games go may be watched.
    answered = at.answered.get(key, 0)
    seen = stage != "open" if block.kind != "game" else bool(answered)
    return Part(
        place,
        block if told else untold(block),
        key,
        round_name=_named(at, place),
        stage=stage,
        told=told,
        pairs=at.pace.in_pairs(at.lesson, place),
        signs=len(at.seating(key)["pairs"]) if at.pace.in_pairs(at.lesson, place) else 0,
        charts=tuple(_charts(at, key, truth=told)) if seen else (),
        answered=answered,
    )


@displayed
@dataclass(frozen=True, slots=True)
class LeadView:
    """What the facilitator sees.

    Parameters
    ----------
    title : str
    led : bool
    step : int
    steps : tuple of tuple of Part
        All steps, with all that is told; the one at hand with what was answered, beside what is
        right, and what theory expects, once that was revealed.
    round : str
        Of the block at hand.
    in_pairs, pairs : bool
        Do two phones play the block at hand together, and could they?
    people, bots : int
    counted : int
        How many of them are counted.
    until : datetime, optional
    """

    title: str
    led: bool
    step: int
    steps: tuple[tuple[Part, ...], ...]
    in_pairs: bool
    pairs: bool
    people: int
    bots: int
    counted: int
    until: datetime | None

    @property
    def at_hand(self) -> tuple[Part, ...]:
        """The step at hand."""
        return self.steps[self.step - 1] if self.step else ()

    @property
    def asking(self) -> Part | None:
        """The block of it that asks."""
        return asking(self.at_hand)


def lead_view(at: LessonRoom) -> LeadView:
    """What the facilitator sees."""
    pace, lesson = at.pace, at.lesson
    place = pace.asking(lesson)
    return LeadView(
        title=lesson.title,
        led=pace.led,
        step=pace.at,
        steps=tuple(
            tuple(_part_of_lead(at, place, at_hand=number == pace.at) for place in step)
            for number, step in enumerate(steps(lesson), start=1)
        ),
        in_pairs=place is not None and pace.in_pairs(lesson, place),
        pairs=place is not None and pace.led and at.block(place).pairs,
        people=sum(not person.bot for person in at.room.here),
        bots=len(at.bots),
        counted=len(at.room.here) - len(at.uncounted),
        until=pace.until,
    )


def _part_of_lead(at: LessonRoom, place: int, *, at_hand: bool) -> Part:
    block, key = at.block(place), at.pace.key(place)
    if not asks(block):
        return Part(place, block, key)
    return Part(
        place,
        block,
        key,
        round_name=_named(at, place),
        stage=at.stage(key),
        told=True,
        # Many facilitators show their own screen.
        charts=tuple(_charts(at, key, truth=at.pace.told(key))) if at_hand else (),
        answered=at.answered.get(key, 0),
    )
