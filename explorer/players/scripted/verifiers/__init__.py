"""Scripted verifiers, which ask questions and decide by one of several strategies."""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.players.scripted.verifiers.claims import (
    HeardClaim as HeardClaim,
    canonical as canonical,
    values_in as values_in,
)
from explorer.players.scripted.verifiers.budgets import (
    DEFAULT_STRATEGY as DEFAULT_STRATEGY,
    STRATEGIES as STRATEGIES,
    Strategy as Strategy,
    strategy as strategy,
)
from explorer.players.scripted.verifiers.subject import Subject as Subject
from explorer.players.scripted.verifiers.verifier import (
    ScriptedVerifier as ScriptedVerifier,
    subject_of as subject_of,
    verifier_of as verifier_of,
)

__all__, __getattr__, __dir__ = exported(__name__)
