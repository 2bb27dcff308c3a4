"""Recognising prepared questions where they are written out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import punctuation

__all__ = ["TAKEN", "places_of", "questions_in"]

# In the place of what has been recognised.
TAKEN = "\0"


def questions_in(text: str, asks: Iterable[str]) -> list[str]:
    """The prepared questions that a text asks, in the order in which it asks them.

    Case, punctuation and blanks do not matter, nor what stands around a question. Words that
    could belong to several questions belong to the one that is written just so, or else to the
    longest.
    """
    places, _ = places_of(text, asks)
    return sorted(places, key=places.__getitem__)


def places_of(text: str, asks: Iterable[str]) -> tuple[dict[str, int], str]:
    """Where a text asks which prepared question, and the text without them."""
    places: dict[str, int] = {}
    longest_first = sorted(asks, key=lambda ask: (-len(_words(ask)), len(ask)))
    for pattern_of in (_as_written, _word_by_word):
        for ask in longest_first:
            pattern = pattern_of(ask)
            if found := pattern.search(text):
                places.setdefault(ask, found.start())
                text = pattern.sub(lambda match: TAKEN * len(match[0]), text)
    return places, text


def _as_written(ask: str) -> re.Pattern[str]:
    core = ask.strip(punctuation + " ") or ask
    return _pattern(map(re.escape, core.split()), r"\s+")


def _word_by_word(ask: str) -> re.Pattern[str]:
    return _pattern(map(re.escape, _words(ask)), rf"[^\w{TAKEN}]+")


def _words(ask: str) -> list[str]:
    return re.findall(r"\w+", ask) or [ask]


def _pattern(parts: Iterable[str], between: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){between.join(parts)}(?!\w)", re.IGNORECASE)
