"""The measured table: what is kept in the library, and what is told of it."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

import explorer.players.scripted
from explorer.studies.strengths.games import GAMES, StrengthGame, matches, play
from nip_core.displays import Table, Tabular, displayed, line
from nip_core.documents import python_tree
from nip_core.values import wilson

__all__ = ["FILE", "Pairing", "Strengths", "measure", "scripts_digest", "strengths"]

FORMAT = "nip-strengths/1"
FILE = "strengths.json"


@displayed
@dataclass(frozen=True, slots=True)
class Pairing:
    """What came of a match.

    Parameters
    ----------
    match : Match
    right : str
        Game by game, in order: ``1`` where the verdict was right.
    """

    match: StrengthGame
    right: str

    def of_label(self, y: int) -> str:
        """The games about true statements, or false ones."""
        return self.right[1 - y :: 2]


@dataclass(frozen=True, slots=True)
class Strengths(Tabular):
    """All that was measured.

    Parameters
    ----------
    scripts : str
        Of which scripts; see :func:`scripts_digest`.
    cells : tuple of Cell
    """

    scripts: str
    cells: tuple[Pairing, ...]

    def __repr__(self) -> str:
        return line(self, f"{self.games:,} games", f"{len(self.cells):,} matches")

    def table(self) -> Table:
        """How often each verifier was right in each match."""
        return Table(
            ("protocol", "about", "verifier", "level", "against", "games", "right"),
            [
                (m.protocol, m.about, m.strategy, m.level, m.against, len(cell.right), won)
                for cell in self.cells
                for m, won in [(cell.match, cell.right.count("1") / len(cell.right))]
            ],
        )

    @property
    def games(self) -> int:
        """How many were played."""
        return sum(len(cell.right) for cell in self.cells)

    def told(
        self, protocol: str, strategy: str, level: str, against: Collection[str] | None = None
    ) -> list[str]:
        """How often a verifier is right, in sentences for whoever chooses it or plays against it.

        Parameters
        ----------
        protocol, strategy, level : str
        against : collection of str, optional
            The provers' levels; all together if it is left out.
        """
        found = [
            cell
            for cell in self.cells
            if (cell.match.protocol, cell.match.strategy, cell.match.level)
            == (protocol, strategy, level)
            and (against is None or not cell.match.against or cell.match.against in against)
        ]
        return [
            f"{name}: right in {rate(''.join(cell.of_label(1) for cell in here))} about true "
            f"statements, in {rate(''.join(cell.of_label(0) for cell in here))} about false ones."
            for about, name in (("code", "Programs"), ("graphs", "Graphs"))
            if (here := [cell for cell in found if cell.match.about == about])
        ]

    def to_json(self) -> str:
        """A document, a line a cell."""
        rows = ",\n".join(json.dumps({**asdict(c.match), "right": c.right}) for c in self.cells)
        head = json.dumps({"format": FORMAT, "scripts": self.scripts, "games": self.games})[:-1]
        return f'{head}, "cells": [\n{rows}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> Strengths:
        """Read what :meth:`to_json` made."""
        document: dict[str, Any] = json.loads(text)
        cells = tuple(
            Pairing(StrengthGame(**{k: v for k, v in row.items() if k != "right"}), row["right"])
            for row in document["cells"]
        )
        return cls(document["scripts"], cells)


def rate(right: str) -> str:
    """The share of games that were right, and where the true share lies with 95 %."""
    hits, count = right.count("1"), len(right)
    low, high = wilson(hits, count)
    return f"{hits / count:.0%} ({low:.0%} to {high:.0%})"


def measure(
    chosen: Iterable[StrengthGame] | None = None, games: dict[str, int] | None = None
) -> Iterator[Pairing]:
    """Play matches, all if nothing is said.

    Parameters
    ----------
    chosen : iterable of Match, optional
    games : dict of str to int, optional
        How many about each kind of task.
    """
    numbers = GAMES if games is None else games
    for match in matches() if chosen is None else chosen:
        won = (play(match, number) for number in range(numbers[match.about]))
        yield Pairing(match, "".join("1" if right else "0" for right in won))


def scripts_digest() -> str:
    """Return a digest of the code and data by which scripted players play.

    It changes with what the scripts do, and neither with their comments and docstrings nor with the
    file that a definition stands in.
    """
    scripts = resources.files(explorer.players.scripted)
    parts = sorted(part for name in ("provers", "verifiers") for part in _parts(scripts / name))
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _parts(folder: Any) -> Iterator[str]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _parts(item)
        elif item.name.endswith(".toml"):
            yield item.read_text("utf-8")
        elif item.name.endswith(".py"):
            yield from _definitions(item.read_text("utf-8"))


def _definitions(source: str) -> Iterator[str]:
    """Yield the text of every top-level definition, without comments and docstrings."""
    lines = source.splitlines()
    tree = python_tree(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines[node.lineno - 1 : node.end_lineno] = [""] * len(
                lines[node.lineno - 1 : node.end_lineno]
            )
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            kept = [line.strip() for line in lines[node.lineno - 1 : node.end_lineno]]
            yield "\n".join(line for line in kept if line and not line.startswith("#"))


@cache
def strengths() -> Strengths:
    """What was measured."""
    text = (resources.files("explorer.studies.strengths") / FILE).read_text("utf-8")
    return Strengths.from_json(text)
