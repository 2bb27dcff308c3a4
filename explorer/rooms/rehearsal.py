"""A rehearsal: bots take part, so that a facilitator sees every screen."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from random import Random
from typing import Any

from explorer.lessons import game, own_answers
from explorer.rooms.agenda import start_clock
from explorer.rooms.changes import leading
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.events import AnswersDeleted, PersonJoined, PersonLeft
from explorer.rooms.lesson import Key, LessonRoom, asks, has_wall
from explorer.rooms.lesson_acts import KEPT_AS, load_lesson, seat_late_ones, steer
from explorer.rooms.lesson_answers import give
from explorer.rooms.people import MOST_PEOPLE
from explorer.rooms.room import Access, load_room
from explorer.rooms.seating import start

MOST = 60


def rehearse(access: Access, people: int = 30) -> None:
    """Let bots join a rehearsal; after the start they play as fast as people."""
    if not 1 <= people <= MOST:
        raise RoomError(f"Between 1 and {MOST} bots can join.")
    with leading(access) as (change, room):
        if not room.plan.rehearsal:
            raise NotNowError("Bots join rehearsals only. Make a room to rehearse.")
        if room.phase != "gathering":
            raise NotNowError("The rehearsal has started already.")
        already = len(room.people)
        if already + people > MOST_PEOPLE:
            raise NotNowError("The room has no space for that many bots.")
        for number in range(already + 1, already + people + 1):
            change.append(PersonJoined(person=number, bot=True))


def run_rehearsal(access: Access) -> None:
    """Let bots take all seats of a rehearsal, start it, and start the workshop's clock."""
    if load_room(access).kind == "lesson":
        bots_join(access)
        steer_rehearsal(access, "go", 1)
    else:
        rehearse(access, MOST_BOTS)
        start(access)
    start_clock(access)


def steer_rehearsal(access: Access, act: str, value: Any = None) -> None:
    """Steer a lesson; in a rehearsal the bots answer at once whatever is open."""
    steer(access, act, value)
    at = load_lesson(access)
    place = at.pace.asking(at.lesson)
    bots = any(person.bot for person in at.room.here)
    if at.room.plan.rehearsal and bots and place and at.stage(at.pace.key(place)) == "open":
        # The position is that from before the step, which was this command's own.
        bots_answer(replace(access, since=None))


def throw_away(access: Access) -> None:
    """Delete a rehearsal with all that was played in it."""
    with leading(access, even_closed=True) as (change, room):
        if not room.plan.rehearsal:
            raise NotNowError("Only a rehearsal can be thrown away. Close the room instead.")
        change.delete()


MOST_BOTS = 30
MOST_MOVES = 60  # of a game against the machine
KEEPS_TO_PLAN = 0.9
SAID = (
    "I would ask the same question twice.",
    "Let somebody else look for the error.",
    "It depends on what a lie costs.",
    "I am not sure that it works for people.",
)
QUESTIONS = 4  # that a pair of bots answers each time


def bots_join(access: Access, people: int = MOST_BOTS) -> None:
    """Let bots join until there are this many."""
    with leading(access) as (change, room):
        there = sum(person.bot for person in room.here)
        wanted = max(0, min(people, MOST_BOTS) - there)
        if len(room.people) + wanted > MOST_PEOPLE:
            raise RoomError("This room is full.")
        for number in range(len(room.people) + 1, len(room.people) + 1 + wanted):
            change.append(PersonJoined(person=number, bot=True))
    seat_late_ones(access)


def bots_go(access: Access) -> None:
    """Remove the bots and their answers."""
    with leading(access) as (change, room):
        for person in room.here:
            if person.bot:
                who = person.number
                change.append(AnswersDeleted(person=who), PersonLeft(person=who))


def bots_answer(access: Access, *, chance: Random | None = None) -> None:
    """Let every bot answer the current block, if it has not and answers are open."""
    at = load_lesson(access)
    with leading(access):
        pass
    chance = chance or random.Random()
    place = at.pace.asking(at.lesson)
    if place is None or not asks(at.block(place)):
        raise NotNowError("This step asks nothing. Go to a question, a guess or a game.")
    key = at.pace.key(place)
    if at.stage(key) != "open":
        raise NotNowError("Answers are closed. Open them first.")
    if at.pace.in_pairs(at.lesson, place):
        _pairs(access, key, chance)
        return
    answered = {row["person"] for row in at.of(key)}
    for person in at.room.here:
        if person.bot and person.number not in answered:
            _alone(at, person.number, key, chance)


def _alone(at: LessonRoom, person: int, key: Key, chance: Random) -> None:
    block = at.asked(key[0], person)
    if block.kind == "game":
        kind, value = "outcome", _outcome(at, key, chance)
    elif known := own_answers(block):
        kind, value = block.kind, str(chance.choice(known))
    elif block.kind == "say":
        kind, value = "said", chance.choice(SAID)
    else:
        spread = (block.high - block.low) / 6
        guess = min(block.high, max(block.low, chance.gauss((block.low + block.high) / 2, spread)))
        kind, value = block.kind, f"{guess:.0f}"
    kind = KEPT_AS.get(kind, kind)
    give(at.room, person, at.lesson.slug, *at.stored(key), kind, value)


def _outcome(at: LessonRoom, key: Key, chance: Random) -> str:
    """Return the outcome of a game that is played at random."""
    block = at.block(key[0])
    played = game(block.name)
    role = block.role or played.roles[0].name
    state = played.start(role, block.settings or {}, chance)
    for _ in range(MOST_MOVES):
        scene = played.scene(state)
        if scene.outcome is not None:
            return f"{scene.case}: {scene.outcome}"
        state = played.act(state, chance.choice(sorted(scene.options)), chance)
    return "unfinished"


def _pairs(access: Access, key: Key, chance: Random) -> None:
    """Let each bot answer some questions, or as many as its human partner has answered."""
    for _ in range(QUESTIONS):
        at = load_lesson(access)
        for person in at.room.here:
            pair = at.pair(key, person.number) if person.bot else None
            if pair is None or not pair[0].rounds:
                continue
            played, _, seat = pair
            if played.rounds[-1].answers[seat] is None:
                answer = _answer(at, key, played.rounds[-1].asked, seat, chance)
                document = json.dumps({"question": len(played.rounds) - 1, "answer": answer})
                give(at.room, person.number, at.lesson.slug, *at.stored(key), "pair", document)


def _answer(at: LessonRoom, key: Key, question: tuple[int, int], seat: int, chance: Random) -> int:
    """Return an answer that mostly follows the plan, so that screens look as with people."""
    played = at.game(key[0])
    if chance.random() < KEEPS_TO_PLAN:
        return played.bot(seat, question, wall=has_wall(key))
    return int(chance.choice(played.choices()).name)
