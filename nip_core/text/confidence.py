"""How sure a language model says that it is of its verdict."""

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
    """How sure a model says that it is of its verdict, in percent; None if that is not clear.

    It is no part of the verdict: without it, or with one that cannot be read, the verdict stands.
    """
    found = {amount for amount, _ in confidences_in(text)}
    return found.pop() if len(found) == 1 else None


def confidences_in(text: str) -> Iterator[tuple[int | None, Place]]:
    """Yield how sure a text says that it is, in percent or unclear, each time, and where."""
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
        # On a line of its own, or behind the verdict.
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
    """Return an amount in percent, if it says of what it is a part."""
    value = float(number)
    unit = "".join((unit or "").lower().split())
    if unit in ("/10", "outof10"):
        value *= 10
    elif not unit and "." in number and value <= 1:
        value *= 100
    elif not unit and 0 < value <= 10:
        return None  # of ten, or of a hundred?
    elif "." in number and 0 < value < 1:
        return None
    return round(value) if value <= 100 else None
