"""Passages that are stored as tokens of the Penn Treebank, written out as text.

Where tokens stand without a space between them, the text is as long as the one that people saw:
their limits counted its characters.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Passage"]

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
WRITTEN = {**BRACKETS, "``": '"', "''": '"', "`": "'"}
JOINED_TO_BOTH = frozenset(("--", "\n"))
JOINED_TO_NEXT = frozenset(("``", "`", "-LRB-", "-LSB-", "-LCB-", "(", "[", "{", "$", "£", "#"))
JOINED_TO_LAST = frozenset(
    (
        *(".", ",", "!", "?", ";", ":", "%", "''", "'", ")", "]", "}", "-rrb-", "-rsb-", "-rcb-"),
        *("n't", "'s", "'re", "'ve", "'ll", "'m", "'d"),
    )
)


class Passage:
    """A passage of tokens.

    Attributes
    ----------
    text : str
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        parts: list[str] = []
        self._begins: list[int] = []
        self._ends: list[int] = []
        length, joined = 0, True
        for token in tokens:
            both = token in JOINED_TO_BOTH
            if not (joined or both or token.lower() in JOINED_TO_LAST):
                parts.append(" ")
                length += 1
            self._begins.append(length)
            parts.append(WRITTEN.get(token, token))
            length += len(parts[-1])
            self._ends.append(length)
            joined = both or token in JOINED_TO_NEXT
        self.text = "".join(parts)

    def __len__(self) -> int:
        return len(self._begins)

    def between(self, begin: int, end: int) -> str:
        """Return the text from one token to before another."""
        return self.text[self._begins[begin] : self._ends[end - 1]] if begin < end else ""
