"""What a protocol's page says about its worth: kept for shipped protocols, else line by line.

The lines are kept in ``cards.json``, since all of them take minutes; ``tests/make_comparison.py``
computes them again, and tests compute a sample.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from nip_core.language import Specification
from nip_core.values import Card, Reading, cards

__all__ = ["CARDS", "Told", "card_lines", "kept_lines", "told"]

CARDS = Path(__file__).with_name("cards.json")
SECONDS = 15.0
# How many numbers of a line are shown. The card on the Rewards page has all.
MOST, MOST_GUARANTEED = 2, 3
Told = Mapping[str, Sequence[tuple[str, str]]]
"""For each line's key: what is told, and the number or the reason, in words."""


def told(card: Card) -> Told:
    """Return the most important numbers of each line that is there, in words."""
    return {
        one.key: [
            (_what(one.title, reading), reading.said)
            for reading in one.readings[: MOST_GUARANTEED if one.key == "guaranteed" else MOST]
        ]
        for one in card.lines
    }


def _what(title: str, reading: Reading) -> str:
    return "" if reading.what == title else reading.what


def card_lines(spec: Specification, *, cancelled: threading.Event | None = None) -> Iterator[Told]:
    """Yield the lines of a protocol's card as they are found."""
    yield from map(told, cards(spec, seconds=SECONDS, cancelled=cancelled))


def kept_lines(spec: Specification) -> Told | None:
    """Return the lines of a shipped protocol with default settings; None of others."""
    return _kept().get(spec.digest)


@cache
def _kept() -> dict[str, Told]:
    rows = json.loads(CARDS.read_text("utf-8"))
    return {
        row["digest"]: {key: [(a, b) for a, b in found] for key, found in row["lines"].items()}
        for row in rows.values()
    }
