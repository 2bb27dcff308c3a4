"""What measured evidence predicts: how often a judge is right if experts show what they have."""

from __future__ import annotations

from fractions import Fraction

from nip_core.budget import Budget
from nip_core.errors import StoppedError
from nip_core.language import Specification
from nip_core.values.abstraction import abstracted
from nip_core.values.checks import checked, checked_positive, instance, optional
from nip_core.values.evidence import Evidence
from nip_core.values.features import amount_of
from nip_core.values.honesty import Honesty, Limits, NotComputedError
from nip_core.values.measured import MeasuredEvidence
from nip_core.values.readings import Reading
from nip_core.values.solving import why

__all__ = ["predicted_right"]

WHAT, JUDGE = "verdict right", "sceptical judge"


@checked(
    document=instance(Specification, "a Specification"),
    measured=instance(MeasuredEvidence, "a MeasuredEvidence"),
    seconds=optional(checked_positive),
)
def predicted_right(
    document: Specification, measured: MeasuredEvidence, *, seconds: float | None = None
) -> Reading:
    """Return how often the verdict should be right in a protocol, by measured evidence.

    It is the number of the card's second line (:func:`nip_core.values.card`) for a sceptical judge.
    The value is that of the measured rates; `low` and `high` are the least and the greatest with
    every rate at one end of its interval. So all intervals together must hold, and the level is 1
    minus the sum of their chances to fail. Whether quotes or flags were measured at all is said by
    the measured evidence.

    Parameters
    ----------
    document : Specification
    measured : MeasuredEvidence
    seconds : float, optional
        The time that it may take.
    """
    game = abstracted(document, measured.evidence)
    missing = [rate for rate in (measured.shows, measured.fakes) if not rate.is_measured]
    if game.reason or game.unsaid:
        return Reading(WHAT, JUDGE, how="none", reason=game.reason or game.unsaid)
    if game.kind == "word":
        reason = "a judge's word is taken for the truth, so it is always right"
        return Reading(WHAT, JUDGE, how="none", reason=reason)
    if not game.compared:
        return Reading(WHAT, JUDGE, how="none", reason="no verdict that can be right or wrong")
    if missing:
        reason = f"{missing[0].name} is not measured ({missing[0].reason})"
        return Reading(WHAT, JUDGE, how="not computed", reason=reason)
    try:
        with Budget(seconds=seconds):
            value = _right(document, measured.evidence)
            ends = [_right(document, corner) for corner in measured.corners]
    except NotComputedError as error:
        return Reading(WHAT, JUDGE, how="not computed", reason=str(error))
    except StoppedError as error:
        return Reading(WHAT, JUDGE, how="not computed", reason=why(error))
    sure = sum(1 - rate.level for rate in measured.rates if rate.is_measured)
    level = max(0.0, 1 - sure)
    return Reading(WHAT, JUDGE, value, min(*ends, value), max(*ends, value), "interval", level)


def _right(document: Specification, evidence: Evidence) -> Fraction:
    play = Honesty(abstracted(document, evidence), trusting=False, limits=Limits())
    return amount_of(play.bad, play.verdicts)
