"""Language models as players: any service that speaks OpenAI's chat completions."""

from __future__ import annotations

from explorer.players.llm.asking import Answered, Asking
from explorer.players.llm.budget import Spent, TokenBudget, Used
from explorer.players.llm.client import Client, Reply, Retries
from explorer.players.llm.extra import read_extra
from explorer.players.llm.keys import Secret, find_key
from explorer.players.llm.listing import list_models
from explorer.players.llm.log import Exchange, RequestLog
from explorer.players.llm.player import LLMPlayer
from explorer.players.llm.policy import ServerPolicy
from explorer.players.llm.progress import Progress
from explorer.players.llm.settings import (
    EFFORTS,
    PRESETS,
    RANGES,
    LLMSettings,
    Preset,
    Prices,
    checked_address,
    thinks,
    usual_tokens,
)
from explorer.players.llm.tryout import TryOut, try_out

__all__ = [
    "EFFORTS",
    "PRESETS",
    "RANGES",
    "Answered",
    "Asking",
    "Client",
    "Exchange",
    "LLMPlayer",
    "LLMSettings",
    "Preset",
    "Prices",
    "Progress",
    "Reply",
    "RequestLog",
    "Retries",
    "Secret",
    "ServerPolicy",
    "Spent",
    "TokenBudget",
    "TryOut",
    "Used",
    "checked_address",
    "find_key",
    "list_models",
    "read_extra",
    "thinks",
    "try_out",
    "usual_tokens",
]


def __dir__() -> list[str]:
    return __all__
