"""Find the one false line of a long bill by halving, with an opponent who sees more or less."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from explorer.lessons.experiments.arguments import caught
from explorer.lessons.games.halving import MOST

TITLE = "Hide the false line, then find it"
FRONT = "touch_halving"
STEPS = 10
LINES = 2**STEPS
SKILLS = (100, 95, 90, 80, 70, 60, 50)  # percent, from clear sight to guessing


def data() -> dict[str, Any]:
    """Return the amounts of the bill, and how often each opponent finds the false line."""
    random = Random(0)
    return {
        "amounts": [random.randint(1, MOST) for _ in range(LINES)],
        "skills": [[skill, float(caught(STEPS, Fraction(skill, 100)))] for skill in SKILLS],
    }
