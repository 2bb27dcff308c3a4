"""What people and the facilitator can do in a room's lesson."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any, Literal

from explorer.lessons import GameInProgress, own_answers
from explorer.rooms.changes import changing, leading, now
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.events import BlockReset, LessonSteered
from explorer.rooms.lesson import ROUNDS, STATE, Key, LessonRoom, Pace, end_of_timer
from explorer.rooms.lesson_answers import can_be_answer, give
from explorer.rooms.pairs import joined, seated, taken_over
from explorer.rooms.room import Access, Room, drafts_of, load_room, room_of
from explorer.storage import RoomChange, Storage, room_topic

PAUSED = "The lesson is paused. Look up; your answer is taken as soon as it goes on."
LOCKED = "No answers are taken at the moment. Wait until the facilitator opens this part."
# The kind of the answers to each kind of block of which a person has only one answer.
KEPT_AS = {"predict": "guess", "playable": "guess", "quiz": "quiz", "say": "said"}
TOO_LATE = "The class has moved on to another part. Look at the page again."


def load_lesson(access: Access, *, even_closed: bool = False) -> LessonRoom:
    """Return a room's lesson at present."""
    return lesson_of((room_of if even_closed else load_room)(access))


def lesson_of(room: Room) -> LessonRoom:
    """Return the lesson of a room that was loaded."""
    if room.kind != "lesson":
        raise RoomError("This room has tables and no lesson.")
    return LessonRoom(room)


# -- the facilitator -------------------------------------------------------------------------------


def _writer(pace: Pace, at: LessonRoom, words: Any) -> int:
    """Return whose words these are; they are as the facilitator has read them."""
    place = pace.asking(at.lesson)
    person, text = words
    if place is None or at.words(pace.key(place)).get(person) != text:
        raise NotNowError("These words were changed or deleted meanwhile. Read them again.")
    return int(person)


Act = Callable[[Pace, LessonRoom, Any], Pace]
ACTS: Mapping[str, Act] = {
    "go": lambda pace, at, step: pace.went(at.lesson, int(step)),
    "open": lambda pace, at, _: pace.staged(at.lesson, "open"),
    "lock": lambda pace, at, _: pace.staged(at.lesson, "locked"),
    "reveal": lambda pace, at, _: pace.staged(at.lesson, "revealed"),
    "reset": lambda pace, at, _: pace.reset(at.lesson),
    "timer": lambda pace, at, seconds: pace.timed(at.lesson, int(seconds), now()),
    "round": lambda pace, at, name: pace.asked_in(at.lesson, str(name)),
    "alone": lambda pace, at, alone: pace.played(at.lesson, alone=bool(alone)),
    "led": lambda pace, _, led: replace(pace, led=bool(led)),
    "let": lambda pace, at, words: pace.let_through(at.lesson, _writer(pace, at, words)),
    "pause": lambda pace, _at, _: pace.halted(now()),
    "resume": lambda pace, _at, _: pace.resumed(now()),
}


def steer(access: Access, act: str, value: Any = None) -> None:
    """Do one of :data:`ACTS` with a room's lesson, as it was at a position of the log."""
    with leading(access) as (change, room):
        at = LessonRoom(room)
        # Whatever else the facilitator does ends a pause.
        before = (
            at.pace if act in ("pause", "resume") else replace(at.pace, paused=False, left=None)
        )
        pace = ACTS[act](before, at, value)
        place = at.pace.asking(at.lesson) if act == "reset" else None
        key = None if place is None else at.pace.key(place)
        reset = () if key is None else at.stored_under(key)
        _keep(change, at, act, _with_pairs(pace, at), reset=reset)
    if pace.until is not None and pace.until != at.pace.until:
        announce_end_of_timer(room, pace.until)


# The latest timer of each room that this process announces.
_timers: dict[tuple[str, str], datetime] = {}
JUST_OVER = timedelta(minutes=1)


def announce_end_of_timer(at: Access | Room, until: datetime) -> None:
    """Notify the windows when a timer ends, since nothing in the database changes then.

    Repeated calls for the same timer have no further effect.
    """
    room = at.storage.presence.process, at.code
    if _timers.get(room) == until:
        return
    _timers[room] = until
    tell = partial(at.storage.change_feed.publish, room_topic(at.code))
    timer = threading.Timer(max(0.0, (until - now()).total_seconds()), tell)
    timer.daemon = True
    timer.start()


def take_over_timers(storage: Storage) -> None:
    """Take over timers that other processes have started, for example before a restart.

    Of expired timers, only the latest is announced.
    """
    for row in storage.rooms.lessons_with_timers():
        until = end_of_timer(json.loads(row["state"]).get(STATE, {}))
        if until is not None and until > now() - JUST_OVER:
            announce_end_of_timer(Access(storage, row["code"]), until)


def seat_late_ones(access: Access) -> None:
    """Seat latecomers where pairs play."""
    with leading(access) as (change, room):
        at = lesson_of(room)
        place = at.pace.asking(at.lesson)
        if place is None or at.pace.key(place) not in at.pace.pairs:
            return
        key = at.pace.key(place)
        seating: Mapping[str, Any] = at.seating(key)
        for person in room.here:
            seating = joined(seating, person.number, at.given(key), at.gone)
        _keep(change, at, "pairs", replace(at.pace, pairs={**at.pace.pairs, key: seating}))


def _with_pairs(pace: Pace, at: LessonRoom) -> Pace:
    """Draw pairs where pairs are to play; the second round keeps those of the first."""
    place = pace.asking(at.lesson)
    if place is None or not pace.in_pairs(at.lesson, place):
        return pace
    key = pace.key(place)
    if key in pace.pairs:
        return pace
    here = [person.number for person in at.room.here]
    made = seated(here)
    other = next((pace.pairs[place, name] for name in ROUNDS if (place, name) in pace.pairs), None)
    if other is not None:
        made["pairs"] = _same_pairs(other, made["pairs"], here)
    return replace(pace, pairs={**pace.pairs, key: made})


def _same_pairs(other: Mapping[str, Any], drawn: list[Any], here: list[int]) -> list[Any]:
    """Keep the pairs of another round whose members are both present; draw the others."""
    now_in = [[history[-1][1] for history in pair] for pair in other["pairs"]]
    kept = {n: pair for n, pair in enumerate(now_in) if all(who in here for who in pair)}
    left = [
        who
        for pair in drawn
        for history in pair
        if (who := history[-1][1]) is not None
        and not any(who in members for members in kept.values())
    ]
    new = [[left[n], left[n + 1] if n + 1 < len(left) else None] for n in range(0, len(left), 2)]
    size = len(kept) + len(new)
    # If there are fewer pairs than before, the last ones get the free signs.
    new = [pair for n, pair in kept.items() if n >= size] + new
    pairs = [kept[n] if n in kept else new.pop(0) for n in range(size)]
    return [[[[0, who]] for who in pair] for pair in pairs]


def _keep(
    change: RoomChange, at: LessonRoom, act: str, pace: Pace, *, reset: Sequence[Key] = ()
) -> None:
    """Log what an act has changed; the answers to the blocks that are reset are deleted."""
    known, document = at.room.state.get(STATE, {}), pace.to_dict(at.lesson)
    changes = {name: document[name] for name in document if known.get(name, ...) != document[name]}
    if reset:
        change.append(BlockReset(act=act, changes=changes, blocks=reset))
    else:
        change.append(LessonSteered(act=act, changes=changes))


# -- guesses and questions -------------------------------------------------------------------------


def answer_block(access: Access, person: int, key: Key, value: str) -> None:
    """Answer a guess or a quiz question.

    In a self-paced lesson the solution is shown at once, so the first answer counts; in a led
    lesson it can be changed until answers are closed.
    """
    at = _opened(access, person, key)
    block = at.asked(key[0], person)
    if at.mine(key, person) is not None and not at.pace.led:
        raise NotNowError("You have answered this; the first answer counts.")
    kind = KEPT_AS.get(block.kind)
    fits = can_be_answer(block, value)
    if kind is None or not fits or (block.instead and int(value) not in own_answers(block)):
        raise RoomError("This does not answer that question. Reload the page.")
    if person in at.pace.let.get(key, ()):
        raise NotNowError("The class is reading your words, so they cannot be changed now.")
    place = at.lesson.slug, *at.stored(key)
    give(at.room, person, *place, kind, value, old_block=at.lesson.former_place(key[0]))


def note_guess(access: Access, person: int, key: Key, value: float) -> None:
    """Keep an unfinished guess, so that a reload does not lose it."""
    at = _opened(access, person, key)
    if not can_be_answer(at.block(key[0]), f"{value:g}"):
        raise RoomError("This does not answer that question. Reload the page.")
    access.storage.drafts.put(drafts_of(at.room, person), _draft_place("guess", at, key), value)


def noted_guess(access: Access, person: int, key: Key) -> float | None:
    """Return a person's unfinished guess."""
    at = load_lesson(access)
    at.room.own(person, access.visitor)
    block = at.block(key[0])
    return _draft(at, person, "guess", key, lambda guess: can_be_answer(block, f"{guess:g}"))


def _draft(
    at: LessonRoom,
    person: int,
    kind: Literal["guess", "game"],
    key: Key,
    fits: Callable[[Any], bool],
) -> Any:
    """Return a person's draft, or one that was stored when blocks had other numbers, if it fits."""
    owner = drafts_of(at.room, person)
    draft = at.room.storage.drafts.get(owner, _draft_place(kind, at, key))
    if draft is not None:
        return draft
    former = at.lesson.former_place(key[0])
    if former is None:
        return None
    before = at.room.storage.drafts.get(owner, _draft_place(kind, at, key, former))
    return before if before is not None and fits(before) else None


def _draft_place(kind: str, at: LessonRoom, key: Key, number: int | None = None) -> str:
    """Return the place of a guess or a game among a person's drafts; a reset begins another one."""
    number = at.stored(key)[0] if number is None else number
    return f"{kind}:{number}/{key[1]}/{at.pace.resets.get(key, 0)}"


def _opened(access: Access, person: int, key: Key) -> LessonRoom:
    """Return the lesson if this person may answer this block in this round now."""
    at = load_lesson(access)
    if at.room.own(person, access.visitor).left:
        raise NotNowError("You have left the room. Join again to answer.")
    if key[0] not in at.pace.shown(at.lesson) or key != at.pace.key(key[0]):
        raise NotNowError(TOO_LATE)
    if at.pace.led and key[0] != at.pace.asking(at.lesson):
        raise NotNowError(TOO_LATE)
    if at.pace.paused:
        raise NotNowError(PAUSED)
    if at.stage(key) != "open":
        raise NotNowError(LOCKED)
    return at


# -- games -----------------------------------------------------------------------------------------


def game_of(access: Access, person: int, key: Key) -> GameInProgress:
    """Return a person's game as they left it, or a new one."""
    at = load_lesson(access)
    at.room.own(person, access.visitor)
    return _present_game(at, person, key)


def _present_game(at: LessonRoom, person: int, key: Key) -> GameInProgress:
    """Return a person's game as they left it, or a new one if they have none that fits."""
    resume = partial(GameInProgress.resume, at.block(key[0]))
    mine = resume(_draft(at, person, "game", key, lambda kept: resume(kept) is not None))
    return mine or _keep_game(at, person, key, GameInProgress.begin(at.block(key[0])))


def _keep_game(at: LessonRoom, person: int, key: Key, mine: GameInProgress) -> GameInProgress:
    at.room.storage.drafts.put(
        drafts_of(at.room, person), _draft_place("game", at, key), mine.kept()
    )
    return mine


def play(
    access: Access, person: int, key: Key, choice: str, *, random: Random | None = None
) -> None:
    """Make a move in one's own game; a finished game is counted."""
    at = _opened(access, person, key)
    before = _present_game(at, person, key)
    if choice not in before.scene.options:
        return  # clicked twice, or in an outdated tab
    mine = before.choose(choice, random)
    after = mine.scene
    if after.outcome is not None:
        outcome = f"{after.case}: {after.outcome}"
        give(at.room, person, at.lesson.slug, *at.stored(key), "outcome", outcome)
    _keep_game(at, person, key, mine)


def play_again(access: Access, person: int, key: Key, role: object = None) -> None:
    """Start another game: in another role, or after the end of the last one."""
    at = _opened(access, person, key)
    before = _present_game(at, person, key)
    if before.scene.outcome is not None or role not in (None, before.role):
        again = GameInProgress.begin(before.block, role or before.role, before.ended)
        _keep_game(at, person, key, again)


# -- pairs -----------------------------------------------------------------------------------------


def pair_answer(access: Access, person: int, key: Key, question: int, choice: str) -> None:
    """Answer one's own question; the first answer to a question counts."""
    at = _opened(access, person, key)
    pair = at.pair(key, person) if at.pace.in_pairs(at.lesson, key[0]) else None
    if pair is None:
        raise NotNowError(TOO_LATE)
    played, _, seat = pair
    if played.seats[seat] != person:
        raise NotNowError("A bot answers for you at the moment. Take your place back first.")
    if question != len(played.rounds) - 1 or played.rounds[-1].answers[seat] is not None:
        return  # clicked twice, or in an outdated tab
    if choice not in {option.name for option in at.game(key[0]).choices()}:
        raise RoomError("This does not answer that question. Reload the page.")
    answer = json.dumps({"question": question, "answer": int(choice)})
    give(at.room, person, at.lesson.slug, *at.stored(key), "pair", answer)


def pair_seat(
    access: Access, person: int, key: Key, change: Literal["join", "bot", "back"]
) -> None:
    """Let a person join late, let a bot play for their absent partner, or let them return."""
    with changing(access) as (changed, room):
        at = lesson_of(room)
        if room.own(person, access.visitor).left or not at.pace.in_pairs(at.lesson, key[0]):
            raise NotNowError(TOO_LATE)
        if at.pace.key(key[0]) != key or key not in at.pace.pairs:
            raise NotNowError(TOO_LATE)
        whose = _partner(at, key, person) if change == "bot" else person
        before = at.seating(key)
        if whose is None:
            return
        if change == "join":
            after = joined(before, whose, at.given(key), at.gone)
        else:
            after = taken_over(before, whose, at.given(key), at.gone, by_bot=change == "bot")
        if after != before:
            _keep(changed, at, "pairs", replace(at.pace, pairs={**at.pace.pairs, key: after}))


def _partner(at: LessonRoom, key: Key, person: int) -> int | None:
    """Return the partner who is waited for; None if nobody is."""
    pair = at.pair(key, person)
    if pair is None or not pair[0].rounds:
        return None
    played, _, seat = pair
    waits = played.rounds[-1].answers[seat] is not None and not played.rounds[-1].complete
    return played.seats[1 - seat] if waits else None
