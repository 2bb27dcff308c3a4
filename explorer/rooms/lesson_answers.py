"""People's answers in a lesson, with counts and charts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from math import floor
from typing import Any

from explorer.languages import tr, trn
from explorer.lessons import Block, Circumstances, game, options, pair_game, words_of
from explorer.rooms.errors import NotNowError, RoomError
from explorer.rooms.events import AnswerGiven
from explorer.rooms.guidance import prediction_choices
from explorer.rooms.pairs import Given, holds, play_of
from explorer.rooms.room import Access, Room, load_room
from nip_core.values import wilson

KINDS = ("guess", "quiz", "said", "outcome", "pair", "prediction")
# Of these kinds every answer counts; of the others only the last one.
MANY = ("outcome", "pair")
MOST_VALUE = 200
MOST_OF_ONE = 300
MOST_IN_ALL = 1_000


def answer(
    access: Access, person: int, lesson: str, block: int, part: str, kind: str, value: str
) -> None:
    """Store an answer, replacing the earlier one; outcomes of games are added."""
    room = load_room(access)
    if room.own(person, access.visitor).left:
        raise NotNowError("You have left the room. Join again to answer.")
    give(room, person, lesson, block, part, kind, value)


def give(
    room: Room,
    person: int,
    lesson: str,
    block: int,
    part: str,
    kind: str,
    value: str,
    *,
    old_block: int | None = None,
) -> None:
    """Store an answer of a person whose right was checked, or of a bot.

    It also replaces one that was stored when the block had the number `old_block`.
    """
    short = len(lesson) <= 60 and len(part) <= 60 and len(value) <= MOST_VALUE
    if kind not in KINDS or not short or "\0" in lesson + part + value or not 0 <= block < 2**31:
        raise RoomError("This does not answer a question of this room. Reload the page.")
    place: dict[str, Any] = {"person": person, "lesson": lesson, "block": block, "part": part}
    most = MOST_OF_ONE if kind in MANY else 1

    def answer_event(number: int) -> AnswerGiven:
        return AnswerGiven(**place, number=number, kind=kind, value=value, old_block=old_block)

    where = {"room": room.number, **place}
    if not room.storage.rooms.put_answer(
        room.code, where, answer_event, most=most, most_in_all=MOST_IN_ALL, old_block=old_block
    ):
        raise RoomError("You have given the most answers that are counted for one person.")


def predictions(room: Room, turn: int | None = None) -> Counter[str]:
    """Return how often each result was predicted, also if never, for one task or for all."""
    counts = Counter(dict.fromkeys(prediction_choices(room), 0))
    for (lesson, block, part), values in room.storage.rooms.answers_counted(room.number).items():
        if not lesson and not block and turn in (None, int(part) if part.isdecimal() else 0):
            counts.update({value: n for value, n in values.items() if value in counts})
    return counts


def predicted_by(room: Room, person: int) -> str | None:
    """Return what a person has predicted for the present task."""
    answers = room.storage.rooms.answers_of(
        room.number, people=[person], at=(0, str(room.turn)), kinds=["prediction"]
    )
    return answers[-1]["value"] if answers else None


Row = Mapping[str, Any]
Chart = dict[str, Any]
BINS = 20


def charts(block: Block, counts: Counter[str], *, truth: bool) -> list[Chart]:
    """Return the charts of the answers to a block in one round, by how often each was given.

    With `truth`, they show the correct answer or the theoretical value; but never of the question
    before a lesson, since one of the same kind is asked after it.
    """
    truth = truth and block.transfer != "before"
    if block.kind == "game":
        return _cases(block, counts, truth=truth)
    if block.kind in ("predict", "playable") and not block.choices:
        return [_histogram(block, counts.elements(), truth=truth)]
    if block.kind == "say" and not block.choices:
        return []  # words, of which each is let through by itself
    rows_of_it: list[dict[str, Any]] = [
        {"name": name, "count": counts[str(number)], "right": truth and right}
        for number, (name, right) in enumerate(options(block))
    ]
    if block.instead is None:
        return [_bars("", rows_of_it)]
    # Of the questions before and after a lesson, each is asked half of the class.
    first, second = block.asks
    many = len(first.answers)
    return [_bars(first.question, rows_of_it[:many]), _bars(second.question, rows_of_it[many:])]


def _bars(title: str, rows: list[dict[str, Any]]) -> Chart:
    total = sum(row["count"] for row in rows)
    return {"kind": "bars", "title": title, "total": total, "rows": rows}


def can_be_answer(block: Block, value: str) -> bool:
    """Return whether a value answers what this block asks."""
    if block.kind == "game":
        if value.startswith("{"):
            return block.pairs
        case, _, outcome = value.rpartition(": ")
        played = game(block.name)
        return outcome in played.outcomes and case in played.cases(block.settings or {})
    if choices := options(block):
        return value in map(str, range(len(choices)))
    if block.kind == "say":
        return words_of(value) == value
    try:
        return block.low <= float(value) <= block.high
    except ValueError:
        return False


def _histogram(block: Block, values: Iterable[str], *, truth: bool) -> Chart:
    numbers = sorted(number for value in values if (number := _number(value)) is not None)
    width = (block.high - block.low) / BINS
    bins = [0] * BINS
    for number in numbers:
        bins[min(BINS - 1, max(0, int((number - block.low) / width)))] += 1
    middle = numbers[(len(numbers) - 1) // 2 : len(numbers) // 2 + 1]
    # In the question's own steps: whole per cent, not 50.5%.
    step = block.step
    median = floor(sum(middle) / len(middle) / step + 0.5) * step if middle else None
    # Only if chance draws for each person: the truth is then a mean, which many do not find.
    drawn = {"spread": list(block.spread), "note": block.spread_in_words} if block.spread else {}
    return {
        **(drawn if truth else {}),
        "kind": "histogram",
        "title": "",
        "low": block.low,
        "high": block.high,
        "unit": block.unit,
        "bins": bins,
        "total": len(numbers),
        "median": median,
        "truth": block.truth if truth else None,
    }


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _cases(block: Block, counts: Mapping[str, int], *, truth: bool) -> list[Chart]:
    """Return a chart for each case of a game, since each case has its own expected rate."""
    played = game(block.name)
    made: list[Chart] = []
    for name, case in played.cases(block.settings or {}).items():
        outcomes = {outcome: counts.get(f"{name}: {outcome}", 0) for outcome in case.chances}
        if any(outcomes.values()):
            made.append(_compared(case, played.outcomes, outcomes, truth=truth))
    return made


def _compared(
    case: Circumstances, names: Mapping[str, str], counts: Mapping[str, int], *, truth: bool
) -> Chart:
    """Return bars with the confidence interval of the rate and the theoretical value."""
    total = sum(counts.values())
    rows: list[dict[str, object]] = []
    for outcome, count in counts.items():
        low, high = wilson(count, total)
        chance = case.chances.get(outcome) if truth else None
        rows.append(
            {
                "name": tr(names[outcome]),
                "count": count,
                "right": False,
                "low": low,
                "high": high,
                "theory": None if chance is None else float(chance),
            }
        )
    return {"kind": "bars", "title": case.label, "total": total, "rows": rows}


def given_of(rows: Iterable[Row]) -> Given:
    """Return the answers of pairs by person and question; the first answer counts."""
    answers: dict[int, dict[int, int]] = {}
    for row in rows:
        if row["kind"] == "pair":
            answer = json.loads(row["value"])
            answers.setdefault(row["person"], {}).setdefault(answer["question"], answer["answer"])
    return answers


def pair_charts(
    block: Block,
    seating: Mapping[str, Any],
    rows: Iterable[Row],
    *,
    wall: bool,
    gone: Collection[int],
    bots: Collection[int] = (),
    truth: bool,
) -> list[Chart]:
    """Return charts of the rounds and games of all pairs, without those in which a bot answered."""
    played = pair_game(block.name)
    assert played is not None, block.name
    answers = given_of(rows)
    questions, games, with_bots = Counter[str](), Counter[str](), 0
    for number in range(len(seating.get("pairs", ()))):
        play = play_of(seating, number, answers, played, wall=wall, gone=gone, bots=bots)
        for rounds in play.games(played):
            done = [pair_round for pair_round in rounds if pair_round.complete]
            ended = bool(done) and (not holds(played, done[-1]) or len(done) == played.rounds)
            if ended and all(pair_round.by_people for pair_round in done):
                games["held" if holds(played, done[-1]) else "failed"] += 1
            for pair_round in done:
                if pair_round.by_people:
                    questions["held" if holds(played, pair_round) else "failed"] += 1
                else:
                    with_bots += 1
    case = played.circumstances(wall=wall)
    counts = {outcome: questions[outcome] for outcome in played.outcomes}
    made = [
        {
            **_compared(case, played.outcomes, counts, truth=truth),
            "counted": tr("questions"),
            "best": True,
        }
    ]
    if games.total():
        held = case.chances["held"]
        survived = None if held is None else held**played.rounds
        whole = Circumstances(
            tr("Whole games"),
            {"held": survived, "failed": None if survived is None else 1 - survived},
        )
        counts = {ending: games[ending] for ending in played.outcomes}
        made.append(
            {
                **_compared(whole, played.endings, counts, truth=truth),
                "counted": tr("games"),
                "best": True,
            }
        )
    if with_bots:
        made[0]["note"] = trn(
            "{n} more with a bot as partner is not counted.",
            "{n} more with a bot as partner are not counted.",
            with_bots,
        )
    return made
