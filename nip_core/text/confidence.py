"""The confidence that a language model states in its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nip_core.text.answers import (
    AMOUNT,
    SURE_HEADING,
    SURE_LABEL,
    lines_of,
    small_document,
    verdict_on,
)
from nip_core.text.plain import Place, Plain, stripped

__all__ = ["confidences_in", "read_confidence"]

_DOCUMENT_SURE = re.compile(r'(?i)"(?:confidence|certainty)"\s*:\s*(?:"[^"\n]*"|[^",}\n]*)')
_SURE = re.compile(rf"(?ai)(?<![\w.]){AMOUNT}\s*(?:sure|confident|certain|confidence|certainty)\b")


def read_confidence(text: str) -> int | None:
    """Return the stated confidence in a verdict in percent; None if it is unclear.

    It does not affect the verdict, which counts without it or with an unreadable one.
    """
    found = {amount for amount, _ in confidences_in(text)}
    return found.pop() if len(found) == 1 else None


def confidences_in(text: str) -> Iterator[tuple[int | None, Place]]:
    """Yield each confidence in a text, in percent (None if unclear), with its position."""
    plain = Plain.of(text)
    for amount, place in _confidences(plain.text):
        yield amount, plain.original(*place)


def _confidences(text: str) -> Iterator[tuple[int | None, Place]]:
    for key, value in small_document(text).items():
        if key.lower() in ("confidence", "certainty"):
            amount = re.fullmatch(rf"(?ai)\s*{AMOUNT}\s*", str(value))
            place = _DOCUMENT_SURE.search(text)
            where = place.span() if place else stripped(text, 0, len(text))
            yield (_percent(amount[1], amount[2]) if amount else None), where
    heading: Place | None = None
    for line in lines_of(text):
        if line.cited:
            continue
        start, end = line.place
        said = line.text if heading is None else f"confidence: {line.text}"
        # On a line of its own, or after the verdict.
        given = SURE_LABEL.match(said.lstrip("<(["))
        if given is None and verdict_on(said) in (0, 1):
            given = SURE_LABEL.search(said)
        given = given or _SURE.search(said)
        if given is not None:
            at = text.find(given[0], start, end)
            where = (at, at + len(given[0])) if at >= 0 else ((heading or (start, 0))[0], end)
            yield _percent(given[1], given[2]), where
        heading = (start, end) if SURE_HEADING.fullmatch(said) else None


def _percent(number: str, unit: str | None) -> int | None:
    """Return an amount in percent; None if its unit is unclear."""
    value = float(number)
    unit = "".join((unit or "").lower().split())
    if unit in ("/10", "outof10"):
        value *= 10
    elif not unit and "." in number and value <= 1:
        value *= 100
    elif not unit and 0 < value <= 10:
        return None  # unclear whether it is out of ten or a hundred
    elif "." in number and 0 < value < 1:
        return None
    return round(value) if value <= 100 else None
