"""Grade worked solutions, helpful or sneaky, written in small steps or in few long ones."""

from __future__ import annotations

from random import Random
from typing import Any

TITLE = "Helpful or sneaky?"
FRONT = "touch_legible"
STEPS = 6
SOLUTIONS = 16
OFF = (1, 2, 10)  # the error in a sneaky solution


def data() -> dict[str, Any]:
    """Return solutions by turns in small steps and in long ones; half of them are sneaky."""
    random = Random(0)
    return {
        "kinds": ["long lines", "small steps"],
        "solutions": [solution(random, small=not n % 2) for n in range(SOLUTIONS)],
    }


def solution(random: Random, *, small: bool) -> dict[str, Any]:
    """Return a task, a solution in small or long steps, and the wrong line, if any.

    A sneaky solution has one wrong result and continues correctly from it.
    """
    start = value = random.randint(21, 49)
    slip = random.randrange(STEPS) if random.random() < 0.5 else None
    said, steps = f"Start with {start}", list[tuple[str, int]]()
    for step in range(STEPS):
        sign, by = _operation(random, step)
        value = value * by if sign == "×" else value + by if sign == "+" else value - by
        value += random.choice(OFF) if step == slip else 0
        said += f"; {_WORDS[sign]} {by}"
        steps.append((f"{sign} {by}", value))
    size = 1 if small else STEPS // 2
    lines, before = list[str](), start
    for first in range(0, STEPS, size):
        part = steps[first : first + size]
        lines.append(f"{before} {' '.join(sign for sign, _ in part)} = {part[-1][1]}")
        before = part[-1][1]
    return {
        "task": f"{said}.",
        "lines": lines,
        "kind": int(small),
        "wrong": None if slip is None else slip // size,
    }


_WORDS = {"×": "multiply by", "+": "add", "−": "subtract"}


def _operation(random: Random, step: int) -> tuple[str, int]:
    # A product comes first in a long line, so that no brackets are needed.
    if step % 3 == 0:
        return "×", random.randint(2, 3)
    return ("+" if step % 3 == 1 else "−"), random.randint(11, 39)
