"""Scripted provers: they argue for one side, and answer any question."""

from __future__ import annotations

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

__all__ = [
    "INVENTIONS",
    "LEVELS",
    "Level",
    "Reason",
    "Script",
    "ScriptedExpert",
    "Way",
    "chance_of_contradiction",
    "closes",
    "is_evasion",
    "is_usual",
    "questions_in",
    "questions_meant",
    "reasons",
    "script_for",
]
