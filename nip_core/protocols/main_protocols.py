"""The protocols under the path at which they are documented."""

from __future__ import annotations

from nip_core.protocols.adp import AdpProtocol
from nip_core.protocols.debate import DebateProtocol
from nip_core.protocols.merlin_arthur import MerlinArthurProtocol
from nip_core.protocols.mnip import MnipProtocol
from nip_core.protocols.multi_channel_test import MultiChannelTestProtocol
from nip_core.protocols.nip import NipProtocol
from nip_core.protocols.solo_verifier import SoloVerifierProtocol

__all__ = [
    "AdpProtocol",
    "DebateProtocol",
    "MerlinArthurProtocol",
    "MnipProtocol",
    "MultiChannelTestProtocol",
    "NipProtocol",
    "SoloVerifierProtocol",
]
