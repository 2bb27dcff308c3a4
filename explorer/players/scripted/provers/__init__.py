"""Scripted provers: they argue for one side, and answer what they are asked."""

from __future__ import annotations

from explorer.players.scripted.provers.expert import NO_ANSWER, Script, ScriptedExpert, script_for
from explorer.players.scripted.provers.questions import questions_in

__all__ = ["NO_ANSWER", "Script", "ScriptedExpert", "questions_in", "script_for"]
