"""Language models as players: any service that speaks OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.players.models.client import (
        Client as Client,
        Retries as Retries,
    )
    from explorer.players.models.limits import (
        Account as Account,
        Secret as Secret,
        ServerPolicy as ServerPolicy,
        TokenBudget as TokenBudget,
        estimate_tokens as estimate_tokens,
        find_key as find_key,
        missing_key as missing_key,
        tokens_in_chat as tokens_in_chat,
    )
    from explorer.players.models.player import (
        ModelAnswer as ModelAnswer,
        AnswerProgress as AnswerProgress,
        AnswerWait as AnswerWait,
        LLMPlayer as LLMPlayer,
        ModelClient as ModelClient,
        ModelPlayer as ModelPlayer,
        ModelTurn as ModelTurn,
        asking as asking,
    )
    from explorer.players.models.settings import (
        EFFORTS as EFFORTS,
        PRESETS as PRESETS,
        RANGES as RANGES,
        LLMSettings as LLMSettings,
        Preset as Preset,
        checked_address as checked_address,
        read_extra as read_extra,
        thinks as thinks,
        usual_tokens as usual_tokens,
    )
    from explorer.players.models.transport import (
        HTTPAnswer as HTTPAnswer,
        HTTPRequest as HTTPRequest,
        Transport as Transport,
    )
    from explorer.players.models.tryout import (
        TryOut as TryOut,
        list_models as list_models,
        try_out as try_out,
    )

__all__, __getattr__, __dir__ = exported(__name__)
