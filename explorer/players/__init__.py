"""Automated players of seats: language models and scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported
from explorer.players.base import (
    Acted as Acted,
    HumanPlayer as HumanPlayer,
    Player as Player,
    RandomPlayer as RandomPlayer,
    ReplayPlayer as ReplayPlayer,
    any_choices as any_choices,
    astep as astep,
    fit as fit,
    fit_turn as fit_turn,
    play_out as play_out,
    step as step,
)
from explorer.players.errors import (
    AddressRefusedError as AddressRefusedError,
    LLMBudgetError as LLMBudgetError,
    LLMCancelledError as LLMCancelledError,
    LLMError as LLMError,
    LLMFailedError as LLMFailedError,
    UnconfirmedError as UnconfirmedError,
)
from explorer.players.scripted import (
    DEFAULT_JUDGE as DEFAULT_JUDGE,
    DEFAULT_LEVEL as DEFAULT_LEVEL,
    DEFAULT_STRATEGY as DEFAULT_STRATEGY,
    INVENTED as INVENTED,
    INVENTIONS as INVENTIONS,
    RISKS_FILE as RISKS_FILE,
    Calibration as Calibration,
    Desk as Desk,
    Features as Features,
    Risk as Risk,
    Suggestion as Suggestion,
    arguments_in as arguments_in,
    calibration as calibration,
    desk_for as desk_for,
    features as features,
    questions_left as questions_left,
    JUDGES as JUDGES,
    LEVELS as LEVELS,
    STRATEGIES as STRATEGIES,
    Code as Code,
    HeardClaim as HeardClaim,
    Judge as Judge,
    Level as Level,
    Script as Script,
    Scripts as Scripts,
    ScriptedExpert as ScriptedExpert,
    ScriptedVerifier as ScriptedVerifier,
    Strategy as Strategy,
    Subject as Subject,
    Way as Way,
    canonical as canonical,
    code_of as code_of,
    chance_of_contradiction as chance_of_contradiction,
    Topic as Topic,
    questions_meant as questions_meant,
    reasons as reasons,
    script_for as script_for,
    scripted_player as scripted_player,
    scripted_record as scripted_record,
    scripts_for as scripts_for,
    subject_of as subject_of,
    values_in as values_in,
    why as why,
)

if TYPE_CHECKING:
    from explorer.players.models import (
        EFFORTS as EFFORTS,
        PRESETS as PRESETS,
        RANGES as RANGES,
        Account as Account,
        ModelAnswer as ModelAnswer,
        AnswerProgress as AnswerProgress,
        AnswerWait as AnswerWait,
        Client as Client,
        HTTPAnswer as HTTPAnswer,
        HTTPRequest as HTTPRequest,
        LLMPlayer as LLMPlayer,
        LLMSettings as LLMSettings,
        ModelClient as ModelClient,
        ModelPlayer as ModelPlayer,
        ModelTurn as ModelTurn,
        asking as asking,
        Preset as Preset,
        Retries as Retries,
        Secret as Secret,
        ServerPolicy as ServerPolicy,
        TokenBudget as TokenBudget,
        Transport as Transport,
        checked_address as checked_address,
        estimate_tokens as estimate_tokens,
        find_key as find_key,
        list_models as list_models,
        missing_key as missing_key,
        read_extra as read_extra,
        thinks as thinks,
        tokens_in_chat as tokens_in_chat,
        try_out as try_out,
        usual_tokens as usual_tokens,
    )
    from explorer.players.scripted.seats import SeatScript as SeatScript

__all__, __getattr__, __dir__ = exported(__name__)

# The code for models is loaded on first use: most games have no model.
