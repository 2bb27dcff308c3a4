"""Language models as players: any service that speaks OpenAI's chat completions."""

from __future__ import annotations

from explorer.players.llm.budget import Spent, TokenBudget
from explorer.players.llm.client import Client, Reply, Retries
from explorer.players.llm.keys import Secret, find_key
from explorer.players.llm.log import Exchange, RequestLog
from explorer.players.llm.player import LLMPlayer
from explorer.players.llm.policy import ServerPolicy
from explorer.players.llm.settings import PRESETS, LLMSettings, Preset
from explorer.players.llm.tryout import TryOut, try_out

__all__ = [
    "PRESETS",
    "Client",
    "Exchange",
    "LLMPlayer",
    "LLMSettings",
    "Preset",
    "Reply",
    "RequestLog",
    "Retries",
    "Secret",
    "ServerPolicy",
    "Spent",
    "TokenBudget",
    "TryOut",
    "find_key",
    "try_out",
]
