"""Scripted provers, which argue for one side and answer any question."""

from __future__ import annotations

from explorer.lazy import exported
from explorer.players.scripted.provers.asked import is_usual
from explorer.players.scripted.provers.expert import Script, ScriptedExpert, script_for
from explorer.players.scripted.provers.inputs import closes
from explorer.players.scripted.provers.levels import (
    INVENTIONS,
    LEVELS,
    Level,
    Reason,
    Way,
    chance_of_contradiction,
    reasons,
)
from explorer.players.scripted.provers.matching import questions_in
from explorer.players.scripted.provers.reading import questions_meant
from explorer.players.scripted.provers.voices import is_evasion

__all__, __getattr__, __dir__ = exported(__name__)
