"""A scripted verifier as records write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.players.base import Player
from explorer.players.scripted.verifiers.counting import CountingVerifier
from explorer.players.scripted.verifiers.strategies import CARE, STRATEGIES, USUAL_LEVEL
from explorer.players.scripted.verifiers.verifier import ScriptedVerifier

__all__ = ["verifier_of"]


def verifier_of(record: Mapping[str, Any], seed: int) -> Player:
    """The verifier that a seat's record means.

    Parameters
    ----------
    record : mapping
        It may come from an older program, which had one rule and did not name it; or a newer one,
        whose strategies are not known here.
    seed : int
        The episode's, for records without one.
    """
    strategy, level, own = record.get("strategy"), record.get("level"), record.get("seed")
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        return CountingVerifier(seed=seed)
    known = level if isinstance(level, str) and level in CARE else USUAL_LEVEL
    return ScriptedVerifier(strategy, known, own if type(own) is int else seed)
