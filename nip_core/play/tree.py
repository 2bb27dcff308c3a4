"""The tree of an episode: its positions, how they continue, and what seats were shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from nip_core.displays import displayed
from nip_core.errors import UnknownNameError
from nip_core.language.data import Act
from nip_core.language.expressions import Registers
from nip_core.language.structure import Place
from nip_core.play.deal import Release
from nip_core.play.moves import Move
from nip_core.text import SeenRound

__all__ = ["Branch", "Node", "Tree"]


@displayed
@dataclass(frozen=True, slots=True)
class Node:
    """A position: the state after a turn, once all its moves are revealed.

    Parameters
    ----------
    id : int
        Counted from 0, the beginning.
    parent : int, optional
    round : int
        The number of turns played.
    moves : mapping of str to Move
        The moves of the latest turn, by agent.
    done, terminated : bool
        Whether the episode has ended; in a protocol of rounds, by a decision or since they have
        run out.
    rewards : tuple of float
        The latest turn's rewards, by agent.
    tainted : frozenset of str
        The seats that knew the outcome of another variation when this turn was played.
    place : Place, optional
        The next turn; None once play is over.
    registers : mapping
        The value of each choice; see :class:`nip_core.language.machine.Machine`.
    release : Release, optional
        The latest turn; None at the beginning.
    acts : tuple of Act
        What may be done in the next turn, also by chance.
    speakers : tuple of str
        The seats that act in it, in the protocol's order.
    """

    id: int
    parent: int | None
    round: int
    moves: Mapping[str, Move] = field(default_factory=dict[str, Move])
    done: bool = False
    terminated: bool = False
    rewards: tuple[float, ...] = ()
    tainted: frozenset[str] = frozenset()
    place: Place | None = None
    registers: Registers = field(default_factory=dict[str, Any], repr=False)
    release: Release | None = None
    acts: tuple[Act, ...] = field(default=(), repr=False)
    speakers: tuple[str, ...] = field(default=(), repr=False)

    @property
    def over(self) -> bool:
        """Whether the episode has ended here."""
        return self.done or self.terminated


@displayed
@dataclass(frozen=True, slots=True)
class Branch:
    """A position of the tree as one seat may see it."""

    id: int
    parent: int | None
    round: int
    over: bool
    seen: SeenRound


class Tree:
    """All positions of an episode. Positions are only added.

    Parameters
    ----------
    beginning : Node

    Attributes
    ----------
    nodes : list of Node
        The positions by number.
    made_by : list of tuple of int
        For each position, the numbers of the events that led to it.
    """

    def __init__(self, beginning: Node) -> None:
        self.nodes = [beginning]
        self.made_by: list[tuple[int, ...]] = [()]
        # Counts for `tainted`, which is needed in every round: how many positions have shown a seat
        # something, in the whole tree and on the path to each position.
        self._shown: dict[str, int] = {}
        self._shown_on_path: list[Mapping[str, int]] = [{}]
        # For each position in which nobody can move, the one after the silent rounds that follow
        # it.
        self._behind: dict[int, int] = {}

    def __copy__(self) -> Tree:
        """Return an independent tree with the same positions."""
        other = Tree.__new__(Tree)
        vars(other).update({name: copy(value) for name, value in vars(self).items()})
        return other

    def __len__(self) -> int:
        return len(self.nodes)

    def at(self, node: int) -> Node:
        """Return a position by its number."""
        if type(node) is not int or not 0 <= node < len(self.nodes):
            raise UnknownNameError("position", node, [f"0 to {len(self.nodes) - 1}"])
        return self.nodes[node]

    def path(self, end: Node) -> tuple[Node, ...]:
        """Return the positions from the beginning to one."""
        found = [end]
        while found[-1].parent is not None:
            found.append(self.nodes[found[-1].parent])
        return tuple(reversed(found))

    def children(self, node: int) -> tuple[Node, ...]:
        """Return the positions directly after one."""
        return tuple(n for n in self.nodes[node + 1 :] if n.parent == node)

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The ends of all variations."""
        inner = {node.parent for node in self.nodes}
        return tuple(node for node in self.nodes if node.id not in inner)

    def tainted(self, node: int) -> frozenset[str]:
        """Return the seats that know, at a position, the outcome of another variation."""
        on_path = self._shown_on_path[node]
        if on_path == self._shown:
            return frozenset()
        return frozenset(who for who, all_of in self._shown.items() if all_of > on_path.get(who, 0))

    def add(self, node: Node, shown_to: frozenset[str], made_by: tuple[int, ...] = ()) -> None:
        """Add a position, the seats that it has shown something, and the events behind it."""
        assert node.id == len(self.nodes)
        assert node.parent is not None
        self.nodes.append(node)
        self.made_by.append(made_by)
        on_path = dict(self._shown_on_path[node.parent])
        for who in shown_to:
            self._shown[who] = self._shown.get(who, 0) + 1
            on_path[who] = on_path.get(who, 0) + 1
        self._shown_on_path.append(on_path)

    def pass_by(self, silent: Iterable[int], to: int) -> None:
        """Record the position that follows silent rounds."""
        self._behind.update(dict.fromkeys(silent, to))

    def behind_silence(self, node: int) -> int:
        """Return the position in which somebody can move, after silent rounds."""
        return self._behind.get(node, node)
