"""Two provers on one side who hear each other: what their isolation is compared with."""

from __future__ import annotations

from nip_core.handler import DeterministicSingleVerifierProtocolHandler
from nip_core.handler.registered import register_protocol_handler
from nip_core.parameters import HyperParameters
from nip_core.protocols.two_provers import two_prover_spec
from nip_core.spec import ProtocolSpec

__all__ = ["MnipTogetherProtocol"]


@register_protocol_handler("mnip_together")
class MnipTogetherProtocol(DeterministicSingleVerifierProtocolHandler):
    """As ``mnip`` in all but one thing: each prover reads the other's channel."""

    full_name = "Two provers together"
    sentence = "As in multi-prover proofs, but the provers hear each other, and can agree."
    parameter_group = "mnip_protocol"

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec:
        """The provers answer at once, or one after the other if ``sequential``."""
        own = parameters.mnip_protocol
        return two_prover_spec(
            "mnip_together", parameters, own, verifier_name, stances=(1, 1), isolated=False
        )
