"""A language model in a seat, behind any address that speaks OpenAI's chat completions."""

from __future__ import annotations

from explorer.players.models.client import Client, Completion, Exchange, TokenBudget
from explorer.players.models.player import LLMPlayer
from explorer.players.models.policy import ServerPolicy
from explorer.players.models.settings import PRESETS, LLMSettings, Preset, Secret, find_key
from explorer.players.models.tryout import TryOut, try_out

__all__ = [
    "PRESETS",
    "Client",
    "Completion",
    "Exchange",
    "LLMPlayer",
    "LLMSettings",
    "Preset",
    "Secret",
    "ServerPolicy",
    "TokenBudget",
    "TryOut",
    "find_key",
    "try_out",
]
