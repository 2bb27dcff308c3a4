"""How strong scripted players are: the games of the baseline, counted."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any

from explorer.studies.scripts import scripts_digest
from nip_core.displays import Table, Tabular, displayed, line
from nip_core.values import wilson

__all__ = ["FILE", "Pairing", "StrengthGame", "Strengths", "rate", "scripts_digest", "strengths"]


@displayed
@dataclass(frozen=True, slots=True, order=True)
class StrengthGame:
    """A verifier against provers."""

    protocol: str
    strategy: str  # the verifier's
    against: str  # the provers' level; empty where there are none
    about: str  # "code" or "graphs"


FORMAT = "nip-strengths/3"
FILE = "strengths.json"


@displayed
@dataclass(frozen=True, slots=True)
class Pairing:
    """The results of a match: a digit for each game, ``1`` if the verdict was right."""

    match: StrengthGame
    false: str  # of the games about false statements
    true: str  # of those about true ones

    def of_label(self, y: int) -> str:
        """Return the results of the games about true or false statements."""
        return self.true if y else self.false

    @property
    def right(self) -> str:
        """The results of all games."""
        return self.false + self.true


@dataclass(frozen=True, slots=True)
class Strengths(Tabular):
    """All measurements."""

    scripts: str  # the digest of the scripts; see :func:`scripts_digest`
    cells: tuple[Pairing, ...]

    def __repr__(self) -> str:
        return line(self, f"{self.games:,} games", f"{len(self.cells):,} matches")

    def table(self) -> Table:
        """Return how often each verifier was right in each match."""
        return Table(
            ("protocol", "about", "verifier", "against", "games", "right"),
            [
                (m.protocol, m.about, m.strategy, m.against, len(cell.right), won)
                for cell in self.cells
                for m, won in [(cell.match, cell.right.count("1") / len(cell.right))]
            ],
        )

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(len(cell.right) for cell in self.cells)

    def sentences(
        self, protocol: str, strategy: str, against: Collection[str] | None = None
    ) -> list[str]:
        """Return sentences for people about how often a verifier is right.

        They count games against provers of these levels, by default of all together.
        """
        cells = [
            cell
            for cell in self.cells
            if (cell.match.protocol, cell.match.strategy) == (protocol, strategy)
            and (against is None or not cell.match.against or cell.match.against in against)
        ]
        return [
            f"{name}: right in {rate(''.join(cell.of_label(1) for cell in here))} about true "
            f"statements, in {rate(''.join(cell.of_label(0) for cell in here))} about false ones."
            for about, name in (("code", "Programs"), ("graphs", "Graphs"))
            if (here := [cell for cell in cells if cell.match.about == about])
        ]

    def to_json(self) -> str:
        """Return a JSON document with a line for each cell."""
        rows = ",\n".join(
            json.dumps({**asdict(c.match), "false": c.false, "true": c.true}) for c in self.cells
        )
        head = json.dumps({"format": FORMAT, "scripts": self.scripts, "games": self.games})[:-1]
        return f'{head}, "cells": [\n{rows}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> Strengths:
        """Read what :meth:`to_json` made."""
        document: dict[str, Any] = json.loads(text)
        cells = (
            Pairing(false=row.pop("false"), true=row.pop("true"), match=StrengthGame(**row))
            for row in document["cells"]
        )
        return cls(document["scripts"], tuple(cells))


def rate(right: str) -> str:
    """Return the share of right games with its 95% interval, in words."""
    hits, count = right.count("1"), len(right)
    low, high = wilson(hits, count)
    return f"{hits / count:.0%} ({low:.0%} to {high:.0%})"


@cache
def strengths() -> Strengths:
    """Return the measured table."""
    text = (resources.files("explorer.studies") / FILE).read_text("utf-8")
    return Strengths.from_json(text)
