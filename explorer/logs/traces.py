"""A sample of a log as a tree of branches, whose entries are what happened one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from nip_core.displays import Table, Tabular, brief, displayed, line

Kind = Literal["message", "model", "tool", "score", "note", "error"]


@displayed
@dataclass(frozen=True, slots=True)
class Entry:
    """Something that happened.

    Parameters
    ----------
    number : int
        Its place in the log, from 1.
    kind : str
        A message to a model, a call of a model, a call of a tool, a score, a note or an error.
    who : str
        A role, agent or model; a tool; a scorer; or who wrote the message.
    title : str
        What more is known about it in a line: the model, for example.
    text : str
    left_out : int
        How many characters more the log has.
    read : tuple of int
        For a call of a model, the entries that it was given.
    """

    number: int
    kind: Kind
    who: str
    title: str
    text: str
    left_out: int = 0
    read: tuple[int, ...] = ()


@displayed
@dataclass(frozen=True, slots=True)
class Branch:
    """A course of events.

    Parameters
    ----------
    name : str
    parent : int or None
        The number of the branch from which it departs; None for the main one, and for an attempt
        that began anew.
    at : int
        How many entries of its parent's path come before it.
    problem : str
        What is not known about where it departs.
    """

    name: str
    parent: int | None = None
    at: int = 0
    problem: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class Score:
    """What a scorer has said.

    Parameters
    ----------
    name, value, answer, explanation : str
    references : mapping
        The ids of messages or events by how the explanation cites them, such as ``[M3]``.
    """

    name: str
    value: str
    answer: str
    explanation: str
    references: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Tabular):
    """A sample of a log.

    Parameters
    ----------
    id : str
    epoch : int
    target : str
    scores : tuple of Score
    branches : tuple of Branch
        The first one is the main one.
    entries : tuple of Entry
    paths : tuple of tuple of int
        For each branch, the numbers of its entries from the beginning.
    places : mapping
        The entries of messages and events by id.
    numbered : tuple of str
        The ids of the sample's messages without those of the system, which ``[M1]`` counts.
    left_out : int
        How many entries more the log has.
    """

    id: str
    epoch: int
    target: str
    scores: tuple[Score, ...]
    branches: tuple[Branch, ...]
    entries: tuple[Entry, ...]
    paths: tuple[tuple[int, ...], ...]
    places: Mapping[str, int]
    numbered: tuple[str, ...]
    left_out: int = 0

    def path(self, branch: int) -> list[Entry]:
        """Return the entries of a branch from the beginning."""
        return [self.entries[number - 1] for number in self.paths[branch]]

    def outline(self) -> list[tuple[int, int]]:
        """Return for each branch how many branches it departs from, and the entry that it follows.

        The entry is 0 if a branch begins anew.
        """
        depths: list[int] = []
        for branch in self.branches:
            # A branch comes after the one that it departs from.
            depths.append(0 if branch.parent is None else depths[branch.parent] + 1)
        return [
            (depth, path[branch.at - 1] if branch.at else 0)
            for depth, branch, path in zip(depths, self.branches, self.paths, strict=True)
        ]

    def participants(self, branch: int) -> list[str]:
        """Return who acts in a branch, in the order of their first entries."""
        return list(dict.fromkeys(entry.who for entry in self.path(branch)))

    def readers(self, branch: int) -> list[str]:
        """Return whose calls of models a branch has."""
        return list(dict.fromkeys(e.who for e in self.path(branch) if e.kind == "model"))

    def seen_by(self, branch: int, who: str) -> set[int]:
        """Return the entries that somebody has read or written in a branch."""
        own = [entry for entry in self.path(branch) if entry.who == who]
        return {number for entry in own for number in (entry.number, *entry.read)}

    def branch_of(self, number: int, near: int = 0) -> int:
        """Return a branch that has an entry; `near` if that one has it."""
        order = (near, *range(len(self.paths)))
        return next(branch for branch in order if number in self.paths[branch])

    def table(self) -> Table:
        """Return a row for each entry of the main branch."""
        rows = [(e.number, e.kind, e.who, e.title, e.text) for e in self.path(0)]
        return Table(("entry", "kind", "who", "about", "text"), rows)

    def __repr__(self) -> str:
        sizes = f"{len(self.entries)} entries", f"{len(self.branches)} branches"
        return line(self, brief(self.id), *sizes, f"{len(self.scores)} scores")
