"""What a protocol is worth: given play, best replies, opposed sides, commitments, and cards."""

from __future__ import annotations

from nip_core.values.abstraction import abstracted
from nip_core.values.audits import AuditFrontier, Watch, audit_frontier, with_counters
from nip_core.values.card import Card, card, cards
from nip_core.values.card_lines import CARD_LINES
from nip_core.values.commitment import Committed, committed
from nip_core.values.distributions import Distribution
from nip_core.values.efg import ExtensiveGame, to_efg
from nip_core.values.endings import Endings
from nip_core.values.evidence import Abstracted, Evidence
from nip_core.values.evidence_counts import EvidenceCounts, evidence_counts
from nip_core.values.exact import ExactValues, exact_values
from nip_core.values.features import right
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
from nip_core.values.measured import MeasuredEvidence, MeasuredRate, measured_evidence
from nip_core.values.mechanisms import Mechanism, best_mechanism
from nip_core.values.opposed import Opposed, opposed
from nip_core.values.plans import Mixture, Plan
from nip_core.values.play_models import PlayModel, random_play, simple_play, verifier_turns
from nip_core.values.prediction import predicted_right
from nip_core.values.readings import CardLine, Reading
from nip_core.values.recorded import Heard, Kind, Rate, RecordedEvidence, heard, recorded_evidence
from nip_core.values.replies import Reply, best_reply
from nip_core.values.sequences import MixedPlan
from nip_core.values.verdict_pay import VerdictPay, verdict_pay

__all__ = [
    "CARD_LINES",
    "Abstracted",
    "AuditFrontier",
    "Card",
    "CardLine",
    "Committed",
    "Distribution",
    "Endings",
    "Evidence",
    "EvidenceCounts",
    "ExactValues",
    "ExtensiveGame",
    "Heard",
    "Kind",
    "MeasuredEvidence",
    "MeasuredRate",
    "Mechanism",
    "MixedPlan",
    "Mixture",
    "Opposed",
    "Plan",
    "PlayModel",
    "PlayValues",
    "Rate",
    "Reading",
    "RecordedEvidence",
    "Reply",
    "VerdictPay",
    "Watch",
    "abstracted",
    "audit_frontier",
    "best_mechanism",
    "best_reply",
    "betting_mean",
    "bootstrap_ends",
    "card",
    "cards",
    "clustered_error",
    "clustered_wilson",
    "committed",
    "evidence_counts",
    "exact_values",
    "heard",
    "measured_evidence",
    "opposed",
    "play_values",
    "predicted_right",
    "random_play",
    "recorded_evidence",
    "right",
    "simple_play",
    "student_quantile",
    "to_efg",
    "verdict_pay",
    "verifier_turns",
    "wilson",
    "wilson_at",
    "with_counters",
]


def __dir__() -> list[str]:
    return __all__
