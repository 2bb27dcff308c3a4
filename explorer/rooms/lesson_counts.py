"""What a room answered, as plain data of charts; what theory says and what is right by request."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from math import floor
from typing import Any

from explorer.lessons.game import Circumstances
from explorer.lessons.lesson import Block
from explorer.lessons.library import game, pair_game
from explorer.rooms.pairs import Given, holds, play_of
from nip_core.values import wilson

__all__ = ["Chart", "charts", "given_of", "options", "pair_charts", "step_of"]

Row = Mapping[str, Any]
Chart = dict[str, Any]
FEWEST_STEPS = 20  # of a slider in ones
BINS = 20


def charts(block: Block, counts: Counter[str], *, truth: bool) -> list[Chart]:
    """The charts of what was answered to a block in one round.

    Parameters
    ----------
    block : Block
        That asks.
    counts : Counter
        How often each value was answered.
    truth : bool
        May they say what is right, or what theory expects?
    """
    if block.kind == "game":
        return _cases(block, counts, truth=truth)
    if block.kind == "predict" and not block.choices:
        return [_histogram(block, counts.elements(), truth=truth)]
    rows_of_it: list[dict[str, Any]] = [
        {"name": name, "count": counts[str(number)], "right": truth and right}
        for number, (name, right) in enumerate(options(block))
    ]
    total = sum(row["count"] for row in rows_of_it)
    return [{"kind": "bars", "title": "", "total": total, "rows": rows_of_it}]


def options(block: Block) -> list[tuple[str, bool]]:
    """What can be chosen in a guess or a quiz question, and whether it is right.

    What was chosen is kept as its number: an answer may be long.
    """
    if block.kind == "quiz":
        return [(answer.text, answer.right) for answer in block.answers]
    return [(choice, choice == block.right) for choice in block.choices]


def _histogram(block: Block, values: Iterable[str], *, truth: bool) -> Chart:
    numbers = sorted(number for value in values if (number := _number(value)) is not None)
    width = (block.high - block.low) / BINS
    bins = [0] * BINS
    for number in numbers:
        bins[min(BINS - 1, max(0, int((number - block.low) / width)))] += 1
    middle = numbers[(len(numbers) - 1) // 2 : len(numbers) // 2 + 1]
    # As it was asked for: in whole per cent, and not 50.5 %.
    step = step_of(block)
    median = floor(sum(middle) / len(middle) / step + 0.5) * step if middle else None
    return {
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


def step_of(block: Block) -> float:
    """By how much a guess is changed at least: by one, unless the whole range is small."""
    span = block.high - block.low
    return 1.0 if span >= FEWEST_STEPS else span / 100


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _cases(block: Block, counts: Mapping[str, int], *, truth: bool) -> list[Chart]:
    """Each case of a game by itself, for only then there is one chance to compare with."""
    played = game(block.name)
    made: list[Chart] = []
    for name, case in played.cases(block.settings or {}).items():
        found = {each: counts.get(f"{name}: {each}", 0) for each in case.chances}
        if any(found.values()):
            made.append(_compared(case, played.outcomes, found, truth=truth))
    return made


def _compared(
    case: Circumstances, names: Mapping[str, str], found: Mapping[str, int], *, truth: bool
) -> Chart:
    """Bars with the interval of the true rate, and what theory expects."""
    total = sum(found.values())
    rows: list[dict[str, Any]] = []
    for each, count in found.items():
        low, high = wilson(count, total)
        chance = case.chances.get(each) if truth else None
        rows.append(
            {
                "name": names[each],
                "count": count,
                "right": False,
                "low": low,
                "high": high,
                "theory": None if chance is None else float(chance),
            }
        )
    return {"kind": "bars", "title": case.label, "total": total, "rows": rows}


def given_of(rows: Iterable[Row]) -> Given:
    """What people answered as one of a pair, by person and question; the first answer counts."""
    given: dict[int, dict[int, int]] = {}
    for row in rows:
        if row["kind"] == "pair":
            said = json.loads(row["value"])
            given.setdefault(row["person"], {}).setdefault(said["question"], said["answer"])
    return given


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
    """The rounds of all pairs, and their games; those in which a bot answered are not counted."""
    played = pair_game(block.name)
    assert played is not None, block.name
    given = given_of(rows)
    questions, games, with_bots = Counter[str](), Counter[str](), 0
    for number in range(len(seating.get("pairs", ()))):
        play = play_of(seating, number, given, played, wall=wall, gone=gone, bots=bots)
        for rounds in play.games(played):
            done = [each for each in rounds if each.complete]
            ended = bool(done) and (not holds(played, done[-1]) or len(done) == played.rounds)
            if ended and all(each.by_people for each in done):
                games["held" if holds(played, done[-1]) else "failed"] += 1
            for each in done:
                if each.by_people:
                    questions["held" if holds(played, each) else "failed"] += 1
                else:
                    with_bots += 1
    case = played.circumstances(wall=wall)
    found = {each: questions[each] for each in played.outcomes}
    made = [
        {
            **_compared(case, played.outcomes, found, truth=truth),
            "counted": "questions",
            "best": True,
        }
    ]
    if games.total():
        held = case.chances["held"]
        survived = None if held is None else held**played.rounds
        whole = Circumstances(
            "Whole games",
            {"held": survived, "failed": None if survived is None else 1 - survived},
        )
        names = {"held": f"Survived all {played.rounds} questions", "failed": "Were caught before"}
        found = {each: games[each] for each in played.outcomes}
        made.append(
            {**_compared(whole, names, found, truth=truth), "counted": "games", "best": True}
        )
    if with_bots:
        made[0]["note"] = f"{with_bots} more with a bot as partner are not counted."
    return made
