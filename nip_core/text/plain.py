"""The same text in plain characters, for searching; every place in it leads back to the original.

Models write full-width and mathematical letters, no-break spaces and characters that nobody sees.
Two texts that look alike should be read alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Place", "Plain", "quotation", "quotations", "stripped"]

Place = tuple[int, int]

# These change what a reader sees: a text with one of them is not what it looks like.
_OVERRIDES = "\u202d\u202e"
_VARIATIONS = "\ufe0e\ufe0f"


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in plain characters.

    Parameters
    ----------
    text : str
        Letters as in ASCII where they look like them, blanks as spaces, and without characters
        that take no room.
    places : sequence of int
        Where each of its characters stands in the original.
    """

    text: str
    places: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Plain:
        """Make one of a text."""
        if text.isascii():
            return cls(text, range(len(text)))
        kept = [(place, _plain(char)) for place, char in enumerate(text)]
        kept = [(place, char) for place, char in kept if char]
        return cls("".join(char for _, char in kept), [place for place, _ in kept])

    def original(self, start: int, end: int) -> Place:
        """Return where a part of it stands in the original."""
        if start >= end:
            at = self.places[start] if start < len(self.places) else self._end
            return at, at
        return self.places[start], self.places[end - 1] + 1

    @property
    def _end(self) -> int:
        return self.places[-1] + 1 if self.places else 0


def _plain(char: str) -> str:
    """Return one character or none for one."""
    if char.isascii() or char in "\x85\u2028\u2029":
        return char
    category = unicodedata.category(char)
    if (category == "Cf" and char not in _OVERRIDES) or char in _VARIATIONS:
        return ""
    if category in ("Zs", "So"):  # a tick or a picture beside a word says nothing else
        return " "
    folded = unicodedata.normalize("NFKC", char)
    return folded if len(folded) == 1 else char


# An opening mark, what may not stand in between, and a closing one. A mark that follows a letter or
# a figure opens nothing: it's, 5".
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
    """Return a pattern for what stands in quotation marks, on one line or also over several."""
    more = "" if lines else r"\n"
    # An apostrophe closes nothing a line further down.
    pairs = _PAIRS[:-2] if lines else _PAIRS
    return "|".join(f"{left}[^{between}{more}]*+{right}" for left, between, right in pairs)


_QUOTATION = re.compile(quotation(lines=True))


def quotations(text: str) -> list[Place]:
    """Return where a text stands in quotation marks, also over several lines."""
    return [found.span() for found in _QUOTATION.finditer(text)]


def stripped(text: str, start: int, end: int) -> Place:
    """Return a place without the blanks around it."""
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    return start, start + len(said.strip())
