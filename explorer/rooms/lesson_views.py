"""The view of each window onto a room's lesson, as data.

A page draws only its view. It runs again exactly when the view differs in a field that is not
`live`; live fields reach the window over its connection. Views of people and of the projector
contain nothing that is locked, not yet reached or not yet revealed: solutions are removed from
blocks, and theoretical values from counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from explorer.languages import marked, tr
from explorer.lessons import Block, Scene, pair_game
from explorer.rooms.guidance import Own, own_facts
from explorer.rooms.lesson import (
    ROUNDS,
    Key,
    LessonRoom,
    Stage,
    asks,
    has_wall,
    steps,
    without_solution,
)
from explorer.rooms.lesson_answers import Chart, charts, pair_charts
from explorer.rooms.lesson_gain import class_gain
from explorer.rooms.pairs import sight_of
from nip_core.displays import displayed

NAMES = {
    "predict": (marked("First guess"), marked("Second guess")),
    "playable": (marked("First try"), marked("Second try")),
    "quiz": (marked("First answer"), marked("Second answer")),
    "say": (marked("First words"), marked("Second words")),
    "game": (marked("First round"), marked("Second round")),
}
BOT = marked("A bot")  # as a partner
# A field whose value is updated on the page while it stands, by the window's connection.
LIVE = {"live": True}


def round_name(block: Block, name: str, *, pairs: bool) -> str:
    """Return the name of a block's round for people."""
    played = pair_game(block.name) if pairs else None
    names = tuple(map(tr, NAMES[block.kind])) if played is None else played.phases
    return names[ROUNDS.index(name)]


@displayed
@dataclass(frozen=True, slots=True)
class Paired:
    """A person's place in a pair."""

    scene: Scene  # what they see; nothing else of the game reaches them
    question: int  # the pair's open question, counted from 0
    partner: str  # their name
    waiting: bool  # whether only the partner still has to answer
    away: bool  # whether a bot answers in the person's own place
    number: int  # the number of the pair, from 1, which selects its sign


@displayed
@dataclass(frozen=True, slots=True)
class LessonPart:
    """A block as a window may see it."""

    place: int  # counted from 1
    block: Block  # without its solution, unless that has been shown
    key: Key
    round_name: str = ""  # named if a block has several rounds or is played in pairs
    stage: Stage | None = None  # for blocks that ask something
    mine: str | None = None  # this person's answer
    revealed: bool = False  # whether the block includes its solution
    resets: int = 0  # how often its answers were deleted
    # The answers, as far as they may be shown; live.
    charts: tuple[Chart, ...] = field(default=(), metadata=LIVE)
    answered: int = field(default=0, metadata=LIVE)  # how many people have answered; live
    pair: Paired | None = None
    pairs: bool = False  # whether it is played in pairs
    said: tuple[str, ...] = ()  # the words that the facilitator has let through, without names
    # For the facilitator: whose words, the words, and whether they were let through.
    words: tuple[tuple[int, str, bool], ...] = ()
    signs: int = 0  # the number of pairs, where it may be shown to everybody

    @property
    def live(self) -> str:
        """Return the name under which a window receives updates of the charts."""
        return f"charts-{self.place}-{self.key[1]}"


def asking(parts: tuple[LessonPart, ...]) -> LessonPart | None:
    """Return the visible block that asks something."""
    return next((part for part in parts if part.stage is not None), None)


@displayed
@dataclass(frozen=True, slots=True)
class PersonView:
    """The view of a learner."""

    own: Own
    phase: str
    content: str  # the mark of the lesson's file, from which the blocks' texts follow
    title: str
    question: str
    led: bool
    step: int  # where the class is, in a led lesson
    steps: int  # how many there are
    # The blocks of the current step; in a self-paced lesson, all blocks.
    parts: tuple[LessonPart, ...]
    # The blocks of earlier steps, their rounds, and whether they are revealed; see `part_before`.
    before: tuple[tuple[int, str, bool], ...]
    sources: dict[str, str]
    language: str  # of the lesson's texts
    paused: bool = False
    until: datetime | None = field(default=None, metadata=LIVE)  # when answers are closed; live


def person_view(at: LessonRoom, person: int) -> PersonView:
    """Return a person's view. Their own games against the machine are sent separately."""
    pace, lesson = at.pace, at.lesson
    shown = pace.shown(lesson)
    now = steps(lesson)[pace.at - 1] if pace.led and pace.at else shown
    parts = tuple(_part_of_person(at, place, person) for place in now if place in shown)
    keys = [pace.key(place) for place in shown if place not in now]
    return PersonView(
        own=own_facts(at.room, person),
        phase=at.room.phase,
        content=lesson.mark,
        title=lesson.title,
        question=lesson.question,
        led=pace.led,
        step=pace.at,
        steps=len(steps(lesson)),
        parts=parts,
        before=tuple((*key, pace.is_revealed(key)) for key in keys),
        paused=pace.paused,
        until=pace.until if pace.led else None,
        sources=dict(lesson.sources),
        language=lesson.language,
    )


def part_before(at: LessonRoom, place: int, person: int) -> LessonPart:
    """Return a block of an earlier step, which shows only its results."""
    return _part_of_person(at, place, person, paired=False)


def _part_of_person(at: LessonRoom, place: int, person: int, *, paired: bool = True) -> LessonPart:
    block, key = at.asked(place, person), at.pace.key(place)
    if not asks(block):
        return LessonPart(place, block, key)
    mine = None if block.kind == "game" else at.mine(key, person)
    # In a self-paced lesson the solution is shown after one's own answer, else to all at once.
    revealed = at.pace.is_revealed(key) if at.pace.led else mine is not None
    told = revealed and not _is_asked_later(block)
    pairs = at.pace.in_pairs(at.lesson, place)
    pair = _paired(at, key, person) if pairs and paired else None
    return _part(
        at,
        key,
        block=block,
        revealed=revealed,
        own=True,
        mine=mine,
        charts=tuple(_charts(at, key, truth=True)) if at.pace.led and told else (),
        pair=pair,
        pairs=pairs,
    )


def _is_asked_later(block: Block) -> bool:
    """Return whether half of the class is asked this question only after the lesson."""
    return block.transfer == "before" and block.instead is not None


def _stage(at: LessonRoom, key: Key) -> Stage:
    """Return what a person may do with a block: in a pause, nothing."""
    stage = at.stage(key)
    return "locked" if stage == "open" and at.pace.paused else stage


def _part(
    at: LessonRoom,
    key: Key,
    *,
    revealed: bool,
    own: bool = False,
    block: Block | None = None,
    **shown: Any,
) -> LessonPart:
    """Return a block that asks something, without its solution unless it is revealed.

    `own` says that it is for the person who answers it, who may be asked another `block`.
    """
    place, name = key
    block, pairs = block or at.block(place), at.pace.in_pairs(at.lesson, place)
    named = pairs or name != ROUNDS[0]
    return LessonPart(
        place,
        block if revealed else without_solution(block),
        key,
        round_name=round_name(block, name, pairs=pairs) if named else "",
        stage=_stage(at, key) if own else at.stage(key),
        revealed=revealed,
        resets=at.pace.resets.get(key, 0),
        **shown,
    )


def _paired(at: LessonRoom, key: Key, person: int) -> Paired | None:
    pair = at.pair(key, person)
    if pair is None:
        return None
    played, number, seat = pair
    game, wall = at.game(key[0]), has_wall(key)
    away = at.seating(key)["pairs"][number][seat][-1][1] != person
    other = at.seating(key)["pairs"][number][1 - seat][-1][1]
    bot = other is None or other in at.gone
    partner = at.room.person(other).shown if other is not None and not bot else tr(BOT)
    if at.stage(key) == "locked" and not at.counts.get(key):
        scene = game.huddle(partner, bot=bot, wall=wall)
        return Paired(scene, 0, partner, waiting=False, away=away, number=number + 1)
    sight = None if away else sight_of(played, seat, game, wall=wall, partner=partner)
    if sight is None:
        text = tr("A bot answers in your place.") if away else tr("That was the last question.")
        scene = Scene((), (), text)
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
    """The projector's view."""

    code: str
    invitation: str
    phase: str
    content: str  # as in `PersonView`
    title: str
    question: str
    step: int
    steps: int
    # The current step. While answers are open, guesses and quiz questions are shown without
    # results; theory and solutions only once they are revealed.
    parts: tuple[LessonPart, ...]
    joined: int | None  # how many counted people are present, before the first step
    rehearsal: bool  # whether bots are among them
    sources: dict[str, str]
    language: str  # of the lesson's texts
    paused: bool = False
    people: int = field(default=0, metadata=LIVE)  # how many counted people are present; live
    until: datetime | None = field(default=None, metadata=LIVE)


def projector_view(at: LessonRoom) -> ProjectorView:
    """Return the projector's view."""
    pace, lesson = at.pace, at.lesson
    now = steps(lesson)[pace.at - 1] if pace.at else ()
    people = len(at.room.here) - len(at.uncounted)
    return ProjectorView(
        code=at.room.code,
        invitation=at.room.invitation,
        phase=at.room.phase,
        content=lesson.mark,
        title=lesson.title,
        question=lesson.question,
        step=pace.at,
        steps=len(steps(lesson)),
        parts=tuple(_part_in_front(at, place) for place in now),
        joined=None if pace.at else people,
        rehearsal=not pace.at and bool(at.bots),
        sources=dict(lesson.sources),
        language=lesson.language,
        paused=pace.paused,
        people=people,
        until=pace.until,
    )


def _part_in_front(at: LessonRoom, place: int) -> LessonPart:
    block, key = at.block(place), at.pace.key(place)
    if not asks(block):
        return LessonPart(place, block, key)
    revealed = at.pace.is_revealed(key)
    # Results would influence those who have not answered; games may be watched.
    answered = at.answered.get(key, 0)
    seen = at.stage(key) != "open" if block.kind != "game" else bool(answered)
    if block.kind == "say":
        seen = revealed  # it is let through
    # Phones are asked two different questions, and each says what is right.
    seen = seen and block.instead is None
    words = at.words(key)
    pairs = at.pace.in_pairs(at.lesson, place)
    return _part(
        at,
        key,
        revealed=revealed,
        pairs=pairs,
        said=tuple(words[who] for who in at.pace.let.get(key, ()) if who in words),
        signs=len(at.seating(key)["pairs"]) if pairs else 0,
        charts=tuple(_charts(at, key, truth=revealed)) if seen else (),
        answered=answered,
    )


@displayed
@dataclass(frozen=True, slots=True)
class LeadView:
    """The facilitator's view."""

    content: str  # as in `PersonView`
    title: str
    led: bool
    step: int
    # All steps with their solutions; the current one with its answers, and with the solution and
    # theory on its charts once they are revealed.
    steps: tuple[tuple[LessonPart, ...], ...]
    # Whether somebody has answered the current block: pairs agree on a plan before that.
    begun: bool
    in_pairs: bool  # whether the current block is played in pairs
    pairs: bool  # whether it could be
    paused: bool = False
    counted: int = field(default=0, metadata=LIVE)  # how many people are counted; live
    until: datetime | None = field(default=None, metadata=LIVE)

    @property
    def at_hand(self) -> tuple[LessonPart, ...]:
        """Return the current step."""
        return self.steps[self.step - 1] if self.step else ()

    @property
    def asking(self) -> LessonPart | None:
        """Return the block of the current step that asks something."""
        return asking(self.at_hand)


def lead_view(at: LessonRoom) -> LeadView:
    """Return the facilitator's view."""
    pace, lesson = at.pace, at.lesson
    place = pace.asking(lesson)
    shown = tuple(
        tuple(_part_of_lead(at, place, at_hand=number == pace.at) for place in step)
        for number, step in enumerate(steps(lesson), start=1)
    )
    question = asking(shown[pace.at - 1]) if pace.at else None
    return LeadView(
        content=lesson.mark,
        title=lesson.title,
        led=pace.led,
        step=pace.at,
        steps=shown,
        begun=question is not None and question.answered > 0,
        in_pairs=place is not None and pace.in_pairs(lesson, place),
        pairs=place is not None and pace.led and at.block(place).pairs,
        paused=pace.paused,
        counted=len(at.room.here) - len(at.uncounted),
        until=pace.until,
    )


def _part_of_lead(at: LessonRoom, place: int, *, at_hand: bool) -> LessonPart:
    block, key = at.block(place), at.pace.key(place)
    if not asks(block):
        return LessonPart(place, block, key)
    # The solution is on a chart only once it is revealed: many facilitators share their screen.
    drawn = _charts(at, key, truth=at.pace.is_revealed(key)) if at_hand else []
    if drawn and block.transfer == "after" and (gain := class_gain(at)) is not None:
        drawn[-1]["note"] = " ".join(filter(None, (drawn[-1].get("note"), gain.sentence)))
    return _part(
        at,
        key,
        revealed=True,
        charts=tuple(drawn),
        words=_words(at, key) if at_hand else (),
        answered=at.answered.get(key, 0),
    )


def _words(at: LessonRoom, key: Key) -> tuple[tuple[int, str, bool], ...]:
    """Return everybody's words in an order that says nothing about who wrote them."""
    let = at.pace.let.get(key, ())
    words = sorted(at.words(key).items(), key=lambda item: (item[1].casefold(), item[0]))
    return tuple((person, text, person in let) for person, text in words)
