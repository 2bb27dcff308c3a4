"""Pairs of small graphs as data, with their text form and layouts."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, cast

from nip_core.displays import Table, Tabular, line
from nip_core.errors import TaskError, UnknownNameError
from nip_core.tasks.documents import as_list, as_object

__all__ = ["LAYOUTS", "MAX_NODES", "Graph", "GraphPair"]

# The most nodes: such graphs can be drawn on a phone, and a complete search for isomorphisms takes
# milliseconds.
MAX_NODES = 24

Position = tuple[float, float]


@dataclass(frozen=True)
class Graph(Tabular):
    """A simple, undirected graph.

    Parameters
    ----------
    names : tuple of str
        One name per node. Nodes are numbered in this order, from 0.
    edges : tuple of (int, int)
        Pairs of node numbers. Kept sorted, each pair too, so that equal graphs compare equal.
    """

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]

    def __repr__(self) -> str:
        return line(self, f"{len(self.names)} nodes, {len(self.edges)} edges")

    def table(self) -> Table:
        """Return the neighbours of each node as a table."""
        rows = [
            (name, ", ".join(self.names[other] for other in sorted(joined)))
            for name, joined in zip(self.names, self.neighbours, strict=True)
        ]
        return Table(("node", "joined to"), rows)

    def __post_init__(self) -> None:
        names = self.names
        if not 1 <= len(names) <= MAX_NODES:
            raise TaskError(f"A graph has {len(names)} nodes; 1 to {MAX_NODES} are allowed.")
        for name in names:
            if not isinstance(name, str) or not name.isalnum() or len(name) > 8:
                raise TaskError(f"A node's name is {name!r:.60}; 1 to 8 letters or digits are.")
        if len(set(names)) != len(names):
            raise TaskError("Two nodes of a graph have the same name.")
        edges: set[tuple[int, int]] = set()
        for edge in self.edges:
            numbers = [node for node in edge if type(node) is int and 0 <= node < len(names)]
            if len(edge) != 2 or len(numbers) != 2 or numbers[0] == numbers[1]:
                raise TaskError(
                    f"An edge is {edge!r:.60}; it must join two different node numbers below "
                    f"{len(names)}."
                )
            edges.add((min(numbers), max(numbers)))
        if len(edges) != len(self.edges):
            raise TaskError("A graph has the same edge twice.")
        object.__setattr__(self, "edges", tuple(sorted(edges)))

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """The neighbours of each node."""
        joined: list[set[int]] = [set() for _ in self.names]
        for a, b in self.edges:
            joined[a].add(b)
            joined[b].add(a)
        return tuple(map(frozenset, joined))

    @property
    def degrees(self) -> tuple[int, ...]:
        """The number of neighbours of each node."""
        return tuple(map(len, self.neighbours))

    def distances(self, start: int) -> dict[int, int]:
        """Return the number of steps from `start` to each node that can be reached."""
        steps = {start: 0}
        queue = [start]
        for node in queue:
            for other in sorted(self.neighbours[node] - steps.keys()):
                steps[other] = steps[node] + 1
                queue.append(other)
        return steps

    @property
    def connected(self) -> bool:
        """Return whether every node can be reached from every other."""
        return len(self.distances(0)) == len(self.names)

    def text(self) -> str:
        """Return the graph as adjacency lists, a line for each node, in the order of the nodes."""
        return "\n".join(
            f"{name}: {', '.join(self.names[other] for other in sorted(joined))}".rstrip()
            for name, joined in zip(self.names, self.neighbours, strict=True)
        )

    def layout(self, name: str = "circular") -> tuple[Position, ...]:
        """Return a position for each node, in the square from -1 to 1.

        It depends only on this graph, so the drawings of two graphs side by side reveal nothing
        about their relation.

        Parameters
        ----------
        name : {"circular", "layers", "spring"}
            Nodes on a circle; in columns by their distance from the first node; or pulled
            together by their edges.
        """
        if name not in _LAYOUTS:
            raise UnknownNameError("layout", name, LAYOUTS)
        # Rounded, since the last digits of sines and sums may differ between machines.
        return tuple((round(x, 4) + 0.0, round(y, 4) + 0.0) for x, y in _LAYOUTS[name](self))

    def to_dict(self) -> dict[str, Any]:
        """Return the graph as a plain document."""
        return {"names": list(self.names), "edges": [list(edge) for edge in self.edges]}

    @classmethod
    def from_dict(cls, document: object, at: str = "the graph") -> Graph:
        """Read what :meth:`to_dict` made; the document is untrusted."""
        fields = as_object(document, at, ("names", "edges"))
        edges = as_list(fields["edges"], f"{at}.edges")
        return cls(
            tuple(as_list(fields["names"], f"{at}.names")),
            tuple(cast("tuple[int, int]", tuple(as_list(edge, f"{at}.edges"))) for edge in edges),
        )


def _circular(graph: Graph) -> list[Position]:
    turn = math.tau / len(graph.names)
    return [(math.sin(i * turn), math.cos(i * turn)) for i in range(len(graph.names))]


def _layers(graph: Graph) -> list[Position]:
    distances = graph.distances(0)
    last = max(distances.values()) + (len(distances) < len(graph.names))
    layer_of = [distances.get(node, last) for node in range(len(graph.names))]
    positions: list[Position] = []
    for node, layer in enumerate(layer_of):
        rank, size = layer_of[:node].count(layer), layer_of.count(layer)
        x = 2 * layer / last - 1 if last else 0.0
        # The columns have slightly different heights, since edges along a row would overlap.
        y = (1 - 2 * (rank + 0.5) / size) * (1 - 0.08 * (layer % 3))
        positions.append((x, y))
    return positions


# Cached, since a page draws the same graphs after every move.
@lru_cache(maxsize=128)
def _spring(graph: Graph) -> list[Position]:
    networkx: Any = importlib.import_module("networkx")
    drawn = networkx.Graph()
    drawn.add_nodes_from(range(len(graph.names)))
    drawn.add_edges_from(graph.edges)
    positions = networkx.spring_layout(drawn, seed=0, iterations=200)
    return [(float(positions[i][0]), float(positions[i][1])) for i in range(len(graph.names))]


_LAYOUTS: dict[str, Callable[[Graph], list[Position]]] = {
    "circular": _circular,
    "layers": _layers,
    "spring": _spring,
}
LAYOUTS = tuple(_LAYOUTS)


@dataclass(frozen=True, slots=True)
class GraphPair(Tabular):
    """Two graphs and, if they are isomorphic, the proof of it.

    Parameters
    ----------
    first, second : Graph
    certificate : tuple of int, optional
        For each node of the first graph, the node of the second that it is renamed to. It is
        checked, so a pair with a certificate *is* isomorphic. For a pair without one, a complete
        search was made when it was created.
    """

    key: ClassVar[str] = "graphs"
    proof_key: ClassVar[str] = "certificate"

    first: Graph
    second: Graph
    certificate: tuple[int, ...] | None = None

    # Not shown by default, since it answers the question.
    def __repr__(self) -> str:
        return line(self, repr(self.first), repr(self.second))

    def table(self) -> Table:
        """Return the neighbours of each node in both graphs as a table."""
        both = (("first", self.first), ("second", self.second))
        rows = [(which, *row) for which, graph in both for row in graph.table().rows]
        return Table(("graph", "node", "joined to"), rows)

    def __post_init__(self) -> None:
        if self.certificate is None:
            return
        if len(self.first.names) != len(self.second.names) or sorted(self.certificate) != list(
            range(len(self.second.names))
        ):
            raise TaskError("The certificate does not rename the nodes of the graphs one to one.")
        renamed = {frozenset(self.certificate[node] for node in edge) for edge in self.first.edges}
        if renamed != set(map(frozenset, self.second.edges)):
            raise TaskError("The certificate does not turn the first graph into the second.")

    @property
    def shown(self) -> tuple[Graph, Graph]:
        """Return the graphs without the proof."""
        return self.first, self.second

    @property
    def proof(self) -> tuple[int, ...] | None:
        """Return the certificate, if there is one."""
        return self.certificate

    def check(self, y: int) -> None:
        """Refuse a label that contradicts the certificate."""
        if (self.certificate is not None) != (y == 1):
            raise TaskError("Two graphs have a certificate exactly if y is 1.")

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as a plain document."""
        document: dict[str, object] = {
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
        }
        if self.certificate is not None:
            document["certificate"] = list(self.certificate)
        return document

    @classmethod
    def from_dict(cls, document: object) -> GraphPair:
        """Read what :meth:`to_dict` made; the document is untrusted."""
        fields = as_object(document, "graphs", ("first", "second"), ("certificate",))
        certificate = fields.get("certificate")
        if certificate is not None:
            certificate = tuple(as_list(certificate, "graphs.certificate"))
            if not all(type(node) is int for node in certificate):
                raise TaskError("graphs.certificate must be a list of node numbers.")
        return cls(
            Graph.from_dict(fields["first"], "graphs.first"),
            Graph.from_dict(fields["second"], "graphs.second"),
            certificate,
        )
