"""How much better than a coin can anybody tell a real conversation from a simulated one?"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import pandas as pd

from explorer.lessons.charts import bar_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob
from explorer.lessons.games.real_or_simulated import advantage
from explorer.pictures import column, rows_where

__all__ = ["EXPERIMENT"]

MOST = 2
RIGHT = "best guesser is right"
PROVERS = {
    "re-shuffles": {"shuffles": True},
    "keeps its colours, unknown": {"shuffles": False, "known": False},
    "keeps its colours, known": {"shuffles": False},
}


@cache
def _rows() -> tuple[dict[str, object], ...]:
    return tuple(
        {"rounds seen": str(rounds), "prover": prover, RIGHT: _right(rounds, prover)}
        for prover in PROVERS
        for rounds in range(1, MOST + 1)
    )


def _right(rounds: int, prover: str) -> float:
    return float(Fraction(1, 2) + advantage(rounds, **PROVERS[prover]))


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """Compare the two laws, by counting all conversations."""
    rounds = int(settings["rounds"])
    data = pd.DataFrame(list(_rows()))
    shuffled, unknown, known = (
        float(value) for value in column(rows_where(data, "rounds seen", str(rounds)), RIGHT)
    )
    return ExperimentResult(
        f"Rounds seen: {rounds}. If the prover re-shuffles, the best guesser is right in exactly "
        f"{shuffled:.0%} of the cases. If it keeps its colours, a guesser who has yet to find them "
        f"out is right in {unknown:.1%}, and one who knew them beforehand in {known:.1%}.",
        data,
        lambda theme: bar_chart(data, theme, x="rounds seen", y=RIGHT, by="prover"),
        {"shuffled": shuffled, "unknown": unknown, "known": known},
    )


EXPERIMENT = Experiment(
    "What does the verifier learn?",
    (Knob("rounds", "Rounds seen", 1, low=1, high=MOST, step=1),),
    run,
)
