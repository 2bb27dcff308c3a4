"""Multi-prover neural interactive proof: two provers on one side, who cannot hear each other."""

from __future__ import annotations

from nip_core.handler import DeterministicSingleVerifierProtocolHandler
from nip_core.handler.registered import register_protocol_handler
from nip_core.parameters import HyperParameters
from nip_core.protocols.two_provers import two_prover_spec
from nip_core.spec import ProtocolSpec

__all__ = ["MnipProtocol"]


@register_protocol_handler("mnip")
class MnipProtocol(DeterministicSingleVerifierProtocolHandler):
    """The verifier questions two provers apart, and may compare what they say."""

    full_name = "Multi-prover neural interactive proof"
    sentence = "The verifier questions two provers apart, and compares their answers."
    parameter_group = "mnip_protocol"

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec:
        """The provers answer at once, or one after the other if ``sequential``."""
        own = parameters.mnip_protocol
        return two_prover_spec(
            "mnip", parameters, own, verifier_name, stances=(1, 1), isolated=True
        )
