"""Players that follow a script, for provers' and verifiers' seats."""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.players.scripted.code import Code as Code, code_of as code_of
from explorer.players.scripted.desk import (
    desk_for as desk_for,
    knowledge as knowledge,
)
from explorer.players.scripted.desk_parts import (
    Desk as Desk,
    Suggestion as Suggestion,
    questions_left as questions_left,
)
from explorer.players.scripted.inputs import arguments_in as arguments_in
from explorer.players.scripted.judges import (
    DEFAULT_JUDGE as DEFAULT_JUDGE,
    INVENTED as INVENTED,
    JUDGES as JUDGES,
    Judge as Judge,
)
from explorer.players.scripted.levels import (
    INVENTIONS as INVENTIONS,
    LEVELS as LEVELS,
    Level as Level,
    Reason as Reason,
    Way as Way,
    chance_of_contradiction as chance_of_contradiction,
    reasons as reasons,
)
from explorer.players.scripted.prover import (
    Script as Script,
    ScriptedExpert as ScriptedExpert,
    script_for as script_for,
)
from explorer.players.scripted.questions import questions_meant as questions_meant
from explorer.players.scripted.risk import (
    RISKS_FILE as RISKS_FILE,
    Calibration as Calibration,
    Features as Features,
    Risk as Risk,
    calibration as calibration,
    features as features,
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
from explorer.players.scripted.slots import Topic as Topic
from explorer.players.scripted.verifiers import (
    DEFAULT_STRATEGY as DEFAULT_STRATEGY,
    STRATEGIES as STRATEGIES,
    HeardClaim as HeardClaim,
    ScriptedVerifier as ScriptedVerifier,
    Strategy as Strategy,
    Subject as Subject,
    canonical as canonical,
    subject_of as subject_of,
    values_in as values_in,
)
from explorer.players.scripted.voices import is_evasion as is_evasion
from explorer.players.scripted.voices import offered_in as offered_in
from nip_core.displays import displayed

__all__, __getattr__, __dir__ = exported(__name__)

# Here, since what was measured carries a digest of the files in which these are.
for shown in (Code, Topic):
    displayed(shown)
