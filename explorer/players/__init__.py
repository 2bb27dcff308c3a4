"""Who or what plays a seat."""

from __future__ import annotations

from explorer.players.base import Acted, Player, aplay_out, astep, play_out, step
from explorer.players.scripted import (
    Script,
    ScriptedExpert,
    ScriptedVerifier,
    script_for,
    scripted_player,
    scripted_record,
)
from explorer.players.simple import HumanPlayer, RandomPlayer, ReplayPlayer

__all__ = [
    "Acted",
    "HumanPlayer",
    "Player",
    "RandomPlayer",
    "ReplayPlayer",
    "Script",
    "ScriptedExpert",
    "ScriptedVerifier",
    "aplay_out",
    "astep",
    "play_out",
    "script_for",
    "scripted_player",
    "scripted_record",
    "step",
]


def __dir__() -> list[str]:
    return __all__
