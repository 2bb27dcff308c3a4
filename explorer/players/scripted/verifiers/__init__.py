"""Scripted verifiers, which ask questions and decide by one of several strategies."""

from __future__ import annotations

from explorer.lazy import exported
from explorer.players.scripted.verifiers.claims import HeardClaim, canonical, values_in
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

__all__, __getattr__, __dir__ = exported(__name__)
