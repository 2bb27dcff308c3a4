"""What a seat is worth: exact distributions, sampled play, best responses."""

from nip_core.values.endings import Distribution, Endings
from nip_core.values.exact import ExactValues, exact_values
from nip_core.values.models import (
    PlayModel,
    answers_heard,
    estimated_play,
    listening_play,
    random_play,
    simple_play,
    verifier_turns,
)
from nip_core.values.outcomes import Outcomes, outcomes

__all__ = [
    "Distribution",
    "Endings",
    "ExactValues",
    "Outcomes",
    "PlayModel",
    "answers_heard",
    "estimated_play",
    "exact_values",
    "listening_play",
    "outcomes",
    "random_play",
    "simple_play",
    "verifier_turns",
]
