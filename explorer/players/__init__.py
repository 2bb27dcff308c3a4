"""Who or what plays a seat."""

from __future__ import annotations

from explorer.players.base import Acted, Player, play_out, step
from explorer.players.scripted import Script, ScriptedExpert, ScriptedVerifier, script_for
from explorer.players.simple import RandomPlayer, ReplayPlayer

__all__ = [
    "Acted",
    "Player",
    "RandomPlayer",
    "ReplayPlayer",
    "Script",
    "ScriptedExpert",
    "ScriptedVerifier",
    "play_out",
    "script_for",
    "step",
]
