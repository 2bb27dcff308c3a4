"""Why a seat was paid what it was paid, in words, and what play at random would have paid it."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

from nip_core import SpecProtocol
from nip_core.errors import UnsupportedError
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.play import Ending
from nip_core.spec import Payoff, ProtocolSpec
from nip_core.tasks import VERDICTS

__all__ = ["paid_at_random", "why_paid"]


def paid_at_random(spec: ProtocolSpec, ending: Ending) -> dict[str, float]:
    """What each seat is worth if the verifier plays at random and both labels are as likely.

    Provers argue for what they argued for in the episode. Empty where it cannot be computed.
    """
    agents = tuple(
        dataclasses.replace(agent, stance=ending.stances.get(agent.name, agent.stance))
        for agent in spec.agents
    )
    return dict(_at_random(spec.replace(agents=agents)))


@lru_cache(maxsize=64)
def _at_random(spec: ProtocolSpec) -> tuple[tuple[str, float], ...]:
    # Values need tensors, which a page does without for as long as it can.
    from nip_core.values import exact_values, random_play

    handler = SpecProtocol(HyperParameters(), ExperimentSettings(), spec)
    try:
        values = exact_values(handler, random_play(spec))
    except UnsupportedError:
        return ()
    return tuple((agent, values.mean(agent)) for agent in spec.agent_names)


def why_paid(spec: ProtocolSpec, ending: Ending, agent: str) -> str:
    """The rule that gave a seat its reward, in a sentence."""
    payoff = spec.payoff
    if agent in spec.verifiers:
        return _verifier(spec, payoff, ending)
    if payoff.shared_reward:
        return "Provers share the verifier's reward."
    stance = ending.stances.get(agent)
    if stance is None:
        return "It has no side, so nothing is paid to it."
    side = VERDICTS[stance]
    if ending.decision is None:
        return f"It argued for {side}, and there was no verdict."
    if ending.decision == stance:
        return f"The verdict is its side, {side}: {payoff.prover_reward:+g}."
    return f"It argued for {side}, and the verdict is {VERDICTS[ending.decision]}."


def _verifier(spec: ProtocolSpec, payoff: Payoff, ending: Ending) -> str:
    forced = " The verdict was forced." if payoff.force_guess else ""
    if ending.decision is None:
        reason = f"The rounds ran out: {payoff.verifier_terminated_penalty:+g}."
    elif ending.decision == ending.y:
        reason = f"The verdict is right: {payoff.verifier_reward:+g}."
    else:
        reason = f"The verdict is wrong: {payoff.verifier_incorrect_penalty:+g}."
    asked = ending.totals[spec.verifier] - ending.rewards[spec.verifier][-1]
    if asked:
        reason += f" Going on before that: {asked:+g} in all."
    return reason + forced
