"""Recognising prepared questions in what somebody has written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["questions_in"]


def questions_in(text: str, asks: Iterable[str]) -> list[str]:
    """The prepared questions that a text asks, in the order in which it asks them.

    Case, punctuation and blanks do not matter, nor what stands around a question. Where the
    words of one are part of another's, or only punctuation tells two apart, it is the one that
    the text resembles most.
    """
    asks, places = list(asks), dict[str, int]()
    for patterns in (map(_verbatim, asks), map(_words, asks)):
        # The longest first: what it has taken is not there for one that is a part of it.
        for pattern, ask in sorted(zip(patterns, asks, strict=True), key=_length, reverse=True):
            if pattern and ask not in places:
                for found in re.finditer(pattern, text, re.IGNORECASE):
                    places.setdefault(ask, found.start())
                    text = text[: found.start()] + "\0" * len(found[0]) + text[found.end() :]
    return sorted(places, key=places.__getitem__)
