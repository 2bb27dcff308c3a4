"""Language models as players: any service that speaks OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported

if TYPE_CHECKING:
    from explorer.players.models.budget import Account, TokenBudget, estimate_tokens, tokens_in_chat
    from explorer.players.models.client import Client, Retries
    from explorer.players.models.keys import Secret, ServerPolicy, find_key
    from explorer.players.models.player import (
        Answer,
        AnswerWait,
        LLMPlayer,
        ModelClient,
        ModelPlayer,
        ModelTurn,
    )
    from explorer.players.models.progress import AnswerProgress
    from explorer.players.models.replies import HTTPAnswer, HTTPRequest
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
    from explorer.players.models.wire import Transport

__all__, __getattr__, __dir__ = exported(__name__)
