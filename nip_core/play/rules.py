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
"""The positions from the beginning to another one."""


class Rules(ABC):
    """The rules of one episode. They depend on its setup, not on what has happened in it.

    Setups, specifications, views and results have types of the version, with the same names for
    what is common to both.
    """

    version: ClassVar[int]
    setup: Any

    @abstractmethod
    def beginning(self) -> Node:
        """Return the first position."""

    @abstractmethod
    def most_ahead(self, node: Node) -> int:
        """Return the largest number of positions that may follow one."""

    @abstractmethod
    def speakers(self, node: Node) -> Collection[str]:
        """Return the seats that act in the present round."""

    @abstractmethod
    def legal(self, node: Node, agent: str, path: Callable[[Node], Path]) -> Legal | None:
        """Return what a seat may do at a position that is not over; None if it is not its turn."""

    def refusing(self, legal: Legal) -> Legal:
        """Return that a seat may do nothing, and why, in the version's own type."""
        return legal

    @abstractmethod
    def verify(self, move: Move, legal: Legal, *, recorded: bool) -> None:
        """Raise an error for an illegal move; see :meth:`Episode.apply` for `recorded`."""

    @abstractmethod
    def after(
        self,
        parent: Node,
        moves: Mapping[str, Move],
        number: int,
        tainted: frozenset[str],
        path: Callable[[Node], Path],
    ) -> tuple[Node, frozenset[str]]:
        """Return the position after a round, and the seats that it has shown something."""

    def stage(self, node: Node) -> int | None:
        """Return the stage of a position, on which it depends what a seat sees of earlier turns."""
        return None

    @abstractmethod
    def seen(self, node: Node, agent: str, stage: int | None) -> SeenRound:
        """Return what a seat sees, in a stage, of a position's latest round."""

    @abstractmethod
    def view(
        self,
        path: Path,
        agent: str,
        *,
        seen: Callable[[Node, str, int | None], SeenRound],
        legal: Legal,
        held: Move | None,
        stood_in: Sequence[tuple[int, str]],
    ) -> Any:
        """Return what a seat may know at the end of a path."""

    @abstractmethod
    def result(self, path: Path) -> Any:
        """Return the result of a variation."""

    def chosen(self, node: Node) -> Mapping[str, str | int]:
        """Return the choices of a position's latest turn, or those drawn before the first."""
        return {}

    @abstractmethod
    def progress(self, node: Node) -> str:
        """Return the progress of play, for the episode's one-line text."""

    @abstractmethod
    def verdict(self, path: Path) -> str | None:
        """Return the verdict of a finished variation, in a word."""

    @abstractmethod
    def said(self, move: Move) -> Iterable[tuple[str | None, str]]:
        """Return a move's texts with their channels; decisions and choices have None."""

    @abstractmethod
    def finished(
        self, events: Sequence[Event], tree: Tree, ended: frozenset[int], current: int
    ) -> tuple[Any, Iterable[Event]]:
        """Return the setup and events that everybody may read once a variation has ended.

        Parameters
        ----------
        events : sequence of Event
        tree : Tree
        ended : frozenset of int
            The positions of finished variations, which everybody may read.
        current : int
            The present position, which is one of them.
        """
