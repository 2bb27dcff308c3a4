"""The text layer: what turns a protocol into a conversation about code.

Importing this registers the handlers for the scenario ``"code_validation"``.
"""

from __future__ import annotations

from nip_core.code_validation.protocols import (
    AdpCodeValidationProtocol,
    DebateCodeValidationProtocol,
    MerlinArthurCodeValidationProtocol,
    MnipCodeValidationProtocol,
    NipCodeValidationProtocol,
    SoloVerifierCodeValidationProtocol,
)
from nip_core.errors import (
    AgentNotActiveInChannelError,
    GenerationError,
    InvalidDecisionError,
    InvalidResponseError,
    NotAllActiveChannelsInResponseError,
)
from nip_core.text.agent_spec import (
    DECISION_WORDS,
    CodeValidationAgentSpec,
    stance_word,
)
from nip_core.text.chat import chat_messages, current_round, seen_rounds
from nip_core.text.conversation import ChatMessage, SeenMessage, SeenRound
from nip_core.text.handler import CodeValidationProtocolHandler
from nip_core.text.layer import CodeValidationSpecProtocol, text_layer
from nip_core.text.seats import default_agent_specs

__all__ = [
    "DECISION_WORDS",
    "AdpCodeValidationProtocol",
    "AgentNotActiveInChannelError",
    "ChatMessage",
    "CodeValidationAgentSpec",
    "CodeValidationProtocolHandler",
    "CodeValidationSpecProtocol",
    "DebateCodeValidationProtocol",
    "GenerationError",
    "InvalidDecisionError",
    "InvalidResponseError",
    "MerlinArthurCodeValidationProtocol",
    "MnipCodeValidationProtocol",
    "NipCodeValidationProtocol",
    "NotAllActiveChannelsInResponseError",
    "SeenMessage",
    "SeenRound",
    "SoloVerifierCodeValidationProtocol",
    "chat_messages",
    "current_round",
    "default_agent_specs",
    "seen_rounds",
    "stance_word",
    "text_layer",
]


def __dir__() -> list[str]:
    return __all__
