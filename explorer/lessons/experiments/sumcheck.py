"""A liar in the sum-check protocol, who can or cannot foresee where it will be asked."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pandas as pd

from explorer.lessons.charts import line_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob
from explorer.lessons.sumcheck import difference, evaluate, is_possible, success

__all__ = ["EXPERIMENT"]

PLAYS = 1000
MOST_ROUNDS = 20
CHANCE = "liar believed"


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """Play it a thousand times, and compute what is to be expected."""
    prime, degree = int(settings["prime"]), int(settings["degree"])
    rounds, known = int(settings["rounds"]), bool(settings["known"])
    random = Random(int(settings["seed"]))
    believed = sum(_is_believed(prime, degree, rounds, known, random) for _ in range(PLAYS))
    exact = 1.0 if known else float(success(prime, degree, rounds))
    bound = min(1.0, rounds * degree / prime)
    rows = [
        {"rounds": n, CHANCE: chance, "who": who}
        for n in range(1, MOST_ROUNDS + 1)
        for who, chance in (
            ("best liar, points unforeseen", float(success(prime, degree, n))),
            ("liar that knows the points", 1.0),
        )
    ]
    what = "knows the points beforehand" if known else "cannot foresee the points"
    return ExperimentResult(
        f"Points from 0 to {prime - 1}, {rounds} round{'s' if rounds > 1 else ''}, curves of "
        f"degree {degree}: the best liar, who {what}, is believed with chance {exact:.2%}; "
        f"in {PLAYS} plays it was believed {believed} times.",
        pd.DataFrame(rows),
        lambda theme: line_chart(pd.DataFrame(rows), theme, x="rounds", y=CHANCE, by="who"),
        {"exact": exact, "bound": bound, "measured": believed / PLAYS},
    )


def _is_believed(prime: int, degree: int, rounds: int, known: bool, random: Random) -> bool:
    """Follow the error of the claim through one play."""
    points = [random.randrange(prime) for _ in range(rounds)]
    error = random.randrange(1, prime)
    for point in points:
        roots = _roots_with(point, prime) if known else [0, *range(2, degree + 1)]
        error = evaluate(difference(error, roots, prime), point, prime)
        if error == 0:
            return True
    return False


def _roots_with(point: int, prime: int) -> list[int]:
    """One or two meeting points, among them the one that will be asked about."""
    pairs = ([point], *([point, other] for other in range(prime) if other != point))
    return next(roots for roots in pairs if is_possible(roots, prime))


EXPERIMENT = Experiment(
    "A liar in the sum-check protocol",
    (
        Knob("prime", "Number of points to choose from", "11", choices=("5", "11", "101", "1009")),
        Knob("rounds", "Rounds", 2, low=1, high=MOST_ROUNDS, step=1),
        Knob("degree", "Degree of the curves", 2, low=2, high=4, step=1),
        Knob("known", "The liar knows the points beforehand", False),
        Knob("seed", "Seed of the thousand plays", 1, low=0, high=9999, step=1),
    ),
    run,
)
