"""Invariants of small graphs, which do not depend on the names of nodes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from nip_core.tasks.graphs.graph import Graph

__all__ = ["COUNTED", "find_isomorphism", "instances", "same_colours"]

# The counted subgraphs in an expert's words, singular and plural.
COUNTED = {
    "triangles": ("triangle", "triangles"),
    "squares": ("square (cycle of four)", "squares (cycles of four)"),
    "pentagons": ("pentagon (cycle of five)", "pentagons (cycles of five)"),
    "two_apart": ("pair at distance two", "pairs at distance two"),
    "three_apart": ("pair at distance three", "pairs at distance three"),
}


def instances(graph: Graph) -> dict[str, tuple[str, ...]]:
    """Return all counted subgraphs, written with the names of their nodes.

    Their numbers are invariants: isomorphic graphs have the same.
    """

    def write(nodes: tuple[int, ...]) -> str:
        return "-".join(graph.names[node] for node in nodes)

    def apart(steps: int) -> tuple[str, ...]:
        return tuple(
            write((a, b))
            for a in range(len(graph.names))
            for b, distance in sorted(graph.distances(a).items())
            if distance == steps and a < b
        )

    return {
        "triangles": tuple(map(write, _cycles(graph, 3))),
        "squares": tuple(map(write, _cycles(graph, 4))),
        "pentagons": tuple(map(write, _cycles(graph, 5))),
        "two_apart": apart(2),
        "three_apart": apart(3),
    }


def _cycles(graph: Graph, length: int) -> Iterator[tuple[int, ...]]:
    """Yield each cycle once, from its smallest node towards the smaller neighbour of that."""

    def extend(path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        joined = graph.neighbours[path[-1]]
        if len(path) == length:
            if path[0] in joined and path[1] < path[-1]:
                yield path
            return
        for node in sorted(joined):
            if node > path[0] and node not in path:
                yield from extend((*path, node))

    for start in range(len(graph.names)):
        yield from extend((start,))


def same_colours(first: Graph, second: Graph) -> bool:
    """Return whether colour refinement (1-dimensional Weisfeiler-Leman) cannot distinguish them."""
    graphs = (first, second)
    colours = [[0] * len(graph.names) for graph in graphs]
    for _ in range(max(len(first.names), len(second.names)) + 1):
        signatures = [
            [
                (colour[node], tuple(sorted(colour[other] for other in joined)))
                for node, joined in enumerate(graph.neighbours)
            ]
            for graph, colour in zip(graphs, colours, strict=True)
        ]
        if sorted(signatures[0]) != sorted(signatures[1]):
            return False
        number = {s: i for i, s in enumerate(sorted(set(signatures[0])))}
        colours = [[number[s] for s in side] for side in signatures]
    return True


def find_isomorphism(first: Graph, second: Graph) -> tuple[int, ...] | None:
    """Return a renaming that turns the first graph into the second, by a complete search.

    Returns
    -------
    tuple of int or None
        For each node of the first graph a node of the second; None if there is no such renaming.
        Found with networkx's VF2, which is exact.
    """
    networkx: Any = importlib.import_module("networkx")
    drawn: list[Any] = []
    for graph in (first, second):
        copy = networkx.Graph()
        copy.add_nodes_from(range(len(graph.names)))
        copy.add_edges_from(graph.edges)
        drawn.append(copy)
    matcher = networkx.isomorphism.GraphMatcher(*drawn)
    if not matcher.is_isomorphic():
        return None
    return tuple(int(matcher.mapping[node]) for node in range(len(first.names)))
