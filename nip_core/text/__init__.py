"""Seats that speak, about any kind of task: names, prompts, reading completions, conversations."""

from __future__ import annotations

from nip_core.text.agent_spec import DECISION_WORDS, CodeValidationAgentSpec, stance_word
from nip_core.text.answers import NO_TOOLS
from nip_core.text.chat import chat_messages, current_round, seen_rounds
from nip_core.text.conversation import ChatMessage, SeenMessage, SeenRound
from nip_core.text.handler import CodeValidationProtocolHandler
from nip_core.text.layer import CodeValidationSpecProtocol, text_layer
from nip_core.text.parsing import Decision
from nip_core.text.portable import (
    PortableMessage,
    answered,
    fold_system,
    quoted,
    unmarked,
)
from nip_core.text.seats import default_agent_specs
from nip_core.text.spans import Span, read_spans
from nip_core.text.thoughts import UNCLOSED, split_thoughts

__all__ = [
    "DECISION_WORDS",
    "NO_TOOLS",
    "UNCLOSED",
    "ChatMessage",
    "CodeValidationAgentSpec",
    "CodeValidationProtocolHandler",
    "CodeValidationSpecProtocol",
    "Decision",
    "PortableMessage",
    "SeenMessage",
    "SeenRound",
    "Span",
    "answered",
    "chat_messages",
    "current_round",
    "default_agent_specs",
    "fold_system",
    "quoted",
    "read_spans",
    "seen_rounds",
    "split_thoughts",
    "stance_word",
    "text_layer",
    "unmarked",
]


def __dir__() -> list[str]:
    return __all__
