"""What an expert says to one question, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Said"]


@dataclass(frozen=True, slots=True)
class Said:
    """A part of a message.

    Parameters
    ----------
    text : str
        Before the voice of the expert changes a word of it.
    how : str
        Where it comes from: ``"prepared"``, ``"run"``, ``"line"``, ``"graph"``, ``"evaded"``.
    about : str
        What it is an answer to.
    way : str
        ``"agrees"`` where nothing had to be made up; else what was done: ``"plan"``, ``"invent"``,
        ``"slip"`` or ``"evade"``.
    claimed, found : str
        What is claimed, and what the expert has found to be so, where the two can be compared.
    telling : bool
        Is it a question at which two liars may contradict each other?
    short : str
        What is said of it the next time, if that is not its first sentence.
    choices : int
        Of a telling question: how many values might have passed besides the one that is needed.
    """

    text: str
    how: str
    about: str
    way: str = "agrees"
    claimed: str = ""
    found: str = ""
    telling: bool = False
    short: str = ""
    choices: int = 0

    def to_dict(self) -> dict[str, Any]:
        """It for the record, without the text and what it has not got."""
        kept = {"how": self.how, "about": self.about, "way": self.way}
        kept |= {"claimed": self.claimed, "found": self.found} if self.claimed else {}
        return kept | ({"telling": True, "choices": self.choices} if self.telling else {})
