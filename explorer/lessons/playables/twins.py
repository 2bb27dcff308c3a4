"""Two graphs: try to match them, then see which drawings their shuffled copies produce."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import Any

from explorer.lessons.game import Edge
from explorer.lessons.games.isomorphism import DIFFERENT, SAME

TITLE = "Are they the same graph?"
FRONT = "touch_twins"
NODES = 6

Graph = frozenset[frozenset[int]]


def _graph(edges: Iterable[Edge]) -> Graph:
    return frozenset(map(frozenset, edges))


def copies(edges: Iterable[Edge]) -> frozenset[Graph]:
    """Return all drawings that result from renaming the nodes."""
    pairs = tuple(edges)
    return frozenset(
        _graph((names[a], names[b]) for a, b in pairs) for names in permutations(range(NODES))
    )


def data() -> dict[str, Any]:
    """Return both pairs of graphs, all drawings of copies, and which graphs have them."""
    found = {edges: copies(edges) for pair in (SAME, DIFFERENT) for edges in pair}
    slots = sorted(map(_plain, {graph for graphs in found.values() for graph in graphs}))
    places = {tuple(map(tuple, slot)): place for place, slot in enumerate(slots)}
    lands = {
        edges: sorted(places[tuple(map(tuple, _plain(graph)))] for graph in graphs)
        for edges, graphs in found.items()
    }
    return {
        "slots": slots,
        "pairs": [
            {
                "same": not found[first].isdisjoint(found[second]),
                "graphs": [_plain(_graph(each)) for each in (first, second)],
                "lands": [lands[first], lands[second]],
                # The largest number of matching lines, over all ways to match the nodes.
                "most": max(len(_graph(first) & copy) for copy in found[second]),
            }
            for first, second in (SAME, DIFFERENT)
        ],
    }


def _plain(graph: Graph) -> list[list[int]]:
    return sorted(sorted(edge) for edge in graph)
