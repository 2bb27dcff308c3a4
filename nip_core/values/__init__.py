"""What a protocol is worth: given play, best replies, opposed sides, commitments, and cards.

A module is imported when one of its names is first used, since many need numpy, which browsers
lack, or scipy, which is slow to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported
from nip_core.values.verdict_pay import (
    VerdictPay as VerdictPay,
)
from nip_core.values.verdict_pay import (
    verdict_pay as verdict_pay,
)

if TYPE_CHECKING:
    from nip_core.values.abstraction import abstracted as abstracted
    from nip_core.values.audits import (
        AuditFrontier as AuditFrontier,
    )
    from nip_core.values.audits import (
        Watch as Watch,
    )
    from nip_core.values.audits import (
        audit_frontier as audit_frontier,
    )
    from nip_core.values.audits import (
        with_counters as with_counters,
    )
    from nip_core.values.card_lines import CARD_LINES as CARD_LINES
    from nip_core.values.commitment import (
        Committed as Committed,
    )
    from nip_core.values.commitment import (
        committed as committed,
    )
    from nip_core.values.counting import (
        EvidenceCounts as EvidenceCounts,
    )
    from nip_core.values.counting import (
        evidence_counts as evidence_counts,
    )
    from nip_core.values.distributions import Distribution as Distribution
    from nip_core.values.efg import (
        ExtensiveGame as ExtensiveGame,
    )
    from nip_core.values.efg import (
        to_efg as to_efg,
    )
    from nip_core.values.endings import Endings as Endings
    from nip_core.values.evidence import (
        Abstracted as Abstracted,
    )
    from nip_core.values.evidence import (
        Evidence as Evidence,
    )
    from nip_core.values.exact import (
        ExactValues as ExactValues,
    )
    from nip_core.values.exact import (
        exact_values as exact_values,
    )
    from nip_core.values.features import right as right
    from nip_core.values.given_play import (
        PlayValues as PlayValues,
    )
    from nip_core.values.given_play import (
        play_values as play_values,
    )
    from nip_core.values.intervals import (
        betting_mean as betting_mean,
    )
    from nip_core.values.intervals import (
        bootstrap_ends as bootstrap_ends,
    )
    from nip_core.values.intervals import (
        clustered_error as clustered_error,
    )
    from nip_core.values.intervals import (
        clustered_wilson as clustered_wilson,
    )
    from nip_core.values.intervals import (
        student_quantile as student_quantile,
    )
    from nip_core.values.intervals import (
        wilson as wilson,
    )
    from nip_core.values.intervals import (
        wilson_at as wilson_at,
    )
    from nip_core.values.measured import (
        MeasuredEvidence as MeasuredEvidence,
    )
    from nip_core.values.measured import (
        MeasuredRate as MeasuredRate,
    )
    from nip_core.values.measured import (
        measured_evidence as measured_evidence,
    )
    from nip_core.values.mechanisms import (
        Mechanism as Mechanism,
    )
    from nip_core.values.mechanisms import (
        best_mechanism as best_mechanism,
    )
    from nip_core.values.opposing import (
        Opposed as Opposed,
    )
    from nip_core.values.opposing import (
        opposed as opposed,
    )
    from nip_core.values.plain_play import (
        PlainValues as PlainValues,
    )
    from nip_core.values.plain_play import (
        plain_values as plain_values,
    )
    from nip_core.values.plans import (
        Mixture as Mixture,
    )
    from nip_core.values.plans import (
        Plan as Plan,
    )
    from nip_core.values.play_models import (
        PlayModel as PlayModel,
    )
    from nip_core.values.play_models import (
        random_play as random_play,
    )
    from nip_core.values.play_models import (
        simple_play as simple_play,
    )
    from nip_core.values.play_models import (
        verifier_turns as verifier_turns,
    )
    from nip_core.values.prediction import predicted_right as predicted_right
    from nip_core.values.protocol_card import (
        Card as Card,
    )
    from nip_core.values.protocol_card import (
        best_pay as best_pay,
    )
    from nip_core.values.protocol_card import (
        card as card,
    )
    from nip_core.values.protocol_card import (
        cards as cards,
    )
    from nip_core.values.readings import (
        CardLine as CardLine,
    )
    from nip_core.values.readings import (
        Reading as Reading,
    )
    from nip_core.values.recorded import (
        Heard as Heard,
    )
    from nip_core.values.recorded import (
        Kind as Kind,
    )
    from nip_core.values.recorded import (
        Rate as Rate,
    )
    from nip_core.values.recorded import (
        RecordedEvidence as RecordedEvidence,
    )
    from nip_core.values.recorded import (
        heard as heard,
    )
    from nip_core.values.recorded import (
        recorded_evidence as recorded_evidence,
    )
    from nip_core.values.replies import (
        Reply as Reply,
    )
    from nip_core.values.replies import (
        best_reply as best_reply,
    )
    from nip_core.values.seated import SeatedPlan as SeatedPlan
    from nip_core.values.sequences import MixedPlan as MixedPlan

__all__, __getattr__, __dir__ = exported(__name__)
