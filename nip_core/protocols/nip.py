"""Neural interactive proof: one prover and one verifier take turns."""

from __future__ import annotations

from nip_core.handler import DeterministicSingleVerifierProtocolHandler
from nip_core.handler.registered import register_protocol_handler
from nip_core.parameters import HyperParameters
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn

__all__ = ["NipProtocol"]


@register_protocol_handler("nip")
class NipProtocol(DeterministicSingleVerifierProtocolHandler):
    """The verifier questions one prover, message by message, and decides when it likes."""

    full_name = "Neural interactive proof"
    sentence = "The verifier questions one prover, message by message, and decides when it likes."
    parameter_group = "nip_protocol"

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec:
        """The verifier and the prover alternate; ``verifier_first`` says who opens."""
        own = parameters.nip_protocol
        ask, answer = Turn.of({verifier_name: ["main"]}), Turn.of({"prover": ["main"]})
        verifier_first = parameters.protocol_common.verifier_first
        return ProtocolSpec(
            name="nip",
            agents=(Agent("prover", "prover", stance=1), Agent(verifier_name, "verifier")),
            channels=(Channel("main", ("prover", verifier_name)),),
            schedules=(Schedule(cycle=(ask, answer) if verifier_first else (answer, ask)),),
            max_message_rounds=own.max_message_rounds,
            min_message_rounds=own.min_message_rounds,
            payoff=Payoff.from_parameters(parameters),
            prover_stance_can_be_randomized=True,
        )
