"""Players that follow a script: in a prover's seat, and in a verifier's."""

from __future__ import annotations

from explorer.players.scripted.provers import NO_ANSWER, Script, ScriptedExpert, script_for
from explorer.players.scripted.seating import scripted_player
from explorer.players.scripted.verifiers import ScriptedVerifier

__all__ = [
    "NO_ANSWER",
    "Script",
    "ScriptedExpert",
    "ScriptedVerifier",
    "script_for",
    "scripted_player",
]
