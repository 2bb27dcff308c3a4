"""Scripted verifiers: they ask, listen, and decide by a strategy that can be told."""

from __future__ import annotations

from explorer.players.scripted.verifiers.counting import CountingVerifier
from explorer.players.scripted.verifiers.hearing import Heard
from explorer.players.scripted.verifiers.records import verifier_of
from explorer.players.scripted.verifiers.strategies import (
    CARE,
    DEFAULT_STRATEGY,
    STRATEGIES,
    USUAL_LEVEL,
    Strategy,
    strategy,
)
from explorer.players.scripted.verifiers.subjects import subject_of
from explorer.players.scripted.verifiers.verifier import ScriptedVerifier

__all__ = [
    "CARE",
    "DEFAULT_STRATEGY",
    "STRATEGIES",
    "USUAL_LEVEL",
    "CountingVerifier",
    "Heard",
    "ScriptedVerifier",
    "Strategy",
    "strategy",
    "subject_of",
    "verifier_of",
]
