"""What a seat is worth: exact distributions, sampled play, best responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nip_core.values.abstraction import abstracted
from nip_core.values.audits import audit_frontier, with_counters
from nip_core.values.bounds import reward_bounds
from nip_core.values.card import Card, card, cards
from nip_core.values.card_lines import CARD_LINES
from nip_core.values.commitment import committed
from nip_core.values.distributions import ROUNDING, Distribution
from nip_core.values.endings import Endings, settled
from nip_core.values.evidence import Abstracted, Evidence
from nip_core.values.evidence_counts import EvidenceCounts, evidence_counts
from nip_core.values.exact import ExactValues, exact_values
from nip_core.values.exploitability import Exploitability, exploitability
from nip_core.values.features import right
from nip_core.values.frontier import Frontier, frontier
from nip_core.values.gambit import to_efg
from nip_core.values.game_tree import FiniteGame, check_one_prover, finite_game
from nip_core.values.games import (
    Commitment,
    Response,
    best_response,
    stackelberg,
    uniform_strategy,
    zero_sum_value,
)
from nip_core.values.given_play import PlayValues, play_values
from nip_core.values.intervals import (
    betting_mean,
    bootstrap_ends,
    clustered_error,
    clustered_wilson,
    student_quantile,
    wilson,
    wilson_at,
)
from nip_core.values.judged import Judged, judged
from nip_core.values.measured import MeasuredEvidence, MeasuredRate, measured_evidence
from nip_core.values.mechanisms import Mechanism, best_mechanism
from nip_core.values.midpoint import MidPoint, mid_point, mid_points, paid_by_verdict
from nip_core.values.opposed import opposed
from nip_core.values.outcomes import Outcomes, outcomes
from nip_core.values.play_models import (
    PlayModel,
    answers_heard,
    estimated_play,
    listening_play,
    random_play,
    simple_play,
    verifier_turns,
)
from nip_core.values.prediction import predicted_right
from nip_core.values.readings import CardLine, Reading
from nip_core.values.recorded import Heard, Kind, Rate, RecordedEvidence, heard, recorded_evidence
from nip_core.values.replies import best_reply
from nip_core.values.samples import Histogram, Sample
from nip_core.values.stopping import StoppingRule, optimal_stopping
from nip_core.values.structure import ValueTable, value_table
from nip_core.values.sweeps import Sweep, sweep
from nip_core.values.verdict_pay import VerdictPay, verdict_pay

if TYPE_CHECKING:
    from nip_core.values.sampling import rollouts as rollouts
    from nip_core.values.sampling import sample as sample

# Sampling needs tensors; all other functions import them as late as possible.
_SAMPLING = ("rollouts", "sample")

__all__ = [
    "CARD_LINES",
    "ROUNDING",
    "Abstracted",
    "Card",
    "CardLine",
    "Commitment",
    "Distribution",
    "Endings",
    "Evidence",
    "EvidenceCounts",
    "ExactValues",
    "Exploitability",
    "FiniteGame",
    "Frontier",
    "Heard",
    "Histogram",
    "Judged",
    "Kind",
    "MeasuredEvidence",
    "MeasuredRate",
    "Mechanism",
    "MidPoint",
    "Outcomes",
    "PlayModel",
    "PlayValues",
    "Rate",
    "Reading",
    "RecordedEvidence",
    "Response",
    "Sample",
    "StoppingRule",
    "Sweep",
    "ValueTable",
    "VerdictPay",
    "abstracted",
    "answers_heard",
    "audit_frontier",
    "best_mechanism",
    "best_reply",
    "best_response",
    "betting_mean",
    "bootstrap_ends",
    "card",
    "cards",
    "check_one_prover",
    "clustered_error",
    "clustered_wilson",
    "committed",
    "estimated_play",
    "evidence_counts",
    "exact_values",
    "exploitability",
    "finite_game",
    "frontier",
    "heard",
    "judged",
    "listening_play",
    "measured_evidence",
    "mid_point",
    "mid_points",
    "opposed",
    "optimal_stopping",
    "outcomes",
    "paid_by_verdict",
    "play_values",
    "predicted_right",
    "random_play",
    "recorded_evidence",
    "reward_bounds",
    "right",
    "rollouts",
    "sample",
    "settled",
    "simple_play",
    "stackelberg",
    "student_quantile",
    "sweep",
    "to_efg",
    "uniform_strategy",
    "value_table",
    "verdict_pay",
    "verifier_turns",
    "wilson",
    "wilson_at",
    "with_counters",
    "zero_sum_value",
]


def __getattr__(name: str) -> Any:
    if name not in _SAMPLING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nip_core.values import sampling

    return getattr(sampling, name)


def __dir__() -> list[str]:
    return __all__
