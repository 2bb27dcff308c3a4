"""The rules of a protocol that an episode needs, for both versions of specifications."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from nip_core.play.events import Event
from nip_core.play.moves import Legal, Move
from nip_core.play.tree import Node, Tree
from nip_core.text import SeenRound

__all__ = ["Path", "Rules"]

Path = Sequence[Node]
"""Positions from the beginning to one."""


class Rules(ABC):
    """The rules of one episode. They know its setup, and nothing of what has happened in it.

    Setups, specifications, views and results are of the version's own types, which answer to the
    same names where they mean the same.
    """

    version: ClassVar[int]
    setup: Any

    @abstractmethod
    def beginning(self) -> Node:
        """Return the first position."""

    @abstractmethod
    def most_ahead(self, node: Node) -> int:
        """Return how many positions may come after one at most."""

    @abstractmethod
    def speakers(self, node: Node) -> Collection[str]:
        """Return the seats that act in the present round."""

    @abstractmethod
    def legal(self, node: Node, agent: str, path: Callable[[Node], Path]) -> Legal | None:
        """Return what a seat may do at a position that is not over; None if it is not its turn."""

    def refusing(self, legal: Legal) -> Legal:
        """Return, in the version's own type, that a seat may do nothing, and why."""
        return legal

    @abstractmethod
    def verify(self, move: Move, legal: Legal, *, recorded: bool) -> None:
        """Refuse a move that is not allowed; see :meth:`Episode.apply` for `recorded`."""

    @abstractmethod
    def after(
        self,
        parent: Node,
        moves: Mapping[str, Move],
        number: int,
        tainted: frozenset[str],
        path: Callable[[Node], Path],
    ) -> tuple[Node, frozenset[str]]:
        """Return the position after a round, by its number, and whom it has shown something."""

    @abstractmethod
    def seen(self, node: Node, agent: str, path: Callable[[Node], Path]) -> SeenRound:
        """Return what a seat saw of a position's latest round once it was played."""

    @abstractmethod
    def view(
        self,
        path: Path,
        agent: str,
        *,
        seen: Callable[[Node, str], SeenRound],
        legal: Legal,
        held: Move | None,
        stood_in: Sequence[tuple[int, str]],
    ) -> Any:
        """Return what a seat may know at the end of a path."""

    @abstractmethod
    def result(self, path: Path) -> Any:
        """Return how a line has gone."""

    def chosen(self, node: Node) -> Mapping[str, str | int]:
        """Return what was chosen in a position's latest turn, or drawn before the first."""
        return {}

    @abstractmethod
    def progress(self, node: Node) -> str:
        """Return how far play has come, for the episode's one-line text."""

    @abstractmethod
    def verdict(self, path: Path) -> str | None:
        """Return the verdict of a line that has ended, in a word."""

    @abstractmethod
    def said(self, move: Move) -> Iterable[tuple[str | None, str]]:
        """Return what a move says on which channel; what it decides or chooses, on none."""

    @abstractmethod
    def finished(
        self, events: Sequence[Event], tree: Tree, ended: frozenset[int], current: int
    ) -> tuple[Any, Iterable[Event]]:
        """Return setup and events of what everybody may read once a line has ended.

        Parameters
        ----------
        events : sequence of Event
        tree : Tree
        ended : frozenset of int
            The positions of lines that have ended, which everybody may read.
        current : int
            The present one, which is among them.
        """
