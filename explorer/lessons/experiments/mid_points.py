"""The library's quick estimate of a seat's worth, beside the exact value under random play."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from explorer.lessons.charts import bar_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT"]

REWARD = "reward"
PROTOCOLS = ("nip", "adp", "debate", "mnip", "merlin_arthur", "solo_verifier")
WITH_ROUNDS = {"nip": "nip_protocol", "debate": "debate_protocol", "mnip": "mnip_protocol"}


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """Both numbers for each seat of a protocol."""
    from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
    from nip_core.values import exact_values, mid_point, random_play

    protocol = str(settings["protocol"])
    common = {
        "shared_reward": bool(settings["shared"]),
        "verifier_no_guess_reward": float(settings["going_on"]),
        "verifier_terminated_penalty": float(settings["out_of_time"]),
    }
    own = {"max_message_rounds": int(settings["rounds"])}
    parameters = HyperParameters(interaction_protocol=protocol, protocol_common=common)
    if protocol in WITH_ROUNDS:
        parameters = parameters.replace(**{WITH_ROUNDS[protocol]: own})
    handler = build_protocol_handler(parameters, ExperimentSettings())
    exact = exact_values(handler, random_play(handler.spec))
    numbers: dict[str, float] = {}
    for agent in handler.spec.agent_names:
        numbers[f"{agent}, exact value"] = exact.mean(agent)
        numbers[f"{agent}, mid-point estimate"] = float(handler.reward_mid_point_estimate(agent))
    rows = [
        {"seat": seat, "measure": measure, REWARD: value}
        for name, value in numbers.items()
        for seat, measure in (name.split(", "),)
    ]
    off = max(
        abs(mid_point(handler, exact, agent).difference) for agent in handler.spec.agent_names
    )
    error = f"is off by {off:.3f} for some seat"
    if off < 5e-4:
        error = (
            "is right for every seat" if off == 0 else "is off by less than 0.001 for every seat"
        )
    return ExperimentResult(
        f"In {protocol}, if the verifier rejects, accepts and continues with the same chance at "
        f"every turn, the mid-point estimate {error}. The rounds run "
        f"out without a verdict with chance {exact.verdicts['none']:.1%}.",
        pd.DataFrame(rows),
        lambda theme: bar_chart(
            pd.DataFrame(rows), theme, x="seat", y=REWARD, by="measure", percent=False
        ),
        numbers | {"no verdict": exact.verdicts["none"]},
    )


EXPERIMENT = Experiment(
    "A seat's worth under random play",
    (
        Knob("protocol", "Protocol", "nip", choices=PROTOCOLS),
        Knob("rounds", "Rounds at most (nip, debate, mnip)", 8, low=1, high=40, step=1),
        Knob("shared", "Provers share the verifier's reward", False),
        Knob(
            "going_on",
            "For each turn without a verdict (verifier_no_guess_reward)",
            0.0,
            -1.0,
            1.0,
            0.1,
        ),
        Knob("out_of_time", "If time runs out (verifier_terminated_penalty)", -1.0, -5.0, 2.0, 0.5),
    ),
    run,
)
