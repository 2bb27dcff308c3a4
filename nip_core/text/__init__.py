"""Seats that speak, about any kind of task: names, prompts, reading completions, conversations."""

from __future__ import annotations

from nip_core.text.agent_spec import DECISION_WORDS, CodeValidationAgentSpec, stance_word
from nip_core.text.chat import chat_messages, current_round, seen_rounds
from nip_core.text.conversation import ChatMessage, SeenMessage, SeenRound
from nip_core.text.handler import CodeValidationProtocolHandler
from nip_core.text.layer import CodeValidationSpecProtocol, text_layer
from nip_core.text.seats import default_agent_specs

__all__ = [
    "DECISION_WORDS",
    "ChatMessage",
    "CodeValidationAgentSpec",
    "CodeValidationProtocolHandler",
    "CodeValidationSpecProtocol",
    "SeenMessage",
    "SeenRound",
    "chat_messages",
    "current_round",
    "default_agent_specs",
    "seen_rounds",
    "stance_word",
    "text_layer",
]
