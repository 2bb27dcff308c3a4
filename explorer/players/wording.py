"""Keeping to a limit on words."""

from __future__ import annotations

import re

from nip_core.play import most_characters

__all__ = ["fit"]


def fit(text: str, most: int) -> str:
    """The text, or as many whole sentences of it as the limits on words and characters allow.

    Parameters
    ----------
    text : str
    most : int
        Words; where not even one sentence fits, so many of its words are left.
    """
    text = text[: most_characters(most)]
    ends = [word.end() for word in re.finditer(r"\S+", text)]
    if len(ends) <= most:
        return text
    cut = text[: ends[most - 1]]
    sentences = [stop.end() for stop in re.finditer(r"[.!?](?!\S)", cut)]
    return cut[: sentences[-1]] if sentences else cut
