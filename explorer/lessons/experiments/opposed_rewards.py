"""What the two provers of a debate are paid, asked of the protocol itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from explorer.lessons.charts import bar_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT"]

DECISIONS = ("reject", "accept", "none")
TRUTHS = ("false", "true")


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """Step a debate through each decision and each truth."""
    from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
    from nip_core.values import outcomes

    prize, shared = float(settings["prize"]), bool(settings["shared"])
    parameters = HyperParameters(
        interaction_protocol="debate",
        protocol_common={"prover_reward": prize, "shared_reward": shared},
    )
    handler = build_protocol_handler(parameters, ExperimentSettings())
    table = outcomes(handler)
    pays = table.pays[table.phases[0, 0]]  # the first round, in which the verifier may decide
    rows: list[dict[str, Any]] = [
        {
            "verdict, truth": f"{decision}, {truth}",
            "prover": prover,
            "reward": float(pays[d, y, 0, handler.spec.agent_index(prover)]),
        }
        for d, decision in enumerate(DECISIONS)
        for y, truth in enumerate(TRUTHS)
        for prover in handler.spec.provers
    ]
    numbers: dict[str, float] = {}
    for row in rows:
        numbers[row["verdict, truth"]] = numbers.get(row["verdict, truth"], 0.0) + row["reward"]
    decided = sorted(
        {total for verdict, total in numbers.items() if not verdict.startswith("none")}
    )
    say = " or ".join(f"{total:g}" for total in decided)
    if shared:
        meaning = "They win and lose together."
    elif prize > 0:
        meaning = "What one wins the other does not."
    else:
        meaning = (
            "There is no prize to win." if prize == 0 else "Whose side the verdict takes pays."
        )
    return ExperimentResult(
        f"After a verdict the two provers' rewards add up to {say}; while the debate goes on, to "
        f"{numbers['none, true']:g}. {meaning}",
        pd.DataFrame(rows),
        lambda theme: bar_chart(
            pd.DataFrame(rows), theme, x="verdict, truth", y="reward", by="prover", percent=False
        ),
        numbers,
    )


EXPERIMENT = Experiment(
    "What the two provers are paid",
    (
        Knob("prize", "The prize (prover_reward)", 1.0, low=-2.0, high=5.0, step=0.5),
        Knob("shared", "Provers share the verifier's reward", False),
    ),
    run,
)
