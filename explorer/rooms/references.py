"""Exact values that a measured false-acceptance rate stands beside."""

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
            "The bound of theory: a proof system is sound if no prover at all, however clever, "
            "gets more than this share of false statements accepted",
        ),
        Reference(
            "chance",
            _by_chance(condition.parameters),
            "A verifier who decides by chance alone, exactly",
        ),
    )


@lru_cache(maxsize=64)
def _by_chance(parameters: HyperParameters) -> float:
    handler = build_protocol_handler(parameters, ExperimentSettings())
    return exact_values(handler, random_play(handler.spec)).verdicts["accept"]
