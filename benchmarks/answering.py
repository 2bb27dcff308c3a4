"""How fast scripted experts answer questions about the result of a program."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from benchmarks.timing import best_seconds
from explorer.players import ScriptedExpert, script_for
from explorer.programs import Runner
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from nip_core.tasks import problems


def measure() -> Iterator[dict[str, Any]]:
    """Measure a program in the warm process, and in a new process each time; and whole answers."""
    numbers = itertools.count()
    problem = next(p for p in problems() if p.slug == "runner_up")
    task = problem.correct.id

    def ask(runner: Runner) -> None:
        # Never the same twice, since answers are remembered.
        runner.run(task, f"([{next(numbers)}, 7, 9, 4, 9],)")

    def ask_a_new_one() -> None:
        runner = Runner()
        ask(runner)
        runner.close()

    warm = Runner()
    seconds = best_seconds(lambda: ask(warm))
    cold = best_seconds(ask_a_new_one, rounds=3)
    yield {
        "what": "a run in the warm process",
        "us": seconds * 1e6,
        "runs per s": 1 / seconds,
        "times faster than a new process": cold / seconds,
        "processes": warm.started,
    }
    expert = ScriptedExpert(script_for(problem.wrong, 1))

    def answer() -> None:
        episode = Episode(HyperParameters(), problem.wrong)
        asked = f"What is returned for [{next(numbers)}, 3, 1]? And what does line 3 do?"
        episode.play(Move("verifier", {"main": asked}))
        expert.turn(episode.view_for("prover"))

    seconds = best_seconds(answer)
    yield {"what": "a typed question answered", "us": seconds * 1e6, "answers per s": 1 / seconds}
    warm.close()
