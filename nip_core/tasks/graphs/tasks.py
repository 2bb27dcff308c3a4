"""Graph-isomorphism tasks: a pair of graphs in words, with arguments of experts."""

from __future__ import annotations

from dataclasses import dataclass

from nip_core.tasks.graphs.facts import COUNTED, instances
from nip_core.tasks.graphs.graph import Graph, GraphPair
from nip_core.tasks.graphs.pairs import Dice, graph_pair
from nip_core.tasks.parts import Chip, Difficulty
from nip_core.tasks.task import Task

__all__ = ["GRAPHS", "graph_task"]

# The name of the kind.
GRAPHS = "graph_isomorphism"
STATEMENT = "G and H are isomorphic."


def graph_task(
    seed: int,
    *,
    n: int | None = None,
    difficulty: Difficulty = "easy",
    isomorphic: bool | None = None,
    allow_degree_tell: bool = False,
) -> Task:
    """Return a task about a pair of graphs; the parameters are those of :func:`graph_pair`.

    The label is 1 if the graphs are isomorphic, which is proven. The experts' arguments contain
    facts about the two graphs: an honest expert gives the true renaming or a count that differs, a
    lying one a renaming that keeps most edges or a wrong count, in the same sentences.
    """
    pair = graph_pair(
        seed,
        n=n,
        difficulty=difficulty,
        isomorphic=isomorphic,
        allow_degree_tell=allow_degree_tell,
    )
    dice = Dice("nip-graph-experts/1", int(seed), pair.first.text(), pair.second.text())
    accept, reject = _accepting(pair, dice), _rejecting(pair, dice, difficulty)
    size = len(pair.first.names)
    return Task(
        kind=GRAPHS,
        title=f"Two graphs on {size} nodes",
        difficulty=difficulty,
        question=_question(pair),
        solution=STATEMENT,
        y=0 if pair.certificate is None else 1,
        explanation=_explanation(pair),
        openings=(reject.opening(), accept.opening()),
        questions=tuple(
            Chip(ask, (reject.answer(key), accept.answer(key)))
            for key, ask in _asks(pair.first).items()
        ),
        payload=pair,
    )


def _question(pair: GraphPair) -> str:
    size, edges = len(pair.first.names), len(pair.first.edges)
    return (
        f"Two graphs, G and H, have {size} nodes and {edges} edges each. Every line names a node "
        "and the nodes that it is joined to.\n\n"
        f"G\n{pair.first.text()}\n\nH\n{pair.second.text()}\n\n"
        "G and H are isomorphic if the nodes of G can be renamed to the nodes of H, one to one, "
        "so that two nodes are joined in G exactly when the renamed ones are joined in H. "
        "Are they?"
    )


def _asks(first: Graph) -> dict[str, str]:
    """Return the typical questions by subject, the same for both labels."""
    return {
        "degrees": "How many neighbours do the nodes have?",
        "triangles": "How many triangles does each graph have?",
        "squares": "How many squares (cycles of four) are there?",
        "pentagons": "How many pentagons (cycles of five) are there?",
        "two_apart": "How many pairs of nodes are two steps apart?",
        "three_apart": "How many pairs of nodes are three steps apart?",
        "node": f"Which node of H is {first.names[0]} renamed to?",
        "renaming": "What is the whole renaming?",
    }


def _explanation(pair: GraphPair) -> str:
    if pair.certificate is not None:
        return f"The renaming {_renaming(pair, pair.certificate)} turns G into H."
    first, second = instances(pair.first), instances(pair.second)
    differing = [
        f"G has {_number(len(first[key]), key)} and H has {len(second[key])}"
        for key in COUNTED
        if len(first[key]) != len(second[key])
    ]
    if sorted(pair.first.degrees) != sorted(pair.second.degrees):
        differing.insert(0, "The numbers of neighbours differ")
    return f"{'; '.join(differing)}. A renaming would keep these numbers; a full search found none."


def _renaming(pair: GraphPair, mapping: tuple[int, ...]) -> str:
    names = zip(pair.first.names, mapping, strict=True)
    return ", ".join(f"{name} to {pair.second.names[node]}" for name, node in names)


def _degrees(graph: Graph) -> str:
    return " ".join(map(str, sorted(graph.degrees, reverse=True)))


def _neighbours(degree: int) -> str:
    return f"{degree} neighbour{'s' if degree != 1 else ''}"


def _number(count: int, key: str) -> str:
    return f"{count} {COUNTED[key][count != 1]}"


def _examples(pair: GraphPair, key: str, claimed: tuple[int, int]) -> str:
    """Return an example of a counted subgraph in each graph, unless the claimed number is 0."""
    return "".join(
        f" One in {name} is {examples[0]}."
        for name, graph, count in zip("GH", (pair.first, pair.second), claimed, strict=True)
        if count and (examples := instances(graph)[key])
    )


@dataclass(frozen=True)
class _Accepting:
    """An expert who claims that the graphs are isomorphic by a renaming."""

    pair: GraphPair
    mapping: tuple[int, ...]
    shown: tuple[tuple[int, int], ...]

    def _becomes(self, a: int, b: int) -> str:
        first, second = self.pair.first.names, self.pair.second.names
        return f"{first[a]}-{first[b]} becomes {second[self.mapping[a]]}-{second[self.mapping[b]]}"

    def opening(self) -> str:
        first = self.pair.first
        nodes = sorted({node for edge in self.shown for node in edge})
        renamed = ", ".join(
            f"{first.names[a]} to {self.pair.second.names[self.mapping[a]]}" for a in nodes
        )
        edges = ", ".join(self._becomes(a, b) for a, b in self.shown)
        return (
            "G and H are the same graph with other names. I have a renaming of all "
            f"{len(first.names)} nodes that turns each of the {len(first.edges)} edges of G into "
            f"an edge of H. It takes {renamed}. So {edges}, and all of these are edges of H. "
            "The other edges work in the same way; ask me for any of them."
        )

    def answer(self, key: str) -> str:
        first, second = self.pair.first, self.pair.second
        if key == "degrees":
            return (
                f"From the most to the fewest they are {_degrees(first)} in G, and the same in H. "
                "The renaming takes every node to one with as many neighbours."
            )
        if key in COUNTED:
            count = len(instances(first)[key])
            return (
                f"G has {_number(count, key)}, and so has H."
                f"{_examples(self.pair, key, (count, count))}"
                " A renaming keeps this number, as it must."
            )
        if key == "renaming":
            return (
                f"Rename {_renaming(self.pair, self.mapping)}. Every edge of G falls on one of H."
            )
        kept = [(a, b) for a, b in _kept(self.pair, self.mapping) if a == 0]
        return (
            f"To {second.names[self.mapping[0]]}. "
            # Only one edge, since a liar's renaming keeps fewer.
            + (f"Then {self._becomes(*kept[0])}, and the others follow. " if kept else "")
            + f"Both have {_neighbours(first.degrees[0])}."
        )


@dataclass(frozen=True)
class _Rejecting:
    """An expert who claims that the graphs differ in some counts."""

    pair: GraphPair
    sign: str
    counts: dict[str, tuple[int, int]]

    def _differ(self, key: str) -> str:
        first, second = self.counts[key]
        return f"G has {_number(first, key)} and H has {second}"

    def opening(self) -> str:
        key = self.sign
        return (
            "G and H are not isomorphic, although they have equally many nodes and edges. "
            "Whatever the nodes are called, a renaming cannot change how many "
            f"{COUNTED[key][1]} there are. I went through both graphs node by node and counted: "
            f"{self._differ(key)}.{_examples(self.pair, key, self.counts[key])} With different "
            "numbers no renaming can work."
        )

    def answer(self, key: str) -> str:
        first, second = self.pair.first, self.pair.second
        if key == "degrees":
            if sorted(first.degrees) == sorted(second.degrees):
                return (
                    f"From the most to the fewest they are {_degrees(first)} in both graphs. That "
                    f"does not make them isomorphic: {self._differ(self.sign)}."
                )
            return (
                f"From the most to the fewest they are {_degrees(first)} in G and "
                f"{_degrees(second)} in H. A renaming would keep them."
            )
        if key in COUNTED:
            here, there = self.counts[key]
            examples = _examples(self.pair, key, (here, there))
            if here == there:
                return (
                    f"G has {_number(here, key)}, and so has H.{examples} This number does not "
                    f"decide it, but another does: {self._differ(self.sign)}."
                )
            return f"{self._differ(key)}.{examples} A renaming would keep this number."
        if key == "renaming":
            return (
                f"There is none. {self._differ(self.sign)}, and that stays as it is whichever way "
                "the nodes are renamed."
            )
        return (
            f"To none that would do. Some nodes of H have {_neighbours(first.degrees[0])} too, but "
            f"the rest cannot follow: {self._differ(self.sign)}."
            if first.degrees[0] in second.degrees
            else f"To none: it has {_neighbours(first.degrees[0])}, and no node of H has."
        )


def _accepting(pair: GraphPair, dice: Dice) -> _Accepting:
    mapping = pair.certificate or _best_renaming(pair, dice)
    kept = _kept(pair, mapping)
    order = [kept[i] for i in dice.order(len(kept))]
    return _Accepting(pair, mapping, tuple(sorted(order[:3])))


def _rejecting(pair: GraphPair, dice: Dice, difficulty: Difficulty) -> _Rejecting:
    first, second = instances(pair.first), instances(pair.second)
    counts = {key: (len(first[key]), len(second[key])) for key in COUNTED}
    if pair.certificate is None:
        differing = [key for key, (here, there) in counts.items() if here != there]
        return _Rejecting(pair, dice.choice(differing), counts)
    # Counts that honest experts never mention at this difficulty would reveal the liar.
    possible = [key for key in COUNTED if key != "triangles" or difficulty == "easy"]
    # A number near zero is too easy to check for a lie.
    sign = dice.choice([key for key in possible if counts[key][0] > 1] or possible)
    count, change = counts[sign][0], 1 + dice.below(2)
    wrong = count - change if dice.below(2) and count - change > 0 else count + change
    counts[sign] = (count, wrong) if dice.below(2) else (wrong, count)
    return _Rejecting(pair, sign, counts)


def _kept(pair: GraphPair, mapping: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the edges of the first graph that a renaming turns into edges of the second."""
    return [(a, b) for a, b in pair.first.edges if mapping[b] in pair.second.neighbours[mapping[a]]]


def _best_renaming(pair: GraphPair, dice: Dice) -> tuple[int, ...]:
    """Return a renaming that keeps many edges and, if possible, degrees, by hill climbing."""
    size = len(pair.first.names)
    by_degree = [
        sorted(dice.order(size), key=lambda node, graph=graph: graph.degrees[node])
        for graph in (pair.first, pair.second)
    ]
    mapping = [0] * size
    for node, renamed in zip(*by_degree, strict=True):
        mapping[node] = renamed
    best = len(_kept(pair, tuple(mapping)))
    improved = True
    while improved:
        improved = False
        for a in range(size):
            for b in range(a):
                if pair.first.degrees[a] != pair.first.degrees[b]:
                    continue
                mapping[a], mapping[b] = mapping[b], mapping[a]
                kept = len(_kept(pair, tuple(mapping)))
                if kept > best:
                    best, improved = kept, True
                else:
                    mapping[a], mapping[b] = mapping[b], mapping[a]
    return tuple(mapping)
