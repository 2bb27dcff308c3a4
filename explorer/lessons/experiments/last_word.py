"""One message each, in turn or at once: who can answer what, as a game with an exact value."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pandas as pd

from explorer.lessons.charts import bar_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT"]

CHANCE = "truth wins"


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """The value of the game in each order of speaking."""
    lies, answers = int(settings["lies"]), int(settings["answers"])
    # One row for each set of lies that one message can answer: does it answer the lie told?
    table = [
        [lie in answered for lie in range(lies)]
        for answered in combinations(range(lies), min(answers, lies))
    ]
    orders = {
        "the truth first": max(min(row) for row in table),
        "both at once": _value(table),
        "the truth last": min(max(row[lie] for row in table) for lie in range(lies)),
    }
    first, at_once, last = map(float, orders.values())
    rows = [{"order": name, CHANCE: float(value), "who": "truth"} for name, value in orders.items()]
    return ExperimentResult(
        f"{lies} lies to choose from, room to answer {answers} of them: the truth wins with chance "
        f"{last:.0%} if it speaks last, {at_once:.1%} if both speak at once, {first:.0%} if it "
        "speaks first.",
        pd.DataFrame(rows),
        lambda theme: bar_chart(pd.DataFrame(rows), theme, x="order", y=CHANCE, by="who"),
        {"first": first, "at once": at_once, "last": last},
    )


def _value(table: list[list[bool]]) -> float:
    """What the row player of a game with chances as payoffs can be sure of, mixing its rows."""
    from scipy.optimize import linprog  # pyright: ignore[reportUnknownVariableType]

    rows, columns = len(table), len(table[0])
    # The chances of the rows, and the value: maximise it, below what every column gives.
    below = [[*(-float(table[r][c]) for r in range(rows)), 1.0] for c in range(columns)]
    solved: Any = linprog(
        [*([0.0] * rows), -1.0],
        A_ub=below,
        b_ub=[0.0] * columns,
        A_eq=[[*([1.0] * rows), 0.0]],
        b_eq=[1.0],
    )
    return -float(solved.fun)


EXPERIMENT = Experiment(
    "Who has the last word?",
    (
        Knob("lies", "Different lies that could be told", 5, low=1, high=8, step=1),
        Knob("answers", "How many lies one message can answer", 1, low=1, high=8, step=1),
    ),
    run,
)
