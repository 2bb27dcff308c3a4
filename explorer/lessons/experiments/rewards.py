"""What seats are paid: for lying, in a debate, under random play, and for an announced strategy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from explorer.lessons.experiment import Experiment, ExperimentResult, Knob, Settings, percent
from nip_core.displays import with_minus
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_spec

# How often the verifier decides at a turn.
DECIDES = 0.5


def _lying_pays(settings: Settings) -> ExperimentResult:
    """Compare both seats' exact values on false statements, for a lying and a yielding prover."""
    from nip_core.play import values_at_chances

    common = {
        "shared_reward": bool(settings["shared"]),
        "prover_reward": float(settings["prize"]),
        "verifier_incorrect_penalty": float(settings["penalty"]),
    }
    spec = protocol_spec(HyperParameters(interaction_protocol="nip", protocol_common=common))
    seats = {"prover": "prover", "verifier": spec.verifier}
    values: dict[tuple[str, str], float] = {}
    for manner, believed in (("it lies", "lied"), ("it gives in", "told")):
        chance = float(settings[believed])
        found = values_at_chances(spec, decides=DECIDES, accepts_false=chance, prior=0.0)
        values |= {(seat, manner): float(found.means[agent]) for seat, agent in seats.items()}
    lying, honest = values["prover", "it lies"], values["prover", "it gives in"]
    gain = lying - honest
    if math.isclose(lying, honest, rel_tol=1e-12, abs_tol=1e-12):
        gain = 0.0
    verdict = "Lying pays" if gain > 0 else "Lying costs" if gain < 0 else "It makes no difference"
    signed = with_minus(f"{gain:+.3f}")
    return ExperimentResult(
        f"The statement is false. A prover that argues for it all the same earns {lying:.3f} on "
        f"average, one that gives in {honest:.3f}. {verdict}: {signed}.",
        [
            {"the prover": manner, "seat": seat, "mean reward": value}
            for (seat, manner), value in values.items()
        ],
        {"lying": lying, "honest": honest, "gain": gain},
        x="the prover",
        y="mean reward",
        by="seat",
        form="bars",
        percent=False,
    )


DECISIONS = ("reject", "accept", "none")
TRUTHS = ("false", "true")


def _opposed_rewards(settings: Settings) -> ExperimentResult:
    """Play every decision of a debate for every truth."""
    from nip_core.play import values_at_chances

    prize, shared = float(settings["prize"]), bool(settings["shared"])
    # Without a verdict the last of the two rounds pays nothing, so all rewards are those of the
    # first.
    parameters = HyperParameters(
        interaction_protocol="debate",
        protocol_common={
            "prover_reward": prize,
            "shared_reward": shared,
            "verifier_terminated_penalty": 0.0,
        },
        debate_protocol={"max_message_rounds": 2},
    )
    spec = protocol_spec(parameters)

    def paid(decision: int, y: int) -> Mapping[str, float]:
        decides, accepts = float(decision < 2), float(decision == 1)
        found = values_at_chances(
            spec, prior=float(y), decides=decides, accepts_true=accepts, accepts_false=accepts
        )
        return {agent: float(mean) for agent, mean in found.means.items()}

    rows: list[dict[str, Any]] = [
        {
            "verdict, truth": f"{said}, {truth}",
            "prover": prover,
            "reward": paid(decision, y)[prover],
        }
        for decision, said in enumerate(DECISIONS)
        for y, truth in enumerate(TRUTHS)
        for prover in spec.provers
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
        rows,
        numbers,
        x="verdict, truth",
        y="reward",
        by="prover",
        form="bars",
        percent=False,
    )


PROTOCOLS = ("nip", "adp", "debate", "mnip", "merlin_arthur", "solo_verifier")
WITH_ROUNDS = {"nip": "nip_protocol", "debate": "debate_protocol", "mnip": "mnip_protocol"}


def _mid_points(settings: Settings) -> ExperimentResult:
    """Compare each seat's quick estimate with its exact value under random play."""
    from nip_core import ExperimentSettings, build_protocol_handler
    from nip_core.play import values_at_chances

    protocol = str(settings["protocol"])
    common = {
        "shared_reward": bool(settings["shared"]),
        "verifier_no_guess_reward": float(settings["going_on"]),
        "verifier_terminated_penalty": float(settings["out_of_time"]),
    }
    parameters = HyperParameters(interaction_protocol=protocol, protocol_common=common)
    if protocol in WITH_ROUNDS:
        own = {"max_message_rounds": int(settings["rounds"])}
        parameters = parameters.replace(**{WITH_ROUNDS[protocol]: own})
    handler = build_protocol_handler(parameters, ExperimentSettings())
    agents = handler.spec.agent_names
    # Fractions distinguish an exact estimate from one with a tiny error.
    half = Fraction(1, 2)
    exact = values_at_chances(
        handler.spec,
        prior=half,
        decides=Fraction(2, 3),
        accepts_true=half,
        accepts_false=half,
    )
    none = float(exact.undecided)
    off = 0.0
    rows: list[dict[str, Any]] = []
    for agent in agents:
        estimate, mean = handler.reward_mid_point_estimate(agent), exact.means[agent]
        off = max(off, float(abs(Fraction(mean) - Fraction(estimate))))
        rows += [
            {"seat": agent, "measure": "exact value", "reward": float(mean)},
            {"seat": agent, "measure": "mid-point estimate", "reward": estimate},
        ]
    numbers = {f"{row['seat']}, {row['measure']}": row["reward"] for row in rows}
    error = f"is off by {off:.3f} for some seat"
    if off < 5e-4:
        error = (
            "is right for every seat" if off == 0 else "is off by less than 0.001 for every seat"
        )
    return ExperimentResult(
        f"In {protocol}, if the verifier rejects, accepts and continues with the same chance at "
        f"every turn, the mid-point estimate {error}. The rounds run "
        f"out without a verdict with chance {percent(none)}.",
        rows,
        numbers | {"no verdict": none},
        x="seat",
        y="reward",
        by="measure",
        form="bars",
        percent=False,
    )


Pair = tuple[Fraction, Fraction]


def mean_rewards(cost: Fraction, fine: Fraction, check: Fraction, lie: Fraction) -> Pair:
    """Return the mean rewards of verifier and prover for the probabilities of a check and a lie."""
    verifier = check * (1 - cost) + (1 - check) * (1 - 2 * lie)
    return verifier, lie * (1 - check - check * fine)


def equilibria(cost: Fraction, fine: Fraction) -> dict[str, Pair]:
    """Return the rewards of the verifier and the prover under each order of play.

    The verifier trusts, for 1 if the prover is honest and -1 if it lies; or it checks, which tells
    it the truth, for 1 - `cost`. The prover gets 1 for a lie that is trusted, -`fine` for one that
    is checked, and 0 for honesty. `cost` is between 0 and 2, and `fine` at least 0.
    """

    def rewards(check: Fraction, lie: Fraction) -> Pair:
        return mean_rewards(cost, fine, check, lie)

    # Each makes the other player indifferent.
    check, lie = 1 / (1 + fine), cost / 2
    pure = (Fraction(0), Fraction(1))
    # A leader's best strategy is pure, or makes the follower indifferent, who then replies in the
    # leader's favour.
    verifier_leads: list[Pair] = []
    for plan in (*pure, check):
        replies = [rewards(plan, reply) for reply in pure]
        best = max(prover for _, prover in replies)
        verifier_leads += [pair for pair in replies if pair[1] == best]
    prover_leads: list[Pair] = []
    for plan in (*pure, lie):
        replies = [rewards(reply, plan) for reply in pure]
        best = max(verifier for verifier, _ in replies)
        prover_leads += [pair for pair in replies if pair[0] == best]
    return {
        "the verifier leads": max(verifier_leads),
        "neither leads": rewards(check, lie),
        "the prover leads": max(prover_leads, key=lambda pair: pair[::-1]),
    }


def _who_leads(settings: Settings) -> ExperimentResult:
    """Compare the three orders."""
    cost, fine = Fraction(str(settings["cost"])), Fraction(str(settings["fine"]))
    found = equilibria(cost, fine)
    rows = [
        {"order": order, "seat": seat, "expected reward": float(value)}
        for order, pair in found.items()
        for seat, value in zip(("verifier", "prover"), pair, strict=True)
    ]
    numbers = {f"{row['order']}, {row['seat']}": float(row["expected reward"]) for row in rows}
    gain = float(found["the verifier leads"][0] - found["neither leads"][0])
    return ExperimentResult(
        f"A check costs {float(cost):g}, a lie that is found out {float(fine):g}. A verifier whose "
        f"rule is known beforehand gets {numbers['the verifier leads, verifier']:.3f} and, without "
        f"that, {numbers['neither leads, verifier']:.3f}: leading is worth {gain:.3f} to it.",
        rows,
        numbers | {"gain": gain},
        x="order",
        y="expected reward",
        by="seat",
        form="bars",
        percent=False,
    )


EXPERIMENTS = {
    "lying_pays": Experiment(
        "Does lying pay?",
        (
            Knob("shared", "The prover shares the verifier's reward", False),
            Knob("prize", "The prize (prover_reward)", 1.0, -2.0, 5.0, 0.5),
            Knob("penalty", "A wrong verdict (verifier_incorrect_penalty)", -1.0, -5.0, 3.0, 0.5),
            Knob("lied", "Chance to be believed when it lies", 0.4, 0.0, 1.0, 0.05),
            Knob("told", "Chance to be accepted when it gives in", 0.05, 0.0, 1.0, 0.05),
        ),
        _lying_pays,
    ),
    "mid_points": Experiment(
        "A seat's worth under random play",
        (
            Knob("protocol", "Protocol", "nip", choices=PROTOCOLS),
            Knob("rounds", "Rounds at most (nip, debate, mnip)", 8, 1, 40, 1),
            Knob("shared", "Provers share the verifier's reward", False),
            Knob(
                "going_on",
                "For each turn without a verdict (verifier_no_guess_reward)",
                0.0,
                -1.0,
                1.0,
                0.1,
            ),
            Knob(
                "out_of_time",
                "If time runs out (verifier_terminated_penalty)",
                -1.0,
                -5.0,
                2.0,
                0.5,
            ),
        ),
        _mid_points,
    ),
    "opposed_rewards": Experiment(
        "What the two provers are paid",
        (
            Knob("prize", "The prize (prover_reward)", 1.0, -2.0, 5.0, 0.5),
            Knob("shared", "Provers share the verifier's reward", False),
        ),
        _opposed_rewards,
    ),
    "who_leads": Experiment(
        "Who leads?",
        (
            Knob("cost", "What a check costs the verifier", 0.5, 0.1, 1.9, 0.1),
            Knob("fine", "What a lie that is found out costs the prover", 1.0, 0.0, 5.0, 0.5),
        ),
        _who_leads,
    ),
}
