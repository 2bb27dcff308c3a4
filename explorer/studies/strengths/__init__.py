"""How strong scripted players are: measured by letting every one play against every other."""

from __future__ import annotations

from explorer.studies.strengths.games import GAMES, StrengthGame, matches, play
from explorer.studies.strengths.table import Pairing, Strengths, scripts_digest, strengths

__all__ = [
    "GAMES",
    "Pairing",
    "StrengthGame",
    "Strengths",
    "matches",
    "play",
    "scripts_digest",
    "strengths",
]
