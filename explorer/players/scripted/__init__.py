"""Players that follow a script, for provers' and verifiers' seats."""

from __future__ import annotations

from explorer.lazy import exported
from explorer.players.scripted.judges import (
    DEFAULT_JUDGE as DEFAULT_JUDGE,
    INVENTED as INVENTED,
    JUDGES as JUDGES,
    Judge as Judge,
)
from explorer.players.scripted.provers import (
    INVENTIONS as INVENTIONS,
    LEVELS as LEVELS,
    Level as Level,
    Reason as Reason,
    Script as Script,
    ScriptedExpert as ScriptedExpert,
    Way as Way,
    chance_of_contradiction as chance_of_contradiction,
    is_evasion as is_evasion,
    questions_in as questions_in,
    questions_meant as questions_meant,
    reasons as reasons,
    script_for as script_for,
)
from explorer.players.scripted.seating import (
    DEFAULT_LEVEL as DEFAULT_LEVEL,
    Scripts as Scripts,
    Why as Why,
    scripted_player as scripted_player,
    scripted_record as scripted_record,
    scripts_for as scripts_for,
    why as why,
)
from explorer.players.scripted.verifiers import (
    DEFAULT_STRATEGY as DEFAULT_STRATEGY,
    STRATEGIES as STRATEGIES,
    CountingVerifier as CountingVerifier,
    HeardClaim as HeardClaim,
    ScriptedVerifier as ScriptedVerifier,
    Strategy as Strategy,
    Subject as Subject,
    canonical as canonical,
    subject_of as subject_of,
    values_in as values_in,
)

__all__, __getattr__, __dir__ = exported(__name__)
