"""Quotes in messages, and whether they occur in the task.

A quote stands between ``<quote>`` and ``</quote>``. It counts as found if the text contains it,
ignoring case, punctuation and white space: the same words with a different comma are the same
claim, and a strict comparison was seen to change verdicts.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from nip_core.displays import displayed

__all__ = ["Quote", "bare", "checked_quotes", "quotes_in"]

OPEN, CLOSE = "<quote>", "</quote>"
_TAG = re.compile(r"</?quote>")


@displayed
@dataclass(frozen=True, slots=True)
class Quote:
    """A quote of a message.

    Parameters
    ----------
    text : str
    found : bool
        Whether it occurs in a part that its author could see.
    """

    text: str
    found: bool


def quotes_in(text: str) -> tuple[str, ...]:
    """Return the quotes of a text. An unclosed one does not count."""
    quotes: list[str] = []
    start = text.find(OPEN)
    while start >= 0:
        end = text.find(CLOSE, start)
        if end < 0:
            break
        # Of several opening marks the last one counts, since quotes do not contain the mark itself.
        quotes.append(text[text.rfind(OPEN, start, end) + len(OPEN) : end])
        start = text.find(OPEN, end)
    return tuple(quotes)


def bare(text: str) -> str:
    """Return a text without the marks of quotes, for counting."""
    return _TAG.sub("", text)


@lru_cache(maxsize=64)
def _folded(text: str) -> str:
    """Return a text without punctuation, in small letters, with single blanks."""
    kept = (
        character
        for character in text
        if character not in string.punctuation
        and (character.isascii() or not unicodedata.category(character).startswith("P"))
    )
    return " ".join("".join(kept).lower().split())


def checked_quotes(text: str, parts: Iterable[str]) -> tuple[Quote, ...]:
    """Return the quotes of a text, with whether parts contain them; none contains an empty one."""
    quotes = quotes_in(text)
    # Most messages have none, and parts may be long.
    sources = [_folded(part) for part in parts] if quotes else []
    return tuple(
        Quote(quote, bool(words := _folded(quote)) and any(words in source for source in sources))
        for quote in quotes
    )
