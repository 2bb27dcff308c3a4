"""The protocols in the scenario ``"code_validation"``, with prompts of their own.

All other facts are derived from the specifications.
"""

from __future__ import annotations

from pathlib import Path

from nip_core.handler.registered import register_protocol_handler
from nip_core.protocols.adp import AdpProtocol
from nip_core.protocols.debate import DebateProtocol
from nip_core.protocols.merlin_arthur import MerlinArthurProtocol
from nip_core.protocols.mnip import MnipProtocol
from nip_core.protocols.nip import NipProtocol
from nip_core.protocols.solo_verifier import SoloVerifierProtocol
from nip_core.text.agent_spec import CodeValidationAgentSpec
from nip_core.text.handler import CodeValidationProtocolHandler

__all__ = [
    "AdpCodeValidationProtocol",
    "CodeValidationAgentSpec",
    "CodeValidationProtocolHandler",
    "DebateCodeValidationProtocol",
    "MerlinArthurCodeValidationProtocol",
    "MnipCodeValidationProtocol",
    "NipCodeValidationProtocol",
    "SoloVerifierCodeValidationProtocol",
]

_TEMPLATES = Path(__file__).parent / "templates"


@register_protocol_handler("nip", "code_validation")
class NipCodeValidationProtocol(CodeValidationProtocolHandler, NipProtocol):
    """One expert, questioned by the verifier."""

    system_prompt_directory = _TEMPLATES / "nip"


@register_protocol_handler("adp", "code_validation")
class AdpCodeValidationProtocol(CodeValidationProtocolHandler, AdpProtocol):
    """One message from one expert."""

    system_prompt_directory = _TEMPLATES / "adp"


@register_protocol_handler("debate", "code_validation")
class DebateCodeValidationProtocol(CodeValidationProtocolHandler, DebateProtocol):
    """Two experts with opposed sides, who read each other."""

    system_prompt_directory = _TEMPLATES / "debate"


@register_protocol_handler("merlin_arthur", "code_validation")
class MerlinArthurCodeValidationProtocol(CodeValidationProtocolHandler, MerlinArthurProtocol):
    """One message from one of two experts with opposed sides; it is not said from which."""

    system_prompt_directory = _TEMPLATES / "merlin_arthur"


@register_protocol_handler("mnip", "code_validation")
class MnipCodeValidationProtocol(CodeValidationProtocolHandler, MnipProtocol):
    """Two experts on one side, questioned apart."""

    system_prompt_directory = _TEMPLATES / "mnip"


@register_protocol_handler("solo_verifier", "code_validation")
class SoloVerifierCodeValidationProtocol(CodeValidationProtocolHandler, SoloVerifierProtocol):
    """Nobody to ask."""

    system_prompt_directory = _TEMPLATES / "solo_verifier"
