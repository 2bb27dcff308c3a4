"""To check or to trust: what it is worth to be the one whose plan is known."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from explorer.lessons.charts import bar_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT", "equilibria"]

WORTH = "expected reward"
Pair = tuple[Fraction, Fraction]


def equilibria(cost: Fraction, fine: Fraction) -> dict[str, Pair]:
    """The rewards of the verifier and the prover under each order of play.

    The verifier trusts, for 1 if the prover is honest and -1 if it lies; or it checks, which
    tells it the truth, for 1 - `cost`. The prover gets 1 for a lie that is trusted, -`fine` for
    one that is checked, and 0 for honesty.

    Parameters
    ----------
    cost : Fraction
        Between 0 and 2.
    fine : Fraction
        At least 0.
    """

    def rewards(check: Fraction, lie: Fraction) -> Pair:
        verifier = check * (1 - cost) + (1 - check) * (1 - 2 * lie)
        return verifier, lie * (1 - check - check * fine)

    # Where the other one does not care what it does.
    check, lie = 1 / (1 + fine), cost / 2
    pure = (Fraction(0), Fraction(1))
    # A leader's best plan is pure or on the edge, where the follower does what suits it.
    leads: dict[str, list[Pair]] = {"the verifier leads": [], "the prover leads": []}
    for plan in (*pure, check):
        best = max(rewards(plan, reply)[1] for reply in pure)
        leads["the verifier leads"] += [
            rewards(plan, reply) for reply in pure if rewards(plan, reply)[1] == best
        ]
    for plan in (*pure, lie):
        best = max(rewards(reply, plan)[0] for reply in pure)
        leads["the prover leads"] += [
            rewards(reply, plan) for reply in pure if rewards(reply, plan)[0] == best
        ]
    return {
        "the verifier leads": max(leads["the verifier leads"]),
        "neither leads": rewards(check, lie),
        "the prover leads": max(leads["the prover leads"], key=lambda pair: pair[::-1]),
    }


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """The three orders, side by side."""
    cost, fine = Fraction(str(settings["cost"])), Fraction(str(settings["fine"]))
    found = equilibria(cost, fine)
    rows = [
        {"order": order, "seat": seat, WORTH: float(value)}
        for order, pair in found.items()
        for seat, value in zip(("verifier", "prover"), pair, strict=True)
    ]
    numbers = {f"{row['order']}, {row['seat']}": float(row[WORTH]) for row in rows}
    gain = float(found["the verifier leads"][0] - found["neither leads"][0])
    return ExperimentResult(
        f"A check costs {float(cost):g}, a lie that is found out {float(fine):g}. A verifier whose "
        f"rule is known beforehand gets {numbers['the verifier leads, verifier']:.3f} and, without "
        f"that, {numbers['neither leads, verifier']:.3f}: leading is worth {gain:.3f} to it.",
        pd.DataFrame(rows),
        lambda theme: bar_chart(
            pd.DataFrame(rows), theme, x="order", y=WORTH, by="seat", percent=False
        ),
        numbers | {"gain": gain},
    )


EXPERIMENT = Experiment(
    "Who leads?",
    (
        Knob("cost", "What a check costs the verifier", 0.5, low=0.1, high=1.9, step=0.1),
        Knob("fine", "What a lie that is found out costs the prover", 1.0, 0.0, 5.0, 0.5),
    ),
    run,
)
