"""How strong scripted players are: measured by letting every one play against every other."""

from __future__ import annotations

from explorer.strengths.games import GAMES, Match, matches, play
from explorer.strengths.table import Cell, Strengths, scripts_digest, strengths

__all__ = [
    "GAMES",
    "Cell",
    "Match",
    "Strengths",
    "matches",
    "play",
    "scripts_digest",
    "strengths",
]
