"""How much better than a coin can anybody tell a real conversation from a simulated one?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pandas as pd

from explorer.lessons.charts import bar_chart
from explorer.lessons.experiment import Experiment, Finding, Knob
from explorer.lessons.games.real_or_simulated import advantage

__all__ = ["EXPERIMENT"]

MOST = 2


@cache
def _rows() -> tuple[dict[str, object], ...]:
    return tuple(
        {
            "rounds seen": str(rounds),
            "prover": "re-shuffles" if shuffles else "keeps its colours",
            "best guesser is right": 0.5 + float(advantage(rounds, shuffles=shuffles)),
        }
        for shuffles in (True, False)
        for rounds in range(1, MOST + 1)
    )


def run(settings: Mapping[str, bool | int | float | str]) -> Finding:
    """Compare the two laws, by counting all conversations."""
    rounds = int(settings["rounds"])
    kept = advantage(rounds, shuffles=False)
    data = pd.DataFrame(list(_rows()))
    return Finding(
        f"Rounds seen: {rounds}. The best guesser is right in exactly 50% of the cases if the "
        f"prover re-shuffles, and in {0.5 + float(kept):.1%} if it keeps its colours.",
        data,
        lambda theme: bar_chart(
            data, theme, x="rounds seen", y="best guesser is right", by="prover"
        ),
        {
            "shuffled": float(advantage(rounds, shuffles=True)),
            "kept": float(kept),
        },
    )


EXPERIMENT = Experiment(
    "What does the verifier learn?",
    (Knob("rounds", "Rounds seen", 1, low=1, high=MOST, step=1),),
    run,
)
