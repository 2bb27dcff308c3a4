"""Does a prover earn more by lying than by giving in? Computed from the protocol's own payoff."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from explorer.lessons.charts import bar_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT"]

MEAN = "mean reward"
# How often the verifier decides at a turn.
DECIDES = 0.5


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """The exact value of both seats on false statements, for a lying and a yielding prover."""
    from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
    from nip_core.values import exact_values, settled, simple_play

    common = {
        "shared_reward": bool(settings["shared"]),
        "prover_reward": float(settings["prize"]),
        "verifier_incorrect_penalty": float(settings["penalty"]),
    }
    parameters = HyperParameters(interaction_protocol="nip", protocol_common=common)
    handler = build_protocol_handler(parameters, ExperimentSettings())
    seats = {"prover": "prover", "verifier": handler.spec.verifier}
    values: dict[tuple[str, str], float] = {}
    for manner, believed in (("it lies", "lied"), ("it gives in", "told")):
        model = simple_play(
            handler.spec,
            decides=DECIDES,
            accepts_true=1.0,
            accepts_false=float(settings[believed]),
            prior=0.0,
        )
        found = exact_values(handler, model)
        values |= {(seat, manner): found.mean(agent) for seat, agent in seats.items()}
    rows = [
        {"the prover": manner, "seat": seat, MEAN: value}
        for (seat, manner), value in values.items()
    ]
    lying, honest = values["prover", "it lies"], values["prover", "it gives in"]
    gain = settled(lying - honest, (lying, honest))
    verdict = "Lying pays" if gain > 0 else "Lying costs" if gain < 0 else "It makes no difference"
    return ExperimentResult(
        f"The statement is false. A prover that argues for it all the same earns {lying:.3f} on "
        f"average, one that gives in {honest:.3f}. {verdict}: {gain:+.3f}.",
        pd.DataFrame(rows),
        lambda theme: bar_chart(
            pd.DataFrame(rows), theme, x="the prover", y=MEAN, by="seat", percent=False
        ),
        {"lying": lying, "honest": honest, "gain": gain},
    )


EXPERIMENT = Experiment(
    "Does lying pay?",
    (
        Knob("shared", "The prover shares the verifier's reward", False),
        Knob("prize", "The prize (prover_reward)", 1.0, low=-2.0, high=5.0, step=0.5),
        Knob("penalty", "A wrong verdict (verifier_incorrect_penalty)", -1.0, -5.0, 3.0, 0.5),
        Knob("lied", "Chance to be believed when it lies", 0.4, low=0.0, high=1.0, step=0.05),
        Knob("told", "Chance to be accepted when it gives in", 0.05, low=0.0, high=1.0, step=0.05),
    ),
    run,
)
