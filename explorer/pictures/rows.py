"""Rows of a grid and their cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nip_core.displays import displayed

CellState = Literal[
    "speaks", "may speak", "reads", "blind", "decides", "early", "steers", "noted", "drawn",
    "worked out", "sees", "none",
]  # fmt: skip
WRITES: tuple[CellState, ...] = ("speaks", "may speak")
MADE: tuple[CellState, ...] = ("decides", "steers", "noted", "drawn", "worked out")
# A message, a choice or a value; and all in which a seat acts, chance draws or the rules work.
DONE: tuple[CellState, ...] = (*WRITES, *MADE)
EVENTS: tuple[CellState, ...] = (*DONE, "early")


@displayed
@dataclass(frozen=True, slots=True)
class Cell:
    """The content of a row in a column."""

    # Of a channel "speaks", "may speak" (on a condition), "reads" or "blind"; of a verdict
    # "decides", "early" (the seat acts, and cannot decide yet) or "none"; of another choice
    # "steers" (a guard reads it), "noted" or "drawn" (by chance); of a value "worked out"; of a
    # part "sees"; else "none".
    state: CellState
    seats: tuple[str, ...] | None = None  # the seats that see it here; None if all do, all the time
    words: str = ""  # the description in words
    pale: bool = False  # whether play may have left before
    # The probability that it happens, as far as only chance decides.
    chance: float | None = 1

    @property
    def percent(self) -> str:
        """The probability in words, if it is known and less than 1: ``"50%"``."""
        return "" if self.chance in (None, 1) else f"{self.chance:.0%}"


@displayed
@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of the grid: a part, a seat on a channel, a verdict, a choice or a value."""

    kind: Literal["part", "channel", "verdict", "choice", "value"]
    of: str  # the name of the part, channel, choice or value
    who: str  # the seat, or the maker of the choice; empty for a part
    title: str
    note: str
    cells: tuple[Cell, ...]

    @property
    def is_blind(self) -> bool:
        """Whether the seat never sees the channel during play."""
        return self.kind == "channel" and all(c.state in ("blind", "none") for c in self.cells)


def section_of(row: GridRow) -> tuple[str, str]:
    """Return the section of a row: a channel, the parts, the verdicts, or the choices."""
    return row.kind, row.of if row.kind == "channel" else ""
