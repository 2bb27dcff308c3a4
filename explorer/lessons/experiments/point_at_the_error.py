"""A debate about a long sum: an opponent halves the claim until one entry decides."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from explorer.lessons.charts import line_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT", "caught"]

CHANCE = "lie caught"
MOST_STEPS = 12


def caught(steps: int, skill: Fraction) -> Fraction:
    """The chance that a false total over ``2**steps`` entries is caught, the liar playing best.

    The liar splits its false claim in two that add up to it: one of them false, or both. The
    opponent points at one; where just one is false it finds it with chance `skill`. Pointing at a
    true claim loses. After all steps the judge reads the one entry that is left.
    """
    if steps == 0:
        return Fraction(1)
    further = caught(steps - 1, skill)
    return min(skill * further, further)


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """Compare an opponent of some skill with a sharp one and with none."""
    steps, skill = int(settings["steps"]), Fraction(str(settings["skill"]))
    opponents = {
        "sees every error": Fraction(1),
        f"sees it with chance {float(skill):.0%}": skill,
        "no opponent": Fraction(1, 2),
    }
    rows = [
        {"steps": n, "entries": 2**n, "opponent": name, CHANCE: float(caught(n, q))}
        for name, q in opponents.items()
        for n in range(MOST_STEPS + 1)
    ]
    chance, alone = float(caught(steps, skill)), float(caught(steps, Fraction(1, 2)))
    return ExperimentResult(
        f"{2**steps:,} entries, of which the judge reads one. After {steps} steps an opponent who "
        f"finds the false half with chance {float(skill):.0%} has caught the lie with chance "
        f"{chance:.2%}. A judge who looks at one entry at random: {alone:.2%}.",
        pd.DataFrame(rows),
        lambda theme: line_chart(pd.DataFrame(rows), theme, x="steps", y=CHANCE, by="opponent"),
        {"caught": chance, "alone": alone, "entries": 2**steps},
    )


EXPERIMENT = Experiment(
    "Point at the error",
    (
        Knob("steps", "Steps (each halves what is in question)", 10, low=1, high=12, step=1),
        Knob(
            "skill",
            "How often the opponent sees which half is false",
            1.0,
            low=0.5,
            high=1.0,
            step=0.01,
            help="One half is a guess; one is an opponent who always knows.",
        ),
    ),
    run,
)
