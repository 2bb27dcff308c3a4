"""By wit: how well a judge does if experts are honest, and if they reply as pays them best."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from explorer.pictures import Case, CaseMark, Chart, draw_cases, seat_styles
from explorer.rewards.seats import main_seat
from nip_core.displays import capitalized, displayed, with_minus
from nip_core.language import Specification
from nip_core.values import Card, Evidence, Reading, card

__all__ = ["COMPARED", "WITH_REPLIES", "ByWit", "by_wit", "wit_chart"]

# Seconds for a first card, and for a whole one.
QUICK, SECONDS = 1.5, 25.0
# The lines of a card with what is compared here, and those about honest play and best replies.
COMPARED = ("random", "honest", "one", "together")
WITH_REPLIES = (*COMPARED, "errors", "advantage", "equilibrium")
SCEPTICAL, TRUSTING, EITHER = "sceptical judge", "trusting judge", "either judge"
RIGHT = "verdict right"


def by_wit(
    spec: Specification,
    evidence: tuple[tuple[str, Any], ...],
    *,
    cancelled: threading.Event | None = None,
) -> Iterator[Card]:
    """Yield a protocol's card; lines that take long are missing at first."""
    assumed = Evidence(**dict(evidence))
    limits: dict[str, Any] = {"cancelled": cancelled, "keys": WITH_REPLIES}
    first = card(spec, assumed, seconds=QUICK, **limits)
    yield first
    if any(not _is_known(reading) for line in first.lines for reading in line.readings):
        yield card(spec, assumed, seconds=SECONDS, **limits)


def _is_known(reading: Reading) -> bool:
    """Return whether more time would tell no more about a number."""
    unfinished = reading.how == "interval" and reading.value is None
    return not unfinished and reading.how != "not computed"


@displayed
@dataclass(frozen=True)
class ByWit:
    """What a card says about honest play and best replies.

    Parameters
    ----------
    spec : Specification
    card : Card
    """

    spec: Specification
    card: Card

    @property
    def is_compared(self) -> bool:
        """Whether verdicts are right or wrong, so that their share is the measure."""
        return any(r.what == RIGHT for r in self.card["honest"].readings)

    @property
    def measure(self) -> str:
        """What is measured: how often the verdict is right, or what the judge is paid."""
        return RIGHT if self.is_compared else f"pay of {self.spec.seat_phrase(self.judge)}"

    @property
    def judge(self) -> str:
        """The seat that stands for the protocol."""
        return main_seat(self.spec)

    @property
    def judges_differ(self) -> bool:
        """Whether experts claim more than they show, so that a trusting judge does otherwise."""
        return any(r.judge == TRUSTING for line in self.card.lines for r in line.readings)

    @property
    def experts(self) -> list[str]:
        """The seats whose best replies are known, in the card's order."""
        whats = [reading.what for reading in self.card["one"].readings]
        named = {f"gain of {self.spec.seat_phrase(seat)}": seat for seat in self.spec.seat_names}
        return list(dict.fromkeys(named[what] for what in whats if what in named))

    def readings(self, key: str, what: str) -> dict[str, Reading]:
        """Return the numbers of a line, by judge; those without a number are left out."""
        return {
            reading.judge: reading
            for reading in self.card[key].readings
            if reading.what == what and reading.value is not None
        }

    @property
    def worst(self) -> Reading | None:
        """The measure if one expert replies best, for the sceptical judge and the worst expert."""
        found = [
            reading
            for seat in self.experts
            for judge, reading in self.readings("one", self._with_plan_of(seat)).items()
            if judge != TRUSTING
        ]
        return min(found, key=lambda reading: float(reading.value), default=None)

    def _with_plan_of(self, seat: str) -> str:
        return f"{self.measure} with another plan of {self.spec.seat_phrase(seat)}"

    def cases(self) -> list[Case]:
        """Return the rows of the picture."""
        named = self.spec.seat_phrase
        rows = [_case("Everybody plays at random", "", self.readings("random", self.measure))]
        honest = self.readings("honest", self.measure)
        if honest or self.is_compared:
            rows.append(_case("Experts show what they have", "honest play", honest))
        for seat in self.experts:
            gains = self.readings("one", f"gain of {named(seat)}")
            found = self.readings("one", self._with_plan_of(seat))
            name = f"{capitalized(named(seat))} replies best"
            rows.append(_case(name, _gains(gains), found))
        together = self.readings("together", f"{self.measure} with another plan of all")
        if together:
            gains = self.readings("together", "gain of all together")
            rows.append(_case("All experts reply best together", _gains(gains), together))
        return [row for row in rows if row.marks]

    @property
    def missing(self) -> list[str]:
        """Why lines have no number, or only bounds; a protocol may have no such number at all."""
        keys = ("honest", "one", "together")
        found = [
            (line.title, r) for key in keys for line in (self.card[key],) for r in line.readings
        ]
        told = [
            f"{title}: {capitalized(r.what)} is {r.said}."
            if r.how == "interval"
            else f"{title}: {r.said}."
            for title, r in found
            if not _is_known(r) or (r.how == "none" and len(self.cases()) < 2)
        ]
        return list(dict.fromkeys(told))


def _case(name: str, note: str, found: Mapping[str, Reading]) -> Case:
    marks: list[CaseMark] = []
    for judge, reading in found.items():
        ends = (reading.low, reading.high)
        interval = None if None in ends else (float(ends[0]), float(ends[1]))
        kind = "ring" if judge == TRUSTING else "dot"
        marks.append(CaseMark(kind, float(reading.value), interval))
    return Case(name, note, tuple(marks))


def _gains(found: Mapping[str, Reading]) -> str:
    """Return what a seat gains, for the sceptical judge and the trusting one."""
    said = [with_minus(f"{float(reading.value):.2f}") for reading in found.values()]
    if not said or {*said} == {"0.00"}:
        return "gains nothing" if said else ""
    return f"gains {' or '.join(dict.fromkeys(said))}"


def wit_chart(found: ByWit) -> Chart:
    """Return the picture."""
    look = seat_styles(found.spec)[found.judge]
    cases = found.cases()
    kinds = {mark.kind for case in cases for mark in case.marks}
    keys: list[tuple[Literal["dot", "ring"], str]] = [
        ("dot", "a judge who counts shown evidence only")
    ]
    if "ring" in kinds:
        keys.append(("ring", "a judge who trusts what experts claim"))
    title = (
        "How often the verdict is right"
        if found.is_compared
        else (f"What {found.spec.seat_phrase(found.judge)} is paid")
    )
    return draw_cases(title, cases, look, keys, percent=found.is_compared)
