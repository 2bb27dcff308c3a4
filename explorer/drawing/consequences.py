"""What follows from a protocol: what seats earn, best replies, remarks; in a process of its own.

Every number belongs to a model: play by chance, a best reply to it, or the usual evidence model.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from explorer.drawing.fixes import UNFINISHED, about_what, fixes_of
from explorer.rewards import ByWit
from nip_core.budget import Budget
from nip_core.errors import NipError, StoppedError, TooLargeError, UnsupportedError
from nip_core.language import Specification, Wording
from nip_core.spec import Remark
from nip_core.values import Card, Evidence, PlayValues, Reading, best_reply, card, play_values

__all__ = ["consequences"]

# Seconds: of the first values, of the remarks, of better values, of one best reply, of the card.
FIRST, REMARKS, MORE, REPLY, CARD = 0.1, 0.5, 5.0, 1.0, 6.0
# Seats whose best replies are looked for.
MOST_REPLIES = 8
# What is compared under the evidence model: honest play, and one expert who replies best.
LINES = ("honest", "one")
TRUSTING = "trusting judge"
LONGEST_FRACTION = 9  # characters
MOST_REMARKS = 40


def consequences(
    text: str, longer: bool, *, cancelled: threading.Event | None = None
) -> Iterator[dict[str, Any]]:
    """Yield what follows from a protocol, first what is there at once.

    Parameters
    ----------
    text : str
        Its document, as JSON.
    longer : bool
        Whether to find what may take some seconds: better values, best replies, evidence.
    cancelled : threading.Event
        Ends it: another edit was made.
    """
    spec = Specification.from_json(text)
    found: dict[str, Any] = {"values": _values(spec, MORE if longer else FIRST, cancelled)}
    yield found
    if not longer:
        yield found | {"remarks": _remarks(spec, cancelled)}
        return
    found |= {"replies": _replies(spec, cancelled)}
    yield found
    yield found | {"evidence": _evidence(spec, cancelled)}


def _values(
    spec: Specification, seconds: float, cancelled: threading.Event | None
) -> dict[str, Any] | None:
    """Return what seats earn, as plain data; None if nothing is known."""
    try:
        values = play_values(spec, seconds=seconds, cancelled=cancelled)
    except (UnsupportedError, TooLargeError, StoppedError):
        return None
    return {
        "exact": values.exact,
        "method": values.method,
        "turns": _number(values.turns),
        "seats": {seat: _mean(values, seat) for seat in spec.seat_names},
    }


def _mean(values: PlayValues, seat: str) -> dict[str, Any]:
    mean = values.means[seat]
    low, high = values.interval(seat)
    fraction = str(mean) if isinstance(mean, Fraction) and mean.denominator > 1 else ""
    return {
        "mean": _number(mean),
        "low": _number(low),
        "high": _number(high),
        "fraction": fraction if len(fraction) <= LONGEST_FRACTION else "",
    }


def _number(value: Any) -> float | None:
    # Unknown means are no numbers, which JSON does not have.
    number = float(value)
    return number if number == number and abs(number) < float("inf") else None


def _replies(spec: Specification, cancelled: threading.Event | None) -> dict[str, Any]:
    """Return for each seat what its best reply earns if all others choose at random."""
    found: dict[str, Any] = {}
    for seat in spec.seat_names[:MOST_REPLIES]:
        try:
            reply = best_reply(spec, seat, seconds=REPLY, cancelled=cancelled)
        except NipError:
            continue
        if reply.low is not None and reply.high is not None:
            ends = {"low": _number(reply.low), "high": _number(reply.high)}
            found[seat] = {"exact": reply.exact, **ends}
    return found


def _evidence(spec: Specification, cancelled: threading.Event | None) -> dict[str, Any]:
    """Return what holds under the usual evidence model: honest play, and best replies to it."""
    usual = Evidence()
    found = card(spec, usual, seconds=CARD, cancelled=cancelled, keys=LINES)
    wit = ByWit(spec, found)
    return {
        "model": {name: float(getattr(usual, name)) for name in ("shows", "fakes", "own")},
        "honest": [_reading(r, wit) for r in found["honest"].readings if r.has_value],
        "replies": [*_gains(found, wit)],
        "reason": next((r.said for r in found["honest"].readings if not r.has_value), ""),
    }


def _reading(reading: Reading, wit: ByWit) -> dict[str, Any]:
    value = reading.value
    return {
        "what": reading.what,
        "judge": reading.judge if wit.judges_differ else "",
        "percent": reading.what.startswith("verdict right"),
        "low": _number(reading.low if value is None else value),
        "high": _number(reading.high if value is None else value),
        "exact": reading.how == "exact",
    }


def _gains(found: Card, wit: ByWit) -> Iterator[dict[str, Any]]:
    """Yield for each expert what its best reply gains, and what comes of it for the judge."""
    for seat in wit.experts:
        named = wit.spec.seat_phrase(seat)
        own = [r for r in found["one"].readings if r.judge != TRUSTING and r.has_value]
        gain = next((r for r in own if r.what == f"gain of {named}"), None)
        then = next((r for r in own if r.what.endswith(f"with another plan of {named}")), None)
        if gain is not None:
            yield {
                "seat": seat,
                "gain": _reading(gain, wit),
                "then": None if then is None else _reading(then, wit),
            }


def _remarks(spec: Specification, cancelled: threading.Event | None) -> list[dict[str, Any]]:
    try:
        with Budget(seconds=REMARKS, cancelled=cancelled):
            remarks = spec.lint()
    except NipError:
        return []
    words = Wording(spec)
    return [_remark(spec, words, remark) for remark in remarks[:MOST_REMARKS]]


def _remark(spec: Specification, words: Wording, remark: Remark) -> dict[str, Any]:
    said = words.remark(remark)
    about = about_what(spec, remark.place)
    return {
        "code": remark.code,
        "tone": remark.tone,
        "unfinished": remark.code in UNFINISHED,
        "place": said.place,
        "message": said.message,
        "remedy": said.remedy.replace("`", ""),
        "about": about,
        "fixes": [*fixes_of(spec, remark, about)],
    }
