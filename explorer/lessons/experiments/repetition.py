"""Repeating a test: how fast lies and truths go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from explorer.lessons.charts import line_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT", "at_least"]

CHANCE = "accepted"
MOST = 40


def at_least(needed: int, tests: int, chance: Fraction) -> Fraction:
    """P(at least `needed` of `tests` independent tests accept): a binomial tail, exactly."""
    return sum(
        (
            math.comb(tests, n) * chance**n * (1 - chance) ** (tests - n)
            for n in range(needed, tests + 1)
        ),
        Fraction(0),
    )


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """Accept if all tests accept, or if enough of them do."""
    tests = int(settings["tests"])
    true, false = Fraction(str(settings["complete"])), Fraction(str(settings["sound"]))
    share = Fraction(str(settings["share"]))
    rows = [
        {"tests": k, "statement": name, CHANCE: float(at_least(_needed(share, k), k, chance))}
        for name, chance in (("true", true), ("false", false))
        for k in range(1, MOST + 1)
    ]
    needed = _needed(share, tests)
    good, bad = (at_least(needed, tests, chance) for chance in (true, false))
    rule = "all" if needed == tests else f"at least {needed}"
    return ExperimentResult(
        f"Accept if {rule} of {tests} fresh tests accept: a true statement is accepted with chance "
        f"{float(good):.4%}, a false one with chance {float(bad):.4%}.",
        pd.DataFrame(rows),
        lambda theme: line_chart(pd.DataFrame(rows), theme, x="tests", y=CHANCE, by="statement"),
        {"complete": float(good), "sound": float(bad), "needed": needed},
    )


def _needed(share: Fraction, tests: int) -> int:
    return max(1, math.ceil(share * tests))


EXPERIMENT = Experiment(
    "Repeat to be sure",
    (
        Knob("tests", "Tests", 10, low=1, high=MOST, step=1),
        Knob("complete", "One test accepts what is true", 1.0, low=0.5, high=1.0, step=0.01),
        Knob("sound", "One test accepts what is false", 0.5, low=0.0, high=0.9, step=0.01),
        Knob(
            "share",
            "Share of tests that must accept",
            1.0,
            low=0.05,
            high=1.0,
            step=0.05,
            help="1: all of them must. Less: a vote with a threshold.",
        ),
    ),
    run,
)
