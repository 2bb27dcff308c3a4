"""Positions: you are the verifier with one question left. Made from games, with exact answers.

The claim is false, and the provers are scripted liars. ``positions.json`` holds for each question
what the best scripted verifier would believe on average, over all answers that liars of every level
may give. ``python -m tests.make_positions`` writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from explorer.play.questions import Answered, Asked, answers_of_liars
from explorer.play.seats import watched
from explorer.players import LEVELS
from nip_core.play import Episode
from nip_core.tasks import Graph

FILE = Path(__file__).with_name("positions.json")
POSITIONS = (
    "You are the verifier. Every program here is wrong, and its provers say that it is right: "
    "easy, medium or hard liars, equally likely before the game. Ask the question that leaves "
    "a verifier that checks every answer with the least belief, on average over all that they may "
    "answer."
)
"""What is asked of a person at a position."""


def lost_position(episode: Episode, end: int, asked: Iterable[Asked]) -> dict[str, Any] | None:
    """Return a position of a game in which the verifier accepted a false claim; else None.

    The episode is about a program, with scripted provers, and over; `end` is the end of the
    variation that was played. `asked` has the exact effect of each question on the belief, against
    the provers of this game. The position is that of the best question.
    """
    found = list(asked)
    statement, verifier = episode.task.statement, watched(episode.rules)
    decided = episode.path(end)[-1].moves.get(verifier)
    lost = episode.task.y == 0 and decided is not None and decided.decision == 1
    if not lost or not found or isinstance(statement, Graph):
        return None
    best = max(found, key=lambda each: each.gain)
    node, levels = best.node, LEVELS.values()
    _, answers = answers_of_liars(episode, node, levels, end=end, only=best.question)
    shown = shown_at(episode, node)
    name = f"own:{sha256(json.dumps(shown).encode()).hexdigest()[:16]}"
    here = [each for each in found if each.node == node]
    Random(f"order/{name}").shuffle(here)
    return {
        "name": name,
        "seat": verifier,
        **shown,
        "before": best.before,
        "questions": [
            {
                "ask": each.question,
                "after": round(float(each.after), 1),
                "likely": likeliest(answers[best.question]) if each is best else None,
            }
            for each in here
        ],
    }


def shown_at(episode: Episode, node: int) -> dict[str, Any]:
    """Return what a position shows: the statement, and what was said up to there."""
    statement = episode.task.statement
    return {
        "provers": len(episode.rules.provers),
        "title": statement.title,
        "difficulty": statement.difficulty,
        "question": statement.question,
        "program": statement.solution,
        "said": _said(episode, node),
    }


def likeliest(answers: list[Answered]) -> dict[str, Any]:
    """Return the likeliest answer to a question, as plain data."""
    first = answers[0]
    chance = round(100 * float(first.chance), 1)
    return {"chance": chance, "belief": first.belief, "texts": list(first.texts)}


def _said(episode: Episode, node: int) -> list[dict[str, str]]:
    """Return the messages up to a position. The same text on two channels is listed once."""
    names = episode.rules.seat_name
    return [
        {"who": names(agent), "text": text}
        for position in episode.path(node)[1:]
        for agent, move in position.moves.items()
        for text in dict.fromkeys(move.messages.values())
    ]


@cache
def all_positions() -> list[dict[str, Any]]:
    """Return all positions, the easy ones first."""
    return json.loads(FILE.read_text("utf-8"))
