"""Questions about two graphs, and experts' answers for their side.

Nobody lies about the graphs themselves, which everybody can see. An expert who argues that they are
the same answers with the prepared renaming; if that does not keep an edge, it has to lie, and may
invent another plausible node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from explorer.players.scripted.levels import INVENTIONS, Level, Way
from explorer.players.scripted.text import sentences
from explorer.players.scripted.voices import Said, Voice
from nip_core.tasks import COUNTED, Graph, instances

# The question for the whole renaming.
RENAMING = "What is the whole renaming?"
RENAMED = re.compile(r"\b(\w{1,8}) to (\w{1,8})\b")
IMAGE = re.compile(
    r"\b(?:renam\w*|image|map\w*|go|goes|correspond\w*|match\w*|become\w*)\b", re.IGNORECASE
)
JOINED = re.compile(
    r"\b(?:joined|connect\w*|adjacent|linked|edges?|between|neighbou?rs? of)\b", re.IGNORECASE
)
NEIGHBOURS = re.compile(
    r"\b(?:neighbou?rs?|degree|joined|connect\w*|adjacent|linked|edges?)\b", re.IGNORECASE
)
# The text after the node "a", but not after the word "a".
NOT_AN_ARTICLE = re.compile(
    r"\s*(?:[^\w\s]|$)|\s+(?:and|or|to|in|is|has|have|go|goes|become|becomes|get|renamed|mapped|"
    r"joined|connected|adjacent|linked)\b",
    re.IGNORECASE,
)
EDGE = re.compile(r"\b(\w{1,8})\s?(?:-|–|--)\s?(\w{1,8})\b")


@dataclass(frozen=True)
class Pairs:
    """Answers questions about two graphs."""

    graphs: tuple[Graph, Graph]
    stance: int | None
    level: Level
    voice: Voice
    seed: int
    story: int
    # The prepared sign that no renaming works, or else the whole renaming.
    sign: str
    # The prepared answers, by question.
    prepared: Mapping[str, str] = field(default_factory=dict[str, str])
    # The argument, the same for all experts of the side.
    opening: str = ""
    # The number of questions that were turned aside before.
    asides: int = 0

    @property
    def renaming(self) -> dict[str, str]:
        """The expert's prepared renaming, by names."""
        first, second = self.graphs
        pairs = RENAMED.findall(self.sign) if self.stance == 1 else []
        return {a: b for a, b in pairs if a in first.names and b in second.names}

    def answers(self, text: str) -> Iterator[Said]:
        """Return the answers to questions about nodes or edges."""
        if text in self.prepared:
            yield from self._of_all(text)
            return
        edges = [(a, b) for a, b in EDGE.findall(text) if a != b and self._graph_of(a, b)]
        nodes = self._nodes(text)
        about_image = bool(IMAGE.search(text))
        if not edges and len(nodes) == 2 and JOINED.search(text) and self._graph_of(*nodes):
            edges = [(nodes[0], nodes[1])]
        if edges:
            for a, b in edges[:3]:
                yield self._edge_image(a, b) if about_image else self._joined(a, b)
        elif about_image or NEIGHBOURS.search(text):
            for node in nodes[:3]:
                in_first = node in self.graphs[0].names
                yield self._image(node) if about_image and in_first else self._neighbours(node)

    def _nodes(self, text: str) -> list[str]:
        """Return the nodes that a text names."""
        found = [
            match[0]
            for match in re.finditer(r"\b\w{1,8}\b", text)
            if self._graph_of(match[0]) is not None
            and (match[0] != "a" or NOT_AN_ARTICLE.match(text, match.end()))
        ]
        return list(dict.fromkeys(found))

    def _graph_of(self, *nodes: str) -> Graph | None:
        for graph in self.graphs:
            if all(node in graph.names for node in nodes):
                return graph
        return None

    def _name(self, graph: Graph) -> str:
        return "G" if graph is self.graphs[0] else "H"

    def _neighbours(self, node: str) -> Said:
        graph = self._graph_of(node)
        assert graph is not None
        joined = sorted(graph.neighbours[graph.names.index(node)])
        count = f"{len(joined)} neighbour{'s' if len(joined) != 1 else ''}"
        others = ", ".join(graph.names[other] for other in joined) or "nothing"
        return self._fact("neighbours", node, graph, others=others, count=count, node=node)

    def _joined(self, a: str, b: str) -> Said:
        graph = self._graph_of(a, b)
        assert graph is not None
        there = graph.names.index(b) in graph.neighbours[graph.names.index(a)]
        return self._fact("joined" if there else "apart", f"{a}-{b}", graph, pair=f"{a}-{b}")

    def _fact(self, template: str, about: str, graph: Graph, **facts: object) -> Said:
        text = self.voice.say(f"graph.{template}", 0, graph=self._name(graph), **facts)
        return Said(text, "graph", about)

    def _image(self, node: str) -> Said:
        renaming = self.renaming
        if node not in renaming:
            return self._no_image(node)
        planned = renaming[node]
        rehearsed = (node, planned) in RENAMED.findall(self.opening)
        broken = any(not self._kept(node, other) for other in self._joined_to(node))
        broken = broken and not rehearsed
        image, way, choices = self._lie(broken, node, planned, "image", node)
        text = self.voice.say("graph.image", 0, node=node, image=image)
        return Said(text, "graph", node, way, image, planned, telling=broken, choices=choices)

    def _of_all(self, asked: str) -> Iterator[Said]:
        """Answer a question about the whole graphs, or turn it aside, if there is a better one."""
        if self.breaks and self.asides < self.level.aside:
            kept = [edge for edge in self._edges if self._kept(*edge)]
            a, b = kept[self.story % len(kept)]
            claim = self._edge_image(a, b).text
            yield Said(self.voice.say("run.aside", 0, claim=claim), "aside", asked)
        elif asked == RENAMING and self.renaming:
            yield self._whole()
        elif self.breaks:
            yield from self._counts(asked)

    def _counts(self, asked: str) -> Iterator[Said]:
        """Return the true numbers, if they slip out."""
        said = self.prepared[asked]
        key = next((key for key, words in COUNTED.items() if any(w in said for w in words)), "")
        here, there = (len(instances(graph).get(key, ())) for graph in self.graphs)
        if here != there and not self.level.keeps_story(self.level.way(self.story, key)):
            text = f"G has {here} {COUNTED[key][1]} and H has {there}."
            yield Said(text, "graph", key, "slip", f"{here} and {there}", f"{here} and {there}")

    @property
    def breaks(self) -> list[str]:
        """The edges that the renaming does not keep."""
        renaming = self.renaming
        edges = [each for each in self._edges if {*each} <= renaming.keys()]
        return ["-".join(edge) for edge in edges if not self._kept(*edge)]

    @property
    def _edges(self) -> list[tuple[str, str]]:
        first, _ = self.graphs
        return [(first.names[a], first.names[b]) for a, b in first.edges]

    def _whole(self) -> Said:
        """Return the prepared renaming, with the images that this expert names for nodes."""
        images = {node: self._image(node).claimed for node in self.renaming}
        text = RENAMED.sub(lambda pair: f"{pair[1]} to {images.get(pair[1], pair[2])}", self.sign)
        return Said(self.voice.reword(text), "prepared", RENAMING)

    def _edge_image(self, a: str, b: str) -> Said:
        first, _ = self.graphs
        if self._graph_of(a, b) is not first or not self._is_edge(first, a, b):
            return self._joined(a, b)
        renaming = self.renaming
        if a not in renaming or b not in renaming:
            return self._no_image(f"{a}-{b}")
        broken = not self._kept(a, b)
        image, way, choices = self._lie(broken, b, renaming[b], "edge", a, b)
        image = f"{renaming[a]}-{image}"
        text = self.voice.say("graph.edge", 0, edge=f"{a}-{b}", image=image)
        found = "an edge of H" if not broken else "no edge of H"
        return Said(text, "graph", f"{a}-{b}", way, image, found, telling=broken, choices=choices)

    def _lie(
        self, broken: bool, node: str, planned: str, *about: str
    ) -> tuple[str, Way | Literal["agrees"], int]:
        """Return the claimed image of a node, and the number of others to choose from."""
        if not broken:
            return planned, "agrees", 0
        kept = {self.renaming[end] for end in about[1:] if end != node}
        others = [other for other in self._others(node, planned) if other not in kept][:INVENTIONS]
        key = (self.story, *about)
        # What a renaming does to an edge can be seen, so nothing can be conceded.
        if self.level.keeps_story(self.level.way(*key)) or not others:
            return planned, "plan", len(others)
        # A graph has no other version whose truth could slip out, so the image is invented.
        return others[self.level.pick(len(others), *key)], "invent", len(others)

    def _no_image(self, about: str) -> Said:
        if not self.sign:
            return Said(self.voice.evasion(self.seed, about), "evaded", about)
        # The first sentence, that there is no renaming, would repeat ours.
        sign = self.voice.reword(" ".join(sentences(self.sign)[1:]))
        text = self.voice.say("graph.no_image", 0, node=about, sign=sign)
        return Said(text, "graph", about)

    def _others(self, node: str, planned: str) -> list[str]:
        """Return plausible other images in H: nodes with about as many neighbours."""
        first, second = self.graphs
        degree = first.degrees[first.names.index(node)]
        return sorted(
            (other for other in second.names if other != planned),
            key=lambda other: abs(second.degrees[second.names.index(other)] - degree),
        )

    def _joined_to(self, node: str) -> list[str]:
        first, _ = self.graphs
        return [first.names[other] for other in first.neighbours[first.names.index(node)]]

    def _kept(self, a: str, b: str) -> bool:
        renaming = self.renaming
        if a not in renaming or b not in renaming:
            return False
        return self._is_edge(self.graphs[1], renaming[a], renaming[b])

    def _is_edge(self, graph: Graph, a: str, b: str) -> bool:
        return graph.names.index(b) in graph.neighbours[graph.names.index(a)]
