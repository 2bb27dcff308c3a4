"""The protocols, one file each, and the registry that finds them.

A new protocol is one file in this folder, with one class that has one method::

    @register_protocol_handler("my_protocol")
    class MyProtocol(DeterministicSingleVerifierProtocolHandler):
        @classmethod
        def build_spec(cls, parameters, verifier_name):
            return ProtocolSpec(...)

Everything else (the app's controls, the grid, play, rewards, the zero-knowledge variant, the
contract tests) finds it by :mod:`nip_core.discovery`. Nothing in this package imports torch.
"""

from __future__ import annotations

from nip_core.handler import (
    DeterministicSingleVerifierProtocolHandler,
    ProtocolHandler,
    SingleVerifierProtocolHandler,
    SpecProtocol,
)
from nip_core.handler.zero_knowledge import ZeroKnowledgeProtocol
from nip_core.protocols.adp import AdpProtocol
from nip_core.protocols.debate import DebateProtocol
from nip_core.protocols.merlin_arthur import MerlinArthurProtocol
from nip_core.protocols.mnip import MnipProtocol
from nip_core.protocols.nip import NipProtocol
from nip_core.protocols.solo_verifier import SoloVerifierProtocol
from nip_core.protocols.three_channels import MultiChannelTestProtocol
from nip_core.registry import (
    ProtocolInfo,
    build_protocol_handler,
    parameter_names,
    protocol,
    protocol_class,
    protocol_info,
    protocol_infos,
    protocol_names,
    protocol_spec,
    protocol_title,
    published_names,
    register_protocol_handler,
    specification,
)

__all__ = [
    "AdpProtocol",
    "DebateProtocol",
    "DeterministicSingleVerifierProtocolHandler",
    "MerlinArthurProtocol",
    "MnipProtocol",
    "MultiChannelTestProtocol",
    "NipProtocol",
    "ProtocolHandler",
    "ProtocolInfo",
    "SingleVerifierProtocolHandler",
    "SoloVerifierProtocol",
    "SpecProtocol",
    "ZeroKnowledgeProtocol",
    "build_protocol_handler",
    "parameter_names",
    "protocol",
    "protocol_class",
    "protocol_info",
    "protocol_infos",
    "protocol_names",
    "protocol_spec",
    "protocol_title",
    "published_names",
    "register_protocol_handler",
    "specification",
]


def __dir__() -> list[str]:
    return __all__
