"""Scripted verifiers: they ask, read answers, and decide by a strategy with a description."""

from __future__ import annotations

from explorer.players.scripted.verifiers.claims import HeardClaim, values_in
from explorer.players.scripted.verifiers.strategies import (
    CARE,
    DEFAULT_STRATEGY,
    STRATEGIES,
    USUAL_LEVEL,
    Strategy,
    strategy,
)
from explorer.players.scripted.verifiers.subject import Subject
from explorer.players.scripted.verifiers.verifier import (
    CountingVerifier,
    ScriptedVerifier,
    subject_of,
    verifier_of,
)

__all__ = [
    "CARE",
    "DEFAULT_STRATEGY",
    "STRATEGIES",
    "USUAL_LEVEL",
    "CountingVerifier",
    "HeardClaim",
    "ScriptedVerifier",
    "Strategy",
    "Subject",
    "strategy",
    "subject_of",
    "values_in",
    "verifier_of",
]
