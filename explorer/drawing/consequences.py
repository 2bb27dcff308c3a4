"""What follows from a protocol: what seats earn by chance, and remarks; in a process of its own."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from nip_core.budget import Budget
from nip_core.errors import NipError, StoppedError, TooLargeError, UnsupportedError
from nip_core.language import Specification, Wording
from nip_core.spec import Remark
from nip_core.values import PlayValues, play_values

__all__ = ["consequences"]

# Seconds: of the first values, of the remarks, and of better values.
FIRST, REMARKS, MORE = 0.1, 0.5, 5.0
LONGEST_FRACTION = 9  # characters
MOST_REMARKS = 40
# What is only not finished yet, which is said quietly.
UNFINISHED = ("seat-never-acts", "channel-unused", "choice-never-made", "part-unseen")
_PLACE = re.compile(r"(seat|part|channel|choice|value) '(.+?)'|pay (\d+)|stage '(.+?)'")


def consequences(
    text: str, longer: bool, *, cancelled: threading.Event | None = None
) -> Iterator[dict[str, Any]]:
    """Yield what follows from a protocol, first what is there at once.

    Parameters
    ----------
    text : str
        Its document, as JSON.
    longer : bool
        Whether values may take some seconds.
    cancelled : threading.Event
        Ends it: another edit was made.
    """
    spec = Specification.from_json(text)
    found: dict[str, Any] = {"values": _values(spec, MORE if longer else FIRST, cancelled)}
    yield found
    yield found | {"remarks": _remarks(spec, cancelled)}


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
    about = _about(spec, remark.place)
    return {
        "code": remark.code,
        "tone": remark.tone,
        "unfinished": remark.code in UNFINISHED,
        "place": said.place,
        "message": said.message,
        "remedy": said.remedy.replace("`", ""),
        "about": about,
        "fixes": [*_fixes(spec, remark, about)],
    }


def _about(spec: Specification, place: str) -> dict[str, Any]:
    """Return what a remark is about: a kind and a name, or a number."""
    found = _PLACE.match(place)
    if found is None:
        return {}
    kind, name, number, stage = found.groups()
    if kind:
        return {"kind": kind, "name": name}
    if number:
        return {"kind": "pay", "number": int(number) - 1}
    return {"kind": "stage", "stage": spec.stage_index.get(stage, 0)}


def _fixes(spec: Specification, remark: Remark, about: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield repairs: words for a button, a gesture, and its arguments."""
    kind = about.get("kind")
    if remark.code == "choice-never-made":
        stage = len(spec.stages) - 1
        turn = len(spec.stages[stage].turns) - 1
        where = {"choice": about["name"], "stage": stage, "turn": turn}
        yield ["Choose it in the last turn", "choose", where]
    if remark.code in UNFINISHED and kind:
        yield ["Remove it", "remove", {"kind": kind, "name": about["name"]}]
    if kind == "pay" and remark.code.startswith("pay-"):
        yield ["Remove it", "remove_rule", {"kind": "pay", "number": about["number"]}]
