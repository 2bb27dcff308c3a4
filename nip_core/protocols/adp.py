"""Abstract decision problem: one message from the prover, then the verdict."""

from __future__ import annotations

from nip_core.handler import DeterministicSingleVerifierProtocolHandler
from nip_core.handler.registered import register_protocol_handler
from nip_core.parameters import HyperParameters
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn

__all__ = ["AdpProtocol"]


@register_protocol_handler("adp")
class AdpProtocol(DeterministicSingleVerifierProtocolHandler):
    """The prover sends a proof, and the verifier, having read it, decides at once."""

    full_name = "Abstract decision problem"
    sentence = "The prover writes one proof, and the verifier, having read it, decides."

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec:
        """Two rounds: the prover, then the verifier."""
        return ProtocolSpec(
            name="adp",
            agents=(Agent("prover", "prover", stance=1), Agent(verifier_name, "verifier")),
            channels=(Channel("main", ("prover", verifier_name)),),
            schedules=(
                Schedule(
                    prelude=(Turn.of({"prover": ["main"]}), Turn.of({verifier_name: ["main"]}))
                ),
            ),
            max_message_rounds=2,
            payoff=Payoff.from_parameters(parameters),
            prover_stance_can_be_randomized=True,
        )
