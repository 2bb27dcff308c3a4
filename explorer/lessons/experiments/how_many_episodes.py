"""How many episodes show which of two protocols is better? Exact, from two binomials."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from explorer.lessons.charts import line_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT"]

CHANCE = "chance"
GRID = (5, 10, 20, 50, 100, 150, 200, 300, 400, 500)


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """The chance that the better of two protocols also looks better."""
    better, worse = sorted((float(settings["one"]), float(settings["other"])), reverse=True)
    episodes = int(settings["episodes"])
    rows = [
        {"episodes of each": n, "what is seen": what, CHANCE: chance}
        for n in sorted({*GRID, episodes})
        for what, chance in zip(SEEN, _orders(better, worse, n), strict=True)
    ]
    right, wrong = _orders(better, worse, episodes)
    seen = (
        f"the better protocol looks better with chance {right:.1%}, and worse with chance "
        f"{wrong:.1%}."
        if better > worse
        else f"neither protocol is better, but one looks so with chance {right + wrong:.1%}."
    )
    return ExperimentResult(
        f"True accuracies of {better:.0%} and {worse:.0%}, {episodes} episodes of each: {seen}",
        pd.DataFrame(rows),
        lambda theme: line_chart(
            pd.DataFrame(rows), theme, x="episodes of each", y=CHANCE, by="what is seen"
        ),
        {"right order": right, "wrong order": wrong},
    )


SEEN = ("the better one looks better", "the better one looks worse")


def _orders(better: float, worse: float, episodes: int) -> tuple[float, float]:
    """The chances that the first has more, and fewer, right verdicts than the second."""
    from scipy.stats import binom

    counts = np.arange(episodes + 1)
    first, second = binom.pmf(counts, episodes, better), binom.pmf(counts, episodes, worse)
    fewer = np.cumsum(second) - second
    more = 1 - np.cumsum(second)
    return float(first @ fewer), float(np.clip(first @ more, 0, 1))


EXPERIMENT = Experiment(
    "How many episodes are enough?",
    (
        Knob("one", "True accuracy of one protocol", 0.84, low=0.5, high=1.0, step=0.01),
        Knob("other", "True accuracy of the other", 0.74, low=0.5, high=1.0, step=0.01),
        Knob("episodes", "Episodes of each", 50, low=1, high=500, step=1),
    ),
    run,
)
