"""Exact values that a measured false-acceptance rate stands beside.

None of them is the most that any prover could get accepted at such tables. What people may write,
and how others read it, is no finite game, so that there is no such number to be worked out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from explorer.rooms.plan import Condition
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.registry import build_protocol_handler
from nip_core.values import exact_values, random_play

__all__ = ["Reference", "references"]

# The definition of an interactive proof: whatever the provers do, a false statement is accepted
# with at most this chance.
SOUND = 1 / 3


@dataclass(frozen=True, slots=True)
class Reference:
    """A rate to compare with.

    Parameters
    ----------
    kind : str
    rate : float
    says : str
        What it is, in a clause.
    """

    kind: str
    rate: float
    says: str


def references(condition: Condition) -> tuple[Reference, ...]:
    """What a condition's rate is compared with."""
    return (
        Reference(
            "theory",
            SOUND,
            "What theory asks of a sound proof system: no prover at all, however clever, gets more "
            "than this share of false statements accepted",
        ),
        Reference(
            "chance",
            _by_chance(condition.parameters),
            "Exactly what a verifier accepts who decides by chance alone",
        ),
    )


@lru_cache(maxsize=64)
def _by_chance(parameters: HyperParameters) -> float:
    handler = build_protocol_handler(parameters, ExperimentSettings())
    return exact_values(handler, random_play(handler.spec)).verdicts["accept"]
