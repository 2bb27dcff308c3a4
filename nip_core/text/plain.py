"""Texts in plain characters for searching, with positions in the original.

Models write full-width and mathematical letters, no-break spaces and invisible characters. Texts
that look the same should be read in the same way.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Place", "Plain", "quotation", "quotations", "stripped"]

Place = tuple[int, int]

# Characters that change the order in which a text is displayed.
_OVERRIDES = "\u202d\u202e"
_VARIATIONS = "\ufe0e\ufe0f"
# Stops and commas of other scripts, which end a choice as ours do.
_STOPS = {"\u3002": ".", "\uff61": ".", "\u06d4": ".", "\u0964": ".", "\u3001": ",", "\u060c": ","}


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in plain characters.

    Parameters
    ----------
    text : str
        With ASCII letters for those that look like them, spaces for blanks, and no invisible
        characters.
    places : sequence of int
        The position of each character in the original.
    """

    text: str
    places: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Plain:
        """Return the plain form of a text."""
        if text.isascii():
            return cls(text, range(len(text)))
        kept = [(place, _plain(char)) for place, char in enumerate(text)]
        kept = [(place, char) for place, char in kept if char]
        return cls("".join(char for _, char in kept), [place for place, _ in kept])

    def original(self, start: int, end: int) -> Place:
        """Return the position of a part in the original."""
        if start >= end:
            at = self.places[start] if start < len(self.places) else self._end
            return at, at
        return self.places[start], self.places[end - 1] + 1

    @property
    def _end(self) -> int:
        return self.places[-1] + 1 if self.places else 0


def _plain(char: str) -> str:
    """Return the plain form of a character: one character or none."""
    if char.isascii() or char in "\x85\u2028\u2029":
        return char
    category = unicodedata.category(char)
    if (category == "Cf" and char not in _OVERRIDES) or char in _VARIATIONS:
        return ""
    if category in ("Zs", "So"):  # ticks and emoji beside a word have no meaning
        return " "
    folded = _STOPS.get(char) or unicodedata.normalize("NFKC", char)
    return folded if len(folded) == 1 else char


# An opening mark, the characters not allowed inside, and a closing one. A mark after a letter or a
# digit does not open a quotation: it's, 5".
_PAIRS = (
    (r'(?<![\w"])"(?=\S)', '"', r'"(?!\w)'),
    ("\u201c", "\u201c\u201d", "\u201d"),
    ("\u201e", "\u201e\u201c\u201d", "[\u201c\u201d]"),
    ("\u00ab", "\u00ab\u00bb", "\u00bb"),
    ("\u300c", "\u300c\u300d", "\u300d"),
    ("\u2018", "\u2018\u2019", r"\u2019(?!\w)"),
    (r"(?<![\w'])'(?=\S)", "'", r"'(?!\w)"),
)


def quotation(*, lines: bool) -> str:
    """Return a pattern for quotations, on one line or over several."""
    more = "" if lines else r"\n"
    # An apostrophe does not close a quotation of an earlier line.
    pairs = _PAIRS[:-2] if lines else _PAIRS
    return "|".join(f"{left}[^{between}{more}]*+{right}" for left, between, right in pairs)


_QUOTATION = re.compile(quotation(lines=True))


def quotations(text: str) -> list[Place]:
    """Return the positions of quotations, also over several lines."""
    return [quotation.span() for quotation in _QUOTATION.finditer(text)]


def stripped(text: str, start: int, end: int) -> Place:
    """Return a position without the blanks around it."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return start, start + len(part.strip())
