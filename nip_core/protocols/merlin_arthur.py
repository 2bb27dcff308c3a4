"""Merlin-Arthur: one message, from a friend or a foe, and nobody says which."""

from __future__ import annotations

from nip_core.handler import SingleVerifierProtocolHandler
from nip_core.handler.registered import register_protocol_handler
from nip_core.parameters import HyperParameters
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn

__all__ = ["MerlinArthurProtocol"]


@register_protocol_handler("merlin_arthur")
class MerlinArthurProtocol(SingleVerifierProtocolHandler):
    """The seed picks the prover that argues for 0 or the one that argues for 1."""

    full_name = "Merlin-Arthur"
    sentence = "Chance lets one of two opposed provers write, and the verifier is not told which."

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec:
        """Two rounds: prover0 under an even seed, prover1 under an odd one; then the verifier."""
        decide = Turn.of({verifier_name: ["main"]})
        provers = ("prover0", "prover1")
        return ProtocolSpec(
            name="merlin_arthur",
            agents=(
                Agent("prover0", "prover", stance=0),
                Agent("prover1", "prover", stance=1),
                Agent(verifier_name, "verifier"),
            ),
            channels=(Channel("main", (*provers, verifier_name)),),
            schedules=tuple(
                Schedule(prelude=(Turn.of({prover: ["main"]}), decide)) for prover in provers
            ),
            max_message_rounds=2,
            payoff=Payoff.from_parameters(parameters),
        )
