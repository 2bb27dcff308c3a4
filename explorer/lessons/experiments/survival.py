"""Liars over many rounds: drawn by chance, beside the exact law."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

import pandas as pd

from explorer.lessons.charts import line_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob
from explorer.lessons.gadgets import coin, vertex_question
from explorer.lessons.games.three_colouring import CHEAT_SURVIVES, CHEATS, EDGES
from explorer.lessons.games.two_rooms import APART, NODES, PLAN, passes

__all__ = ["EXPERIMENT", "SURVIVES"]

# The chance that the best liar survives a round of each game.
SURVIVES: Mapping[str, Fraction] = {
    "the same graph twice": Fraction(1, 2),
    "two rooms": APART,
    "one room": Fraction(1),
    "one wrong edge": CHEAT_SURVIVES,
}
ROUNDS = 30


def survives(game: str, random: Random) -> bool:
    """Play a round by the game's own rule, the liar playing its best."""
    if game == "the same graph twice":
        return coin(random) == 0
    if game == "one wrong edge":
        a, b = random.choice(EDGES)
        colours = CHEATS[random.choice(EDGES)]
        return colours[a] != colours[b]
    question = vertex_question(NODES, random)
    if game == "one room":
        return True
    return passes(question, (PLAN[question[0]], PLAN[question[1]]))


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """How many liars are still there after each round."""
    game, liars = str(settings["game"]), int(settings["liars"])
    random = Random(int(settings["seed"]))
    left, rows = liars, list[dict[str, object]]()
    for k in range(ROUNDS + 1):
        if k:
            left = sum(survives(game, random) for _ in range(left))
        exact = float(SURVIVES[game] ** k)
        rows += [
            {"rounds": k, "liars": "exact", "survive": exact},
            {"rounds": k, "liars": f"{liars} drawn liars", "survive": left / liars},
        ]
    ten = float(SURVIVES[game] ** 10)
    found = next(
        float(str(r["survive"])) for r in rows if r["rounds"] == 10 and r["liars"] != "exact"
    )
    return ExperimentResult(
        f"After ten rounds {found:.1%} of {liars:,} liars are still there; on average it is "
        f"({SURVIVES[game]})^10 = {ten:.1%}.",
        pd.DataFrame(rows),
        lambda theme: line_chart(pd.DataFrame(rows), theme, x="rounds", y="survive", by="liars"),
        {"ten": ten, "found": found},
    )


EXPERIMENT = Experiment(
    "How long do liars last?",
    (
        Knob("game", "Game", "two rooms", choices=tuple(SURVIVES)),
        Knob("liars", "Liars", 1000, low=10, high=5000, step=10),
        Knob("seed", "Seed", 0, low=0, high=99, step=1),
    ),
    run,
)
