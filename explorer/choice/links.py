"""What a link may contain, and the sentences about everything else in it, the same on all pages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nip_core.displays import displayed
from nip_core.errors import did_you_mean

MOST_NAMED = 5  # parts of a link that a sentence names


class LinkProblem(NamedTuple):
    """What cannot be used of a link, a file or a command; a link is opened without it."""

    what: str
    so: str  # what a link does instead
    allowed: str

    @property
    def in_link(self) -> str:
        """The sentence for a link."""
        return f"{self.what}{self.so}. {self.allowed}".strip()

    @property
    def refusal(self) -> str:
        """The sentence for what is refused."""
        return f"{self.what}. {self.allowed}".strip()


@displayed
@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers that an entry of a link may be."""

    low: float
    high: float
    whole: bool = True

    def read(self, text: str) -> float | int | None:
        """Return the number in a text; None if it is not one of these."""
        try:
            value: object = json.loads(text[:40])
        except (ValueError, RecursionError):
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        whole = isinstance(value, int) or not self.whole
        return value if whole and self.low <= value <= self.high else None

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        ends = (self.low, self.high)
        low, high = (f"{int(end):,}" if end == int(end) else f"{end:g}" for end in ends)
        return f"{kind} from {low} to {high}"


Allowed = Collection[str] | NumberRange


def is_allowed(text: str, allowed: Allowed) -> bool:
    """Return whether an entry of a link may be this text."""
    return allowed.read(text) is not None if isinstance(allowed, NumberRange) else text in allowed


def wrong_entry(name: str, text: str, allowed: Allowed, usual: str = "") -> LinkProblem:
    """Return the problem with an entry that cannot be this text, so that it is as `usual`."""
    options = str(allowed) if isinstance(allowed, NumberRange) else ", ".join(filter(None, allowed))
    so = f", so it {f'is {usual}' if usual else 'was left out'}"
    may = f"It may be {options}." if options else ""
    return LinkProblem(f"{name} cannot be {quoted(text)}", so, may)


def unknown_entries(of: str, keys: Sequence[str], known: Iterable[str]) -> LinkProblem:
    """Return the problem with entries that a page or a protocol does not have."""
    named = ", ".join(map(quoted, keys[:MOST_NAMED]))
    more = f" and {len(keys) - MOST_NAMED:,} more" if len(keys) > MOST_NAMED else ""
    one, known = len(keys) == 1, list(known)
    meant = did_you_mean(keys[0].rpartition(".")[2], known).strip()
    has = f"{meant} Its settings: {', '.join(known)}." if known else "It has no settings."
    what = f"{of} has no {'setting' if one else 'settings'} {named}{more}"
    return LinkProblem(what, f", so {'it was' if one else 'they were'} left out", has.strip())


def quoted(text: str) -> str:
    """Return the printable beginning of a value from an address, in quotation marks."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text[:41])
    return f"“{shown[:40]}{'…' if len(shown) > 40 else ''}”"
