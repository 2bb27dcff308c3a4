"""Who or what plays a seat."""

from __future__ import annotations

from explorer.players.base import (
    Acted,
    HumanPlayer,
    Player,
    RandomPlayer,
    ReplayPlayer,
    astep,
    fit,
    play_out,
    step,
)
from explorer.players.errors import (
    AddressRefusedError,
    LLMBudgetError,
    LLMCancelledError,
    LLMError,
    LLMFailedError,
    UnconfirmedError,
)
from explorer.players.scripted import (
    Script,
    ScriptedExpert,
    ScriptedVerifier,
    script_for,
    scripted_player,
    scripted_record,
)

__all__ = [
    "Acted",
    "AddressRefusedError",
    "HumanPlayer",
    "LLMBudgetError",
    "LLMCancelledError",
    "LLMError",
    "LLMFailedError",
    "Player",
    "RandomPlayer",
    "ReplayPlayer",
    "Script",
    "ScriptedExpert",
    "ScriptedVerifier",
    "UnconfirmedError",
    "astep",
    "fit",
    "play_out",
    "script_for",
    "scripted_player",
    "scripted_record",
    "step",
]


def __dir__() -> list[str]:
    return __all__
