"""The protocols under the path at which they are documented."""

from __future__ import annotations

from nip_core.protocols.adp import AdpProtocol
from nip_core.protocols.debate import DebateProtocol
from nip_core.protocols.merlin_arthur import MerlinArthurProtocol
from nip_core.protocols.mnip import MnipProtocol
from nip_core.protocols.nip import NipProtocol
from nip_core.protocols.solo_verifier import SoloVerifierProtocol
from nip_core.protocols.three_channels import MultiChannelTestProtocol

__all__ = [
    "AdpProtocol",
    "DebateProtocol",
    "MerlinArthurProtocol",
    "MnipProtocol",
    "MultiChannelTestProtocol",
    "NipProtocol",
    "SoloVerifierProtocol",
]
