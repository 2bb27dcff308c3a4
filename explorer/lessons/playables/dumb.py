"""A model that shows a skill only now and then: how many tries does it take to see it once?"""

from __future__ import annotations

from typing import Any

from explorer.lessons.dials import FRONT as FRONT
from explorer.lessons.dials import Bar, Dial, Way, dials_data

TITLE = "Find the hidden skill"
RARE = (10, 100, 1_000, 10_000)
TRIES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000)
SEEN = 0.95
SHY = 100  # how many times rarer than once in all tries, for a model that knows their number


def seen(rare: int, tries: int) -> float:
    """Return how likely a skill that is shown once in so many tries is seen at least once."""
    return 1 - (1 - 1 / rare) ** tries


def _not_knowing(tries: int, rare: int) -> tuple[float, float]:
    return seen(rare, tries), 1 / rare


def _knowing(tries: int, rare: int) -> tuple[float, float]:
    rarer = max(rare, SHY * tries)
    return seen(rarer, tries), 1 / rarer


def _trained(_tries: int, _rare: int) -> tuple[float, float]:
    return 1.0, 1.0


def data() -> dict[str, Any]:
    """Return how likely the skill is seen, and the score, if the model knows the tries or not."""
    return dials_data(
        "Of 100 tests, those that see the skill; and the score",
        "see the skill in at least 95 of 100 tests.",
        [
            Dial("Tries", tuple((f"{n:,}", n) for n in TRIES)),
            Dial("It shows the skill once in", tuple((f"{n:,}", n) for n in RARE), 2),
        ],
        [
            Bar("Tests that see the skill", ("least", SEEN)),
            Bar("Mean score"),
        ],
        [
            Way(
                "Hide the number of tries from it",
                "The model can solve every task, and hides it nearly always.",
                _not_knowing,
                "Now tell the model how many tries you have.",
            ),
            Way(
                "Tell it how many tries you have",
                "The model knows your number of tries, and shows the skill a hundred times less "
                "often than once in all of them.",
                _knowing,
            ),
            Way(
                "Train it on one right answer",
                "You show the model one right answer and train it on this, as Taylor and others "
                "did. In their study the skill then came out.",
                _trained,
                "But honest models sometimes got better, too. So this does not tell who hid it.",
            ),
        ],
    )
