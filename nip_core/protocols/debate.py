"""Debate: two provers with opposed sides, before one verifier, in the open."""

from __future__ import annotations

from nip_core.handler import DeterministicSingleVerifierProtocolHandler
from nip_core.handler.registered import register_protocol_handler
from nip_core.parameters import HyperParameters
from nip_core.protocols.two_provers import two_prover_spec
from nip_core.spec import ProtocolSpec

__all__ = ["DebateProtocol"]


@register_protocol_handler("debate")
class DebateProtocol(DeterministicSingleVerifierProtocolHandler):
    """Prover0 argues for 0 and prover1 for 1; everybody reads everything."""

    full_name = "Debate"
    sentence = "Two provers argue for opposite verdicts in the open, before a verifier who decides."
    parameter_group = "debate_protocol"

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec:
        """The provers speak at once, or one after the other if ``sequential``."""
        own = parameters.debate_protocol
        return two_prover_spec(
            "debate", parameters, own, verifier_name, stances=(0, 1), isolated=False
        )
