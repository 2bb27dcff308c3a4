"""Ask scripted provers what strangers asked.

``python -m tests.explorer.players.scripted.strangers.answering a.toml`` prints all answers as JSON.

Each question is asked once of each prover, in a game of its own, after an opening. About a program
it is asked of an honest prover and of a liar of medium skill, in the protocol with one prover and
questions. About a passage `version` says which answer the consultant argues for.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.players import LEVELS, ScriptedExpert, SeatScript, script_for
from nip_core.play import Episode, Move, Setup
from nip_core.registry import specification
from nip_core.tasks import passages, problems
from tests.explorer.players.scripted.asking import asked

PROGRAMS = {problem.slug: problem for problem in problems()}
FIRST = "Why do you say that?"


def questions(file: Path) -> list[dict[str, Any]]:
    """Return the questions of a file."""
    return tomllib.loads(file.read_text("utf-8"))["question"]


def answers(question: dict[str, Any], seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yield who answers, and what."""
    about, text = question["task"], question["asked"]
    right = question["version"] == "right"
    if about not in PROGRAMS:
        yield "honest" if right else "liar", _of_a_consultant(about, text, right, seed)
        return
    problem = PROGRAMS[about]
    task = problem.correct if right else problem.wrong
    for who, stance in (("honest", task.y), ("liar", 1 - task.y)):
        prover = ScriptedExpert(script_for(task, stance), LEVELS["medium"], seed)
        yield who, asked(prover, FIRST, text, task=task)[-1]


def _of_a_consultant(about: str, text: str, right: bool, seed: int) -> str:
    """Return a consultant's answer about a passage, after its opening."""
    passage = next(each for each in passages() if about in each.slug)
    spec, consultant = specification("michael_consultancy"), SeatScript(seed, "medium")
    for number in range(seed, seed + 100):
        episode = Episode.from_setup(Setup.of(spec, passage, number))
        while True:
            (seat,) = episode.to_move
            view = episode.view_for(seat)
            if seat == "judge":
                made = {"estimate": 50, "going": "go_on"}
                episode.play(Move(seat, {"talk": text}, choices=made))
                continue
            if (view.argues == episode.task.facts["truth"]) != right:
                break
            move = consultant.act(view)
            episode.play(move)
            if view.round > 2:
                return "".join(move.messages.values())
    raise AssertionError(about)


def main(file: Path) -> None:
    """Print all answers to a file's questions."""
    rows = [
        {**question, "number": number, "by": who, "answer": answer}
        for number, question in enumerate(questions(file), 1)
        for who, answer in answers(question)
    ]
    json.dump(rows, sys.stdout, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
