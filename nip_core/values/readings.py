"""Single numbers of a card, each with how it was found, and the lines that they stand in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from nip_core.displays import Table, Tabular, line

__all__ = ["CardLine", "Reading"]

How = Literal["exact", "interval", "not computed", "none"]


@dataclass(frozen=True)
class Reading(Tabular):
    """One number of a line.

    Parameters
    ----------
    what : str
        In words: ``"verdict right"``, ``"gain of the critic"``.
    judge : str
        For which judge: ``"sceptical judge"``, ``"trusting judge"``, or ``"either judge"`` where
        both are the same; empty where it makes no difference.
    value : Fraction, float or bool, optional
        The number, or the answer to a question.
    low, high : number, optional
        An interval that contains it.
    how : {"exact", "interval", "not computed", "none"}
        ``"none"``: the protocol has no such number.
    level : float, optional
        The level of an interval that comes from sampled plays.
    reason : str
        Why there is no number.
    """

    what: str
    judge: str = ""
    value: Any = None
    low: Any = None
    high: Any = None
    how: How = "exact"
    level: float | None = None
    reason: str = ""

    def __repr__(self) -> str:
        return line(self, " ".join(filter(None, (self.judge, self.what))), self.said)

    @property
    def has_value(self) -> bool:
        """Whether there is a number, or at least an interval."""
        return self.how in ("exact", "interval")

    @property
    def said(self) -> str:
        """The number or the reason, in words."""
        if self.how == "none":
            return f"has {self.reason}" if self.reason.startswith("no ") else self.reason
        if self.how == "not computed":
            return f"not computed: {self.reason}"
        if isinstance(self.value, bool):
            return ("yes" if self.value else "no") + (f": {self.reason}" if self.reason else "")
        if self.how == "interval":
            level = f" ({100 * self.level:g} %)" if self.level else ""
            return f"{_number(self.low)} to {_number(self.high)}{level}"
        return _number(self.value)

    def table(self) -> Table:
        """Return its fields."""
        return Table(("what", "value"), [(self.what, self.said)])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; fractions are texts and floats."""
        found = {
            "what": self.what,
            "judge": self.judge,
            "how": self.how,
            "value": _plain(self.value),
            "exact": str(self.value) if isinstance(self.value, Fraction) else None,
            "low": _plain(self.low),
            "high": _plain(self.high),
            "level": self.level,
            "reason": self.reason,
        }
        return {name: value for name, value in found.items() if value not in (None, "")}


def _number(value: Any) -> str:
    return f"{float(value):.3f}".replace("-", "−")


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True)
class CardLine(Tabular):
    """One line of a card.

    Parameters
    ----------
    key : str
    title : str
    sentence : str
        Its model, in words.
    readings : tuple of Reading
        Its numbers; the first is the most important one.
    """

    key: str
    title: str
    sentence: str
    readings: tuple[Reading, ...]

    def __repr__(self) -> str:
        return line(self, self.title, *(reading.said for reading in self.readings[:2]))

    def table(self) -> Table:
        """Return its numbers."""
        rows = [(reading.judge, reading.what, reading.said) for reading in self.readings]
        return Table(("judge", "what", "value"), rows)
