"""Grade worked solutions, alone or with a critic who names a line and may be wrong."""

from __future__ import annotations

from random import Random
from typing import Any

from explorer.lessons.playables.legible import FRONT as FRONT
from explorer.lessons.playables.legible import STEPS, solution

TITLE = "Judge with a critic"
SOLUTIONS = 20
SEES = 0.8  # how often the critic names the wrong line, if there is one


def data() -> dict[str, Any]:
    """Return solutions by turns for a judge alone, and with a critic."""
    random = Random(23)  # five of ten are sneaky, and the critic sees four of these
    made: list[dict[str, Any]] = []
    for n in range(SOLUTIONS):
        found = solution(random, small=True) | {"kind": 1 - n % 2}
        if found["kind"]:
            line = _named(random, found["wrong"]) + 1
            said = f"A critic, paid if you find fault, says: line {line} is wrong."
            found["task"] = f"{found['task']} {said}"
        made.append(found)
    return {"kinds": ["alone", "with the critic"], "solutions": made}


def _named(random: Random, wrong: int | None) -> int:
    """Return the line that the critic names: of a right solution, any."""
    if wrong is not None and random.random() < SEES:
        return wrong
    return random.choice([line for line in range(STEPS) if line != wrong])
