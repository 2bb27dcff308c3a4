"""How fast bundled programs are run for whoever asks what they return."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from benchmarks.timing import best_seconds
from explorer.running import Runner
from nip_core.tasks import problems


def measure() -> Iterator[dict[str, Any]]:
    """A program in the warm process, beside a process of its own for each question."""
    numbers = itertools.count()
    task = next(p for p in problems() if p.slug == "runner_up").correct.id

    def ask(runner: Runner) -> None:
        # Never twice the same: what has been asked is remembered.
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
    warm.close()
