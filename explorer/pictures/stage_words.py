"""Expressions, options and turns of a version 2 protocol as plain sentences."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

__all__ = ["in_words", "options_in_words", "readable"]

NUMBERS_NAMED = 4  # options that are named one by one
_WORDS = re.compile(r"(?P<none>(?:!=|=)\s*none\b)|(?P<name>[A-Za-z_]\w*)|(?P<mark>!=|<=|>=|[=<>])")
_MARKS = {
    "=": "is",
    "!=": "is not",
    "<": "is below",
    "<=": "is at most",
    ">": "is above",
    ">=": "is at least",
}
_NAMES = {"true": "always", "false": "never", "over": "play is over", "repeat": "the repetition"}


def readable(name: str) -> str:
    """A name of the language as people write it."""
    return name.replace("_", " ").strip() or name


def in_words(expression: str) -> str:
    """A condition or an amount as people say it: ``"action is audit and finding is harm"``."""
    said = _WORDS.sub(_word, expression)
    return re.sub(r"\s+", " ", said).strip()


def _word(found: re.Match[str]) -> str:
    if found["none"]:
        return "has been chosen" if found["none"].startswith("!") else "has not been chosen"
    if found["mark"]:
        return f" {_MARKS[found['mark']]} "
    return _NAMES.get(found["name"], readable(found["name"]))


def options_in_words(options: Sequence[str | int]) -> str:
    """What may be chosen: ``"A or B"``, ``"0 to 100 in steps of 10"``."""
    numbers = [each for each in options if isinstance(each, int)]
    if len(numbers) == len(options) > NUMBERS_NAMED:
        step = numbers[1] - numbers[0]
        steps = f" in steps of {step:,}" if step > 1 else ""
        even = all(b - a == step for a, b in itertools.pairwise(numbers))
        return f"{numbers[0]:,} to {numbers[-1]:,}{steps if even else ''}"
    said = [readable(str(each)) for each in options]
    if len(said) == 1:
        return said[0]
    if len(said) > 2 * NUMBERS_NAMED:
        return f"{', '.join(said[:NUMBERS_NAMED])} … or {said[-1]}"
    return f"{', '.join(said[:-1])} or {said[-1]}"
