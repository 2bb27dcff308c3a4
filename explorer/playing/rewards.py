"""Why a seat was paid what it was paid, in words."""

from __future__ import annotations

from nip_core.play import Ending
from nip_core.spec import Payoff, ProtocolSpec
from nip_core.tasks import VERDICTS

__all__ = ["why_paid"]


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
