"""Language models as players: any service that speaks OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import loader

if TYPE_CHECKING:
    from explorer.players.models.budget import Account, TokenBudget, estimate_tokens, tokens_in_chat
    from explorer.players.models.client import Client, Retries
    from explorer.players.models.keys import Secret, ServerPolicy, find_key
    from explorer.players.models.player import (
        Answer,
        LLMPlayer,
        ModelClient,
        ModelPlayer,
        ModelTurn,
        Waiting,
    )
    from explorer.players.models.progress import AnswerProgress, Exchange, RequestLog
    from explorer.players.models.settings import (
        EFFORTS,
        PRESETS,
        RANGES,
        LLMSettings,
        Preset,
        checked_address,
        read_extra,
        thinks,
        usual_tokens,
    )
    from explorer.players.models.tryout import TryOut, list_models, try_out

__all__ = [
    "EFFORTS",
    "PRESETS",
    "RANGES",
    "Account",
    "Answer",
    "AnswerProgress",
    "Client",
    "Exchange",
    "LLMPlayer",
    "LLMSettings",
    "ModelClient",
    "ModelPlayer",
    "ModelTurn",
    "Preset",
    "RequestLog",
    "Retries",
    "Secret",
    "ServerPolicy",
    "TokenBudget",
    "TryOut",
    "Waiting",
    "checked_address",
    "estimate_tokens",
    "find_key",
    "list_models",
    "read_extra",
    "thinks",
    "tokens_in_chat",
    "try_out",
    "usual_tokens",
]

__getattr__ = loader(__name__)


def __dir__() -> list[str]:
    return __all__
