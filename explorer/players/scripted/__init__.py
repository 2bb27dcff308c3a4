"""Players that follow a script, for provers' and verifiers' seats."""

from __future__ import annotations

from explorer.lazy import exported
from explorer.players.scripted.judges import (
    DEFAULT_JUDGE,
    INVENTED,
    JUDGES,
    Judge,
    turn_record,
)
from explorer.players.scripted.provers import (
    INVENTIONS,
    LEVELS,
    Level,
    Reason,
    Script,
    ScriptedExpert,
    Way,
    chance_of_contradiction,
    is_evasion,
    questions_in,
    questions_meant,
    reasons,
    script_for,
)
from explorer.players.scripted.seating import (
    DEFAULT_LEVEL,
    Why,
    scripted_player,
    scripted_record,
    why,
)
from explorer.players.scripted.verifiers import (
    DEFAULT_STRATEGY,
    STRATEGIES,
    CountingVerifier,
    HeardClaim,
    ScriptedVerifier,
    Strategy,
    Subject,
    canonical,
    subject_of,
    values_in,
)

__all__, __getattr__, __dir__ = exported(__name__)
