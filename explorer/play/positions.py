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
from explorer.play.seats import Start, default_seats
from explorer.players import LEVELS, scripted_player
from nip_core.parameters import HyperParameters
from nip_core.play import Episode, Move, Seated
from nip_core.tasks import Graph, problems

FILE = Path(__file__).with_name("positions.json")
PROTOCOLS = ("nip", "mnip")
POSITIONS = (
    "You are the verifier. Every program here is wrong, and its provers say that it is right: "
    "easy, medium or hard liars, equally likely before the game. Ask the question that leaves "
    "the tester, the best scripted verifier, with the least belief, on average over all "
    "that they may answer."
)
"""What is asked of a person at a position."""
# In percentage points of belief: how much the best question must gain, and a weak one may gain at
# most.
BEST_GAINS, WEAK_LACKS = 15, 10


def position_names() -> list[str]:
    """Return the names of the games that positions may be made from: one for each problem."""
    return [
        f"{PROTOCOLS[place % len(PROTOCOLS)]}:{each.slug}" for place, each in enumerate(problems())
    ]


def made_position(name: str) -> dict[str, Any] | None:
    """Make a position from a game; None if no question matters in it.

    Parameters
    ----------
    name : str
        The protocol and the problem, as in ``"nip:runner_up"``.
    """
    protocol, _, problem = name.partition(":")
    episode, node = played(protocol, problem)
    before, answers = answers_of_liars(episode, node, LEVELS.values())
    means = {ask: _mean(found) for ask, found in answers.items()}
    if not means or before - min(means.values()) < BEST_GAINS:
        return None
    if sum(mean - min(means.values()) > WEAK_LACKS for mean in means.values()) < 2:
        return None
    asks = sorted(answers)
    Random(f"order/{name}").shuffle(asks)  # They would start with the prepared questions.
    return {
        "name": name,
        **_shown(episode, node),
        "before": before,
        "questions": [
            {
                "ask": ask,
                "after": round(means[ask], 1),
                "likely": _likeliest(answers[ask]),
            }
            for ask in asks
        ],
    }


def lost_position(episode: Episode, end: int, asked: Iterable[Asked]) -> dict[str, Any] | None:
    """Return a position of a game in which the verifier accepted a false claim; else None.

    Parameters
    ----------
    episode : Episode
        About a program, with scripted provers, and over.
    end : int
        The end of the variation that was played.
    asked : iterable of Asked
        The exact effect of each question on the belief, against the provers of this game. The
        position is that of the best question.
    """
    found = list(asked)
    statement, verifier = episode.task.statement, episode.spec.verifier
    decided = episode.path(end)[-1].moves.get(verifier)
    lost = episode.task.y == 0 and decided is not None and decided.decision == 1
    if not lost or not found or isinstance(statement, Graph):
        return None
    best = max(found, key=lambda each: each.gain)
    node, levels = best.node, LEVELS.values()
    _, answers = answers_of_liars(episode, node, levels, end=end, only=best.question)
    shown = _shown(episode, node)
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
                "likely": _likeliest(answers[best.question]) if each is best else None,
            }
            for each in here
        ],
    }


def _shown(episode: Episode, node: int) -> dict[str, Any]:
    statement = episode.task.statement
    return {
        "provers": len(episode.spec.provers),
        "title": statement.title,
        "difficulty": statement.difficulty,
        "question": statement.question,
        "program": statement.solution,
        "said": _said(episode, node),
    }


def _likeliest(answers: list[Answered]) -> dict[str, Any]:
    first = answers[0]
    chance = round(100 * float(first.chance), 1)
    return {"chance": chance, "belief": first.belief, "texts": list(first.texts)}


def _mean(answers: list[Answered]) -> float:
    return float(sum(each.chance * each.belief for each in answers))


def played(protocol: str, problem: str) -> tuple[Episode, int]:
    """Play a game about a false claim, and return it with the position before its last question."""
    parameters = HyperParameters(interaction_protocol=protocol)
    seats = default_seats(parameters, "nobody")
    task = next(each.wrong for each in problems() if each.slug == problem)
    random = Random(f"position/1/{protocol}/{problem}")
    start = Start(parameters, f"problem:{problem}", seats, random.randrange(1000))
    setup = start.setup(task)
    episode = Episode.from_setup(setup)
    for agent, player in start.players().items():
        episode.apply(Seated(agent=agent, player=player))
    verifier, questions = setup.spec.verifier, list(task.statement.asks)
    random.shuffle(questions)
    before, node, heard = random.randrange(2), 0, False
    while not episode.over:
        for agent in list(episode.to_move):
            if agent != verifier:
                heard = True
                player = scripted_player(setup, agent, episode.players[agent])
                episode.play(player.turn(episode.view_for(agent)).move)
                continue
            legal = episode.legal(verifier)
            if not heard:
                ask = questions.pop()
            elif before >= 0 and not legal.last_turn:
                node = episode.node.id
                ask = questions[before]
                before -= 1
            else:
                episode.play(Move(verifier, {}, decision=1))
                break
            episode.play(Move(verifier, dict.fromkeys(legal.channels, ask)))
    return episode, node


def _said(episode: Episode, node: int) -> list[dict[str, str]]:
    """Return the messages up to a position. The same text on two channels is listed once."""
    names = episode.spec.seat_name
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
