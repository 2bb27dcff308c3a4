"""Automated players of seats: language models and scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported
from explorer.players.base import (
    Acted,
    HumanPlayer,
    Player,
    RandomPlayer,
    ReplayPlayer,
    any_choices,
    astep,
    fit,
    fit_turn,
    play_out,
    step,
)
from explorer.players.errors import (
    AddressRefusedError,
    LLMBudgetError,
    LLMCancelledError,
    LLMError,
    LLMFailedError,
    UnconfirmedError,
)
from explorer.players.scripted import (
    DEFAULT_JUDGE,
    DEFAULT_LEVEL,
    DEFAULT_STRATEGY,
    INVENTED,
    INVENTIONS,
    JUDGES,
    LEVELS,
    STRATEGIES,
    HeardClaim,
    Judge,
    Level,
    Script,
    ScriptedExpert,
    ScriptedVerifier,
    Subject,
    Way,
    canonical,
    chance_of_contradiction,
    questions_meant,
    reasons,
    script_for,
    scripted_player,
    scripted_record,
    subject_of,
    turn_record,
    values_in,
    why,
)

if TYPE_CHECKING:
    from explorer.players.models import (
        EFFORTS,
        PRESETS,
        RANGES,
        Account,
        Answer,
        AnswerProgress,
        AnswerWait,
        Client,
        HTTPAnswer,
        HTTPRequest,
        LLMPlayer,
        LLMSettings,
        ModelClient,
        ModelPlayer,
        ModelTurn,
        Preset,
        Retries,
        Secret,
        ServerPolicy,
        TokenBudget,
        Transport,
        checked_address,
        estimate_tokens,
        find_key,
        list_models,
        read_extra,
        thinks,
        tokens_in_chat,
        try_out,
        usual_tokens,
    )
    from explorer.players.scripted.turns import TurnScript

__all__, __getattr__, __dir__ = exported(__name__)

# The code for models is loaded on first use: most games have no model.
