"""Forge a conversation with a prover, and let a friend say which of two is real."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.lessons.games.three_colouring import COLOURING, EDGES, NODES

TITLE = "Forge a conversation"
FRONT = "touch_forgery"
ROUNDS = 3
ORDERS = 6  # of three colours


def right(rounds: int, *, shuffles: bool) -> Fraction:
    """Return how often the best friend names the real one of two conversations.

    Without shuffling, the first round determines the names of the colours; a random forgery fits
    each further round with probability 1/6.
    """
    advantage = Fraction(0) if shuffles else 1 - Fraction(1, ORDERS) ** (rounds - 1)
    return (1 + advantage) / 2


def data() -> dict[str, Any]:
    """Return the map, the prover's colours, and how often the best friend is right."""
    return {
        "nodes": NODES,
        "edges": [list(edge) for edge in EDGES],
        "colours": list(COLOURING),
        "right": {
            how: [
                float(right(rounds, shuffles=how == "shuffled")) for rounds in range(1, ROUNDS + 1)
            ]
            for how in ("shuffled", "kept")
        },
    }
