"""A verifier alone: the baseline of every protocol."""

from __future__ import annotations

from nip_core.handler import DeterministicSingleVerifierProtocolHandler
from nip_core.handler.registered import register_protocol_handler
from nip_core.parameters import HyperParameters
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn

__all__ = ["SoloVerifierProtocol"]


@register_protocol_handler("solo_verifier")
class SoloVerifierProtocol(DeterministicSingleVerifierProtocolHandler):
    """The verifier decides without having heard anybody."""

    full_name = "Solo verifier"
    sentence = "The verifier decides without having heard anybody."

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec:
        """One round: the verifier."""
        return ProtocolSpec(
            name="solo_verifier",
            agents=(Agent(verifier_name, "verifier"),),
            channels=(Channel("main", (verifier_name,)),),
            schedules=(Schedule(prelude=(Turn.of({verifier_name: ["main"]}),)),),
            max_message_rounds=1,
            payoff=Payoff.from_parameters(parameters),
        )
