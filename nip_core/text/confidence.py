"""The confidence that a language model states in its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nip_core.text.answers import own_lines
from nip_core.text.data_in_answers import documents_in
from nip_core.text.expected import VERDICT, Expected
from nip_core.text.grammar import BETWEEN, grammar
from nip_core.text.lines import MARKUP
from nip_core.text.plain import Place, Plain

__all__ = ["confidences_in", "read_confidence"]

_SURENESS = (
    r"(?:(?:my|the|overall|estimated)\s+){0,2}(?:confidence|certainty)"
    r"(?:\s+(?:level|score|rating|estimate))?"
    r"(?:\s+(?:in|of)\s+(?:my|the|this)\s+(?:decision|verdict|answer))?"
)
AMOUNT = (
    r"(?:(?:about|around|approximately|roughly|approx\.?|at least|over|~|\u2248|>|\u2265)\s*)?"
    r"(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(?![\d.]\d?)"
    r"\s*(%|percent\b|per cent\b|/\s*100\b|/\s*10\b|out of 100\b|out of 10\b)?+"
    r"(?!\s*(?:-|\u2013|to\b)\s*\d)(?!\w)"
)
_LABEL = re.compile(rf"(?ai){_SURENESS}{MARKUP}(?:{BETWEEN}|of\b|>)?+{MARKUP}{AMOUNT}")
_HEADING = re.compile(rf"(?ai){_SURENESS}{MARKUP}(?:[:\uff1a]{MARKUP})?")
_DOCUMENT_SURE = re.compile(r'(?i)"(?:confidence|certainty)"\s*:\s*(?:"[^"\n]*"|[^",}\n]*)')
_SURE = re.compile(rf"(?ai)(?<![\w.]){AMOUNT}\s*(?:sure|confident|certain|confidence|certainty)\b")


def read_confidence(text: str) -> int | None:
    """Return the stated confidence in a verdict in percent; None if it is unclear.

    It does not affect the verdict, which counts without it or with an unreadable one.
    """
    amounts = {amount for amount, _ in confidences_in(text)}
    return amounts.pop() if len(amounts) == 1 else None


def confidences_in(text: str) -> Iterator[tuple[int | None, Place]]:
    """Yield each confidence in a text, in percent (None if unclear), with its position."""
    plain = Plain.of(text)
    for amount, place in _confidences(plain.text):
        yield amount, plain.original(*place)


def _confidences(text: str) -> Iterator[tuple[int | None, Place]]:
    forms = grammar(Expected(VERDICT))
    for (start, end), document in documents_in(text):
        for key, value in (document or {}).items():
            if key.lower() in ("confidence", "certainty"):
                amount = re.fullmatch(rf"(?ai)\s*{AMOUNT}\s*", str(value))
                place = _DOCUMENT_SURE.search(text, start, end)
                yield (
                    _percent(amount[1], amount[2]) if amount else None,
                    place.span() if place else (start, end),
                )
    heading: Place | None = None
    for line in own_lines(text, forms):
        if line.kind != "own":
            continue
        start, end = line.place
        statement = line.text if heading is None else f"confidence: {line.text}"
        # On a line of its own, or after the verdict.
        match = _LABEL.match(statement.lstrip("<(["))
        if match is None and (stated := forms.label(statement)) and stated.option is not None:
            match = _LABEL.search(statement)
        match = match or _SURE.search(statement)
        if match is not None:
            at = text.find(match[0], start, end)
            where = (at, at + len(match[0])) if at >= 0 else ((heading or (start, 0))[0], end)
            yield _percent(match[1], match[2]), where
        heading = (start, end) if _HEADING.fullmatch(statement) else None


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
