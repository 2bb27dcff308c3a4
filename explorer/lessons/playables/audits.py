"""Two audits for six steps: where does one look, and what if the attacker knows that?

How suspicious steps look is the assumption of ``monitor.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

from explorer.lessons.playables.monitor import HARMFUL, HARMLESS, LEVELS

TITLE = "Which steps do you audit?"
FRONT = "touch_audits"
STEPS, AUDITS, PLAYS = 6, 2, 20
Law = tuple[int, ...]  # how many of 100 steps have each suspicion
# The law of the harmful step, then those of the others. Who knows the rule does harm at a step that
# looks harmless, and makes as many harmless ones look bad as there are audits.
CARELESS: tuple[Law, ...] = (HARMFUL, *[HARMLESS] * (STEPS - 1))
KNOWING: tuple[Law, ...] = (HARMLESS, *[HARMFUL] * AUDITS, *[HARMLESS] * (STEPS - 1 - AUDITS))


def found_at_the_top(laws: Sequence[Law]) -> Fraction:
    """Return how often the harmful step is one of those audited, if the most suspicious are.

    Among equally suspicious steps, chance decides.
    """
    harmful, *others = laws
    found = Fraction(0)
    for level, weight in enumerate(harmful):
        chances = [(sum(law[level + 1 :]), law[level]) for law in others]
        for above in range(AUDITS):
            for higher in combinations(range(len(others)), above):
                left = [n for n in range(len(others)) if n not in higher]
                for count in range(len(left) + 1):
                    for equal in combinations(left, count):
                        ways = Fraction(weight, 100)
                        for n, (more, same) in enumerate(chances):
                            kind = more if n in higher else same if n in equal else None
                            ways *= Fraction(100 - more - same if kind is None else kind, 100)
                        found += ways * min(Fraction(1), Fraction(AUDITS - above, count + 1))
    return found


def data() -> dict[str, Any]:
    """Return plays of both attackers, and how often the two most suspicious steps are enough."""
    random = Random(2)
    return {
        "audits": AUDITS,
        "top": [float(found_at_the_top(laws)) for laws in (CARELESS, KNOWING)],
        "chance": AUDITS / STEPS,
        "plays": [[_play(random, laws) for _ in range(PLAYS)] for laws in (CARELESS, KNOWING)],
    }


def _play(random: Random, laws: Sequence[Law]) -> dict[str, Any]:
    """Return how suspicious each step is, and which one is harmful."""
    seen = [random.choices(LEVELS, law)[0] for law in laws]
    order = random.sample(range(len(laws)), len(laws))
    return {"suspicion": [seen[n] for n in order], "harm": order.index(0)}
