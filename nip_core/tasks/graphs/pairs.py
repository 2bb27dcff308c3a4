"""Pairs of graphs from a seed, with a proof of whether they are isomorphic."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from nip_core.documents import show, stable_hash
from nip_core.errors import TaskError, UnknownNameError
from nip_core.tasks.graphs.facts import find_isomorphism, instances, same_colours
from nip_core.tasks.graphs.graph import MAX_NODES, Graph, GraphPair
from nip_core.tasks.parts import DIFFICULTIES, Difficulty

__all__ = ["DEFAULT_NODES", "MIN_NODES", "Dice", "graph_pair"]

# With fewer nodes, there are too few pairs of a difficulty, or none.
MIN_NODES: dict[Difficulty, int] = {"easy": 6, "medium": 7, "hard": 8}
DEFAULT_NODES: dict[Difficulty, int] = {"easy": 7, "medium": 8, "hard": 10}

_MAX_TRIES = 5_000

Edge = tuple[int, int]
T = TypeVar("T")


class Dice:
    """A random generator that is the same on every platform and in every version of Python.

    Python guarantees that only for ``random()``, so all methods use it.
    """

    def __init__(self, *seed: str | int) -> None:
        self._random = random.Random(int.from_bytes(stable_hash(*seed)))

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1."""
        return int(self._random.random() * limit)

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]

    def order(self, size: int) -> tuple[int, ...]:
        """Return the numbers below `size` in some order."""
        numbers = list(range(size))
        for i in range(size - 1, 0, -1):
            j = self.below(i + 1)
            numbers[i], numbers[j] = numbers[j], numbers[i]
        return tuple(numbers)


def graph_pair(
    seed: int,
    *,
    n: int | None = None,
    difficulty: Difficulty = "easy",
    isomorphic: bool | None = None,
    allow_degree_tell: bool = False,
) -> GraphPair:
    """Return two connected graphs with equally many nodes and edges.

    Two graphs A and B that are not isomorphic are made first. The pair is A and B, or A and another
    drawing of A, each with its nodes renamed at random. So each graph alone reveals nothing about
    the label: the same seed gives the same first graph for both labels.

    The difference between A and B depends on the difficulty. The numbers of triangles, squares,
    pentagons or pairs at distance two or three always differ, so that people can be shown a reason:

    - easy: the degrees agree, the numbers of triangles differ;
    - medium: degrees and triangles agree, colour refinement (1-WL) tells the graphs apart;
    - hard: all nodes have the same degree (3, or 4 if `n` is odd), so colour refinement fails
      too, and the numbers of triangles agree.

    Parameters
    ----------
    seed : int
    n : int, optional
        The number of nodes: at least 6, 7, 8 by difficulty, at most 24; 7, 8, 10 if left out.
    difficulty : {"easy", "medium", "hard"}
    isomorphic : bool, optional
        Drawn from the seed if left out.
    allow_degree_tell : bool
        Allow graphs that differ in their degrees. Only for easy ones.

    Returns
    -------
    GraphPair
        With the renaming as its certificate if the graphs are isomorphic; otherwise a complete
        search has found none.
    """
    if difficulty not in DIFFICULTIES:
        raise UnknownNameError("difficulty", difficulty, DIFFICULTIES)
    n = DEFAULT_NODES[difficulty] if n is None else n
    least = MIN_NODES[difficulty]
    if not isinstance(n, int) or not least <= n <= MAX_NODES:
        raise TaskError(f"n is {show(n)}; {difficulty} graphs have {least} to {MAX_NODES} nodes.")
    if allow_degree_tell and difficulty != "easy":
        raise TaskError(f"allow_degree_tell is for easy graphs; these are {difficulty}.")

    dice = Dice("nip-graphs/1", int(seed), n, difficulty, int(allow_degree_tell))
    # Drawn even if it is not needed, so that later draws are the same.
    tossed = dice.below(2) == 1
    a, b = _different(n, difficulty, dice, allow_degree_tell)
    first_order, second_order = dice.order(n), dice.order(n)
    first = _renamed(a, first_order, [chr(ord("a") + i) for i in range(n)])
    same = tossed if isomorphic is None else isomorphic
    second = _renamed(a if same else b, second_order, [str(i + 1) for i in range(n)])
    if same:
        place = {old: new for new, old in enumerate(first_order)}
        by_name = sorted(range(n), key=place.__getitem__)
        return GraphPair(first, second, tuple(second_order.index(old) for old in by_name))
    if find_isomorphism(first, second) is not None:  # the different counts prove it already
        raise AssertionError("graphs with different facts are isomorphic")
    return GraphPair(first, second)


def _renamed(graph: Graph, order: tuple[int, ...], names: list[str]) -> Graph:
    """Return the graph with its nodes in another order, and names in that order."""
    place = {old: new for new, old in enumerate(order)}
    return Graph(tuple(names), tuple((place[a], place[b]) for a, b in graph.edges))


def _different(
    n: int, difficulty: Difficulty, dice: Dice, degree_tell: bool
) -> tuple[Graph, Graph]:
    """Return two different graphs of a difficulty."""
    edges = n + n // 3 + dice.below(max(1, n // 4))
    for _ in range(_MAX_TRIES):
        a = _ring(n) if difficulty == "hard" else _sparse(n, edges, dice)
        if difficulty == "hard":
            a = _rewired(a, dice)
        b = _sparse(n, edges, dice) if degree_tell else _rewired(a, dice)
        if a.connected and b.connected and _suits(a, b, difficulty, degree_tell):
            # Both are rewired, so that the second graph is of the same kind as the first.
            return (a, b) if dice.below(2) else (b, a)
    raise TaskError(f"No {difficulty} pair of graphs on {n} nodes was found.")


def _suits(a: Graph, b: Graph, difficulty: Difficulty, degree_tell: bool) -> bool:
    counts = [
        {key: len(subgraphs) for key, subgraphs in instances(graph).items()} for graph in (a, b)
    ]
    if counts[0] == counts[1]:
        return False
    if degree_tell:
        return True
    if difficulty == "easy":
        return counts[0]["triangles"] != counts[1]["triangles"]
    if counts[0]["triangles"] != counts[1]["triangles"]:
        return False
    return same_colours(a, b) == (difficulty == "hard")


def _ring(n: int) -> Graph:
    """Return a graph whose nodes have 3 neighbours (4 if n is odd, since 3 is impossible)."""
    step = 2 if n % 2 else n // 2
    edges = {tuple(sorted((i, (i + d) % n))) for i in range(n) for d in (1, step)}
    return _numbered(n, [(a, b) for a, b in edges])


def _sparse(n: int, edges: int, dice: Dice) -> Graph:
    """Return a connected graph: a random tree with additional random edges."""
    chosen = {(dice.below(node), node) for node in range(1, n)}
    while len(chosen) < edges:
        a, b = dice.below(n), dice.below(n)
        if a < b:
            chosen.add((a, b))
    return _numbered(n, sorted(chosen))


def _rewired(graph: Graph, dice: Dice) -> Graph:
    """Return the graph after swapping ends of random pairs of edges, which keeps all degrees."""
    edges = list(graph.edges)
    present = set(edges)
    for _ in range(8 * len(edges)):
        i, j = dice.below(len(edges)), dice.below(len(edges))
        (a, b), (c, d) = edges[i], edges[j]
        if dice.below(2):
            c, d = d, c
        if len({a, b, c, d}) < 4:
            continue
        new = ((min(a, d), max(a, d)), (min(c, b), max(c, b)))
        if present.isdisjoint(new):
            present -= {edges[i], edges[j]}
            present.update(new)
            edges[i], edges[j] = new
    return _numbered(len(graph.names), edges)


def _numbered(n: int, edges: Sequence[Edge]) -> Graph:
    return Graph(tuple(map(str, range(n))), tuple(edges))
