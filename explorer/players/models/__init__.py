"""Language models as players: any service that speaks OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported

if TYPE_CHECKING:
    from explorer.players.models.client import Client, Retries
    from explorer.players.models.limits import (
        Account,
        Secret,
        ServerPolicy,
        TokenBudget,
        estimate_tokens,
        find_key,
        tokens_in_chat,
    )
    from explorer.players.models.player import (
        Answer,
        AnswerProgress,
        AnswerWait,
        LLMPlayer,
        ModelClient,
        ModelPlayer,
        ModelTurn,
    )
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
    from explorer.players.models.transport import HTTPAnswer, HTTPRequest, Transport
    from explorer.players.models.tryout import TryOut, list_models, try_out

__all__, __getattr__, __dir__ = exported(__name__)
