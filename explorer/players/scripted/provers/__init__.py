"""Scripted provers, which argue for one side and answer any question."""

from __future__ import annotations

from explorer.lazy import exported
from explorer.players.scripted.provers.asked import is_usual as is_usual
from explorer.players.scripted.provers.expert import (
    Script as Script,
    ScriptedExpert as ScriptedExpert,
    script_for as script_for,
)
from explorer.players.scripted.provers.inputs import closes as closes
from explorer.players.scripted.provers.levels import (
    INVENTIONS as INVENTIONS,
    LEVELS as LEVELS,
    Level as Level,
    Reason as Reason,
    Way as Way,
    chance_of_contradiction as chance_of_contradiction,
    reasons as reasons,
)
from explorer.players.scripted.provers.matching import questions_in as questions_in
from explorer.players.scripted.provers.reading import questions_meant as questions_meant
from explorer.players.scripted.provers.voices import is_evasion as is_evasion

__all__, __getattr__, __dir__ = exported(__name__)
