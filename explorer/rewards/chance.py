"""By chance: what each seat is paid if everybody plays at random, and its mid-point estimate."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nip_core.budget import Budget
from nip_core.displays import displayed, join_names, with_minus
from nip_core.errors import TooLargeError
from nip_core.language import Specification
from nip_core.parameters import HyperParameters
from nip_core.values import VerdictPay, plain_values, verdict_pay

if TYPE_CHECKING:
    from nip_core.values import PlainValues, PlayValues

__all__ = [
    "MID_POINT",
    "ByChance",
    "SeatPay",
    "at_once_by_chance",
    "by_chance",
    "quickly_by_chance",
    "with_similarity",
]

# The steps that a page takes itself, some hundredths of a second: most protocols need no more, and
# their picture comes with the page.
AT_ONCE = 50_000
# Seconds, steps and plays until the page has a first answer; exact values may then take longer.
QUICK, QUICK_STEPS, QUICK_PLAYS = 0.4, 20_000, 2_000
SECONDS = 10.0
# The longest fraction that is shown, in characters.
LONGEST = 9
MID_POINT = (
    "The mid-point lies half-way between what a seat is paid for the verdict that it wants and for "
    "any other one."
)


@displayed
@dataclass(frozen=True, slots=True)
class SeatPay:
    """What a seat is paid if everybody plays at random.

    Parameters
    ----------
    seat : str
    mean, deviation : float
    low, high : float
        An interval for the mean, with a level of 95 %; the mean itself if it is exact.
    fraction : str
        The mean as a fraction, if it is exact and short.
    mid_point : float, optional
    why : str
        Why the mid-point and the mean differ or agree, or why there is no mid-point, as a clause
        about the seat.
    values, chances : tuple of float
        The amounts that it may be paid in a play, and how likely each is.
    """

    seat: str
    mean: float
    deviation: float
    low: float
    high: float
    fraction: str
    mid_point: float | None
    why: str
    values: tuple[float, ...]
    chances: tuple[float, ...]

    @property
    def differs(self) -> bool:
        """Whether its mid-point is not its mean, as far as that is known."""
        return (
            self.mid_point is not None and not self.low - 1e-9 <= self.mid_point <= self.high + 1e-9
        )


@displayed
@dataclass(frozen=True, slots=True)
class ByChance:
    """A protocol's values if everybody plays at random.

    Parameters
    ----------
    digest : str
        The digest of its document.
    plays : int
        The number of sampled plays; 0 if everything was computed.
    is_exact : bool
        Whether nothing was sampled.
    seats : tuple of SeatPay
    verdicts : tuple of (option, float)
        How likely each verdict is; None for no verdict.
    open_chance : float
        How likely a play ends without a verdict.
    right : float, optional
        How likely the verdict is the truth.
    turns : float
        The mean number of turns.
    """

    digest: str
    plays: int
    is_exact: bool
    seats: tuple[SeatPay, ...]
    verdicts: tuple[tuple[Any, float], ...]
    open_chance: float
    right: float | None
    turns: float

    def of(self, seat: str) -> SeatPay:
        """Return what a seat is paid."""
        return next(own for own in self.seats if own.seat == seat)

    @property
    def reasons(self) -> list[tuple[tuple[str, ...], str]]:
        """Why mid-points and means differ or agree: the seats for which it is so, and why."""
        groups: dict[str, list[str]] = {}
        for own in self.seats:
            if own.why:
                groups.setdefault(own.why, []).append(own.seat)
        return [(tuple(seats), why) for why, seats in groups.items()]

    @property
    def how(self) -> str:
        """How it was computed, as a sentence."""
        if self.is_exact:
            return "Exact: all plays were counted, none was sampled."
        if self.plays:
            return f"Sampled: from {self.plays:,} plays, with intervals of 95%."
        return "Too large to sample in time: only the bounds that the rules set are known."


@lru_cache(64)
def at_once_by_chance(spec: Specification, most: int = AT_ONCE) -> ByChance | None:
    """Return the exact values if they take at most so many steps, without numpy; else None."""
    try:
        with Budget(most):
            return _seen(plain_values(spec))
    except TooLargeError:
        return None


def quickly_by_chance(
    spec: Specification, *, cancelled: threading.Event | None = None
) -> Iterator[ByChance]:
    """Yield the values, exact if that is quick, else from a few plays."""
    # Imported here, as below, since browsers lack numpy.
    from nip_core.values import play_values

    limits: dict[str, Any] = {"most": QUICK_STEPS, "plays": QUICK_PLAYS, "seconds": QUICK}
    yield _seen(play_values(spec, cancelled=cancelled, **limits))


def by_chance(
    spec: Specification, *, cancelled: threading.Event | None = None
) -> Iterator[ByChance]:
    """Yield the values, exact unless that takes many seconds."""
    from nip_core.values import play_values

    yield _seen(play_values(spec, cancelled=cancelled, seconds=SECONDS))


def with_similarity(
    spec: Specification, protocol: HyperParameters, *, cancelled: threading.Event | None = None
) -> Iterator[ByChance]:
    """Yield the values of a zero-knowledge variant, of which `spec` lacks the pay for similarity.

    Amounts of similarity are the middles of small intervals.
    """
    from nip_core.values import exact_values, random_play

    found = exact_values(protocol, random_play(protocol))
    known, seats = verdict_pay(spec), list[SeatPay]()
    for seat in found.spec.seat_names:
        law, mean, pay = found.distribution(seat), found.mean(seat), known.get(seat)
        middles = ((law.edges[:-1] + law.edges[1:]) / 2).tolist()
        pairs = [*zip(middles, law.masses, strict=True)]
        pairs += zip(law.values, law.probabilities, strict=True)
        pairs.sort()
        values, chances = (tuple(float(pair[n]) for pair in pairs) for n in (0, 1))
        deviation = max(0.0, found.variance(seat)) ** 0.5
        mid_point = None if pay is None else float(pay.mid_point)
        why = "no mid-point, since pay depends on how similar messages are" if pay is None else ""
        interval = (mean, mean)
        seats.append(SeatPay(seat, mean, deviation, *interval, "", mid_point, why, values, chances))
    verdicts = tuple((None if v == "none" else v, c) for v, c in found.verdicts.items())
    turns = sum((number + 1) * float(chance) for number, chance in enumerate(found.rounds))
    open_ = found.verdicts["none"]
    yield ByChance(spec.digest, 0, True, tuple(seats), verdicts, open_, found.right, turns)


def _seen(values: PlayValues | PlainValues) -> ByChance:
    spec, known = values.spec, verdict_pay(values.spec)
    seats: list[SeatPay] = []
    for seat, mean in values.means.items():
        low, high = values.interval(seat)
        pay, law = known.get(seat), values.pay.get(seat)
        seats.append(
            SeatPay(
                seat,
                float(mean),
                max(0.0, float(values.variances[seat])) ** 0.5,
                float(low),
                float(high),
                _fraction(mean),
                None if pay is None else float(pay.mid_point),
                _no_mid_point(spec, seat) if pay is None else _why(values, seat, pay),
                () if law is None else tuple(map(float, law.values)),
                () if law is None else tuple(map(float, law.probabilities)),
            )
        )
    verdicts = tuple((verdict, float(chance)) for verdict, chance in values.verdicts.items())
    right = None if values.right is None else float(values.right)
    is_exact = values.exact
    plays, turns = values.plays, float(values.turns)
    open_ = float(_open_chance(values))
    return ByChance(spec.digest, plays, is_exact, tuple(seats), verdicts, open_, right, turns)


def _fraction(mean: Any) -> str:
    if not isinstance(mean, Fraction) or mean.denominator == 1:
        return ""
    text = with_minus(str(mean))
    return text if len(text) <= LONGEST else ""


# -- why the mid-point and the mean differ -----------------------------------------------------


def _no_mid_point(spec: Specification, seat: str) -> str:
    if not any(to == seat for pay in spec.pay for to, _ in pay.to):
        return ""
    if spec.verdict == "none" or (spec.roles.truth is None and seat not in spec.roles.sides):
        return "no mid-point, since for it no verdict is right or wrong"
    return "no mid-point, since pay depends on more than whether the verdict is right"


def _why(values: PlayValues | PlainValues, seat: str, pay: VerdictPay) -> str:
    """Return why a seat's mean is not the mid-point between a right and a wrong verdict.

    With the pay R (right), W (wrong) and T (no verdict), the chance n of no verdict and r of a
    right one, the mean is n T + r R + (1 - n - r) W plus what is paid during play. So it differs
    from the mid-point by n (T - (R + W)/2), by (r - (1 - n)/2) (R - W), and by that pay.
    """
    low, high = values.interval(seat)
    if not values.exact and low <= pay.mid_point <= high:
        return "the sample cannot tell the mid-point and the mean apart"
    mean, mid = values.means[seat], pay.mid_point
    none = _open_chance(values)
    paid_none = pay.none if pay.none is not None else mid
    right = _chance_of_right(values, seat, pay, none)
    if right is None:
        return "more is paid during play, which the mid-point ignores"
    silent, bias = none * (paid_none - mid), (right - (1 - none) / 2) * (pay.right - pay.wrong)
    rest = mean - mid - silent - bias
    parts: list[str] = []
    if _matters(silent):
        like = {pay.right: "right", pay.wrong: "wrong"}.get(paid_none)
        as_what = f"count as {like}" if like else f"pay {_signed(paid_none)}"
        parts.append(f"{float(none):.1%} of plays end without a verdict and {as_what}")
    if _matters(bias):
        share = float(right / (1 - none))
        wants = "right" if pay.side is None else "for its side"
        parts.append(f"{share:.1%} of verdicts are {wants}, not half of them")
    if _matters(rest) and pay.only is False:
        parts.append(f"{_signed(rest)} is paid during play")
    if not parts:
        wanted = "right" if pay.side is None else "for its side"
        return f"the two agree, since half of all verdicts are {wanted}"
    off = float(mid - mean)
    if abs(off) < 1e-12:
        return f"the two agree by accident: {join_names(parts)}"
    way = "high" if off > 0 else "low"
    return f"the mid-point is {abs(off):.2g} too {way}, since {join_names(parts)}"


def _open_chance(values: PlayValues | PlainValues) -> Any:
    """Return how likely a play ends without one of the answers as its verdict."""
    answers = values.spec.roles.answers
    found = values.verdicts.items()
    return sum((c for v, c in found if v is None or (answers and v not in answers)), Fraction(0))


def _chance_of_right(
    values: PlayValues | PlainValues, seat: str, pay: VerdictPay, none: Any
) -> Any:
    """Return how likely the verdict is what a seat wants; None if that is not known."""
    if pay.side is None:
        return values.right
    if pay.side.option is not None:
        return values.verdicts.get(pay.side.option, Fraction(0))
    if not pay.only:
        return None
    silent = none * (pay.none or 0)
    return (values.means[seat] - silent - (1 - none) * pay.wrong) / (pay.right - pay.wrong)


def _matters(part: Any) -> bool:
    return abs(float(part)) > 1e-12


def _signed(number: Any) -> str:
    return with_minus(f"{float(number):+.2g}")
