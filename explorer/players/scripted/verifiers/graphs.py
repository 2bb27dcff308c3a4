"""Pairs of graphs: look up edges, follow renamings, and count."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from functools import cached_property

from explorer.players.scripted.verifiers.claims import SENTENCES, HeardClaim
from explorer.players.scripted.verifiers.subject import Claim, Observation, Subject
from nip_core.tasks import COUNTED, Graph, Statement, instances

_NUMBERS = {"no": 0, "none": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_NUMBER = rf"((?i:\d+|{'|'.join(_NUMBERS)}))\b"
# Words of sentences about counts.
_COUNTS = {
    "triangles": r"\btriangles?\b",
    "squares": r"\bsquares?\b|\bcycles? of four\b|\bfour-cycles?\b|\b4-cycles?\b",
    "pentagons": r"\bpentagons?\b|\bcycles? of five\b|\bfive-cycles?\b|\b5-cycles?\b",
    "two_apart": r"\bdistance (?:two|2)\b|\b(?:two|2) (?:steps|apart)\b",
    "three_apart": r"\bdistance (?:three|3)\b|\b(?:three|3) (?:steps|apart)\b",
}
_MENTIONS = {key: re.compile(pattern, re.IGNORECASE) for key, pattern in _COUNTS.items()}
_BOTH = re.compile(
    r"\bboth\b|\bso (?:has|does) H\b|\bthe same\b|\beach\b|\bas many\b", re.IGNORECASE
)
# Words that look like the answer to a question about counts: "look at another one", "none of it
# would help you". Evasions have them.
_NO_COUNT = re.compile(
    r"\b(?:another|other|this|that|the|which) one\b|\bone (?:can|thing|that|to)\b"
    r"|\bnone of (?:it|that|this)\b|\bshall have one\b",
    re.IGNORECASE,
)
# The words of an answer that may give a number and nothing else.
_BRIEF = 20
_RENAMING = "the renaming of "
_IMAGE_OF = "the image of "
# The edges that are followed where a whole renaming would take too long.
FOLLOWED = 2


class GraphSubject(Subject):
    """A verifier's questions and checks about two graphs, which the statement describes in full.

    A verifier checks what experts claim. It does not look for a renaming itself.
    """

    def __init__(self, statement: Statement, first: Graph, second: Graph) -> None:
        super().__init__(statement)
        self.first, self.second = first, second

    def questions(self, *, unusual: bool) -> list[str]:
        """Return questions about single nodes; unusual ones, about the graphs as a whole."""
        if not unusual:
            names = self.first.names
            return [f"Where does the node {name} go under your renaming?" for name in names]
        return [ask for ask in self.statement.asks if self.telling(ask) > 1]

    def telling(self, question: str) -> int:
        """Return how informative a prepared question is: a whole renaming most, then a count."""
        if "whole" in question:
            return 9
        return 5 if any(mentions.search(question) for mentions in _MENTIONS.values()) else 1

    def speaks_of_it(self, heard: HeardClaim) -> bool:
        """Return whether a message mentions edges, images of nodes, or counts."""
        if self._is_copied(heard):
            return False
        text = heard.text
        return bool(
            self.claims(heard)
            or any(self._edges(text))
            or any(mentions.search(text) for mentions in _MENTIONS.values())
            or re.search(r"\bneighbours?\b|\bdegrees?\b|\brenam", text)
            or (heard.asked and re.search(r"\b\d+\b", text))
        )

    def _understand(self, heard: HeardClaim) -> Iterator[Claim]:
        """Yield the claims about edges, renamings and counts."""
        yield from (*self._renaming(heard), *self._moved_edges(heard), *self._counts(heard))

    def _renaming(self, heard: HeardClaim) -> Iterator[Claim]:
        """Yield the images that a message names, and the renaming with those that came before."""
        named = dict(reversed(self._pairs(heard.text)))
        if not named:
            return
        pairs = dict(self._pairs(heard.before)) | named
        names = [name for name in self.first.names if name in pairs]
        if len(pairs) > 1:
            says = ", ".join(f"{name} to {pairs[name]}" for name in names)
            yield Claim(heard, f"{_RENAMING}{', '.join(names)}", says, "work out")
        for node, image in named.items():
            yield Claim(heard, f"{_IMAGE_OF}{node}", image, "look up")

    def _pairs(self, text: str) -> list[tuple[str, str]]:
        between = r"\s*(?:→|->|=|:|\b(?:goes to|maps to|becomes|into|to|is)\b)\s*"
        found = re.findall(rf"(?<![\w-])(\w+){between}(\w+)(?![\w-])", text)
        return [(a, b) for a, b in found if a in self.first.names and b in self.second.names]

    def _edges(self, text: str) -> Iterator[tuple[str, str, str]]:
        for found in re.finditer(r"(?<![\w-])(\w+)-(\w+)(?![\w-])", text):
            for name, graph in (("G", self.first), ("H", self.second)):
                if found[1] in graph.names and found[2] in graph.names:
                    yield name, found[1], found[2]

    def _moved_edges(self, heard: HeardClaim) -> Iterator[Claim]:
        """Yield the claims that one edge becomes another."""
        moved = re.findall(
            r"(?<![\w-])(\w+-\w+) (?:becomes|turns into|lands on|→|->) (\w+-\w+)", heard.text
        )
        for edge in itertools.chain.from_iterable(moved):
            for name, a, b in self._edges(edge):
                yield Claim(heard, f"{a}-{b} in {name}", "an edge", "look up")

    def _counts(self, heard: HeardClaim) -> Iterator[Claim]:
        asked = [key for key, mentions in _MENTIONS.items() if mentions.search(heard.asked)]
        seen: set[str] = set()
        # A bare number answers the question, if nothing else in a short answer does.
        counted = any(mentions.search(heard.text) for mentions in _MENTIONS.values())
        bare = not counted and len(heard.text.split()) <= _BRIEF
        for sentence in SENTENCES.split(heard.text):
            keys = [key for key, mentions in _MENTIONS.items() if mentions.search(sentence)]
            if bare and len(asked) == 1 and not seen and not any(self._edges(sentence)):
                keys = asked
                # "No" alone is no number.
                sentence = re.sub(
                    r"\bno\b", " ", _NO_COUNT.sub("it", sentence), flags=re.IGNORECASE
                )
            if len(keys) == 1 and keys[0] not in seen:
                numbers = self._numbers(sentence, keys[0])
                if numbers:
                    seen.add(keys[0])
                    says = ", ".join(f"{number} in {name}" for name, number in numbers.items())
                    # Who says that the numbers differ has given up that the graphs are the same.
                    wanted = "the same number in both" if len({*numbers.values()}) > 1 else ""
                    yield Claim(heard, COUNTED[keys[0]][1], says, "work out", wanted)

    def _numbers(self, sentence: str, key: str) -> dict[str, int]:
        """Return the counts that a sentence claims for each graph."""
        plain = _MENTIONS[key].sub(" ", re.sub(r"\([^)]*\)", " ", sentence))
        plain = re.sub(r"(?<!\w)\w+-[\w-]+", " ", plain)
        said = {
            # The last number, since earlier ones belong to something else.
            name: _number(found[-1])
            for name in "GH"
            if (found := re.findall(rf"\b{name}\b[^GH]*?\b{_NUMBER}", plain))
        }
        if len(said) == 2:
            return said
        numbers = [_number(each) for each in re.findall(rf"\b{_NUMBER}", plain)]
        if len(numbers) == 1 and _BOTH.search(plain):
            return dict.fromkeys("GH", numbers[0])
        if said:
            return said
        if len(numbers) == 2:
            return dict(zip("GH", numbers, strict=True))
        return dict.fromkeys("GH", numbers[0]) if len(numbers) == 1 else {}

    # -- checking ------------------------------------------------------------------------------

    def check(self, claim: Claim, part: float | None = None) -> Observation | None:
        """Look an edge up, follow a renaming edge by edge, or count."""
        if claim.about.startswith(_IMAGE_OF):
            # The image of a single node is never wrong alone, only together with others.
            return None
        if claim.about.startswith(_RENAMING):
            return self._follow(_read(claim.says), part)
        if claim.says == "an edge":
            edge, _, name = claim.about.rpartition(" in ")
            a, b = edge.split("-")
            joined = self._joined("GH".index(name), a, b)
            return Observation(joined, "an edge" if joined else "no edge")
        return self._count(claim, part)

    def look_up(self, claim: Claim) -> Observation | None:
        """Check what is seen at once: an edge, or two nodes that become the same."""
        if claim.about.startswith(_RENAMING):
            renaming = _read(claim.says)
            twice = len({*renaming.values()}) < len(renaming)
            return Observation(False, "two nodes become the same") if twice else None
        return super().look_up(claim)

    def _count(self, claim: Claim, part: float | None) -> Observation:
        """Count in both graphs, or in one of them."""
        (key,) = (key for key, words in COUNTED.items() if words[1] == claim.about)
        sizes = {name: sizes[key] for name, sizes in zip("GH", self._sizes, strict=True)}
        said = {each[-1]: int(each.split()[0]) for each in claim.says.split(", ")}
        if part is not None:
            sizes = {name: sizes[name] for name in [*said][int(part * len(said))]}
        really = ", ".join(f"{number} in {name}" for name, number in sizes.items())
        holds = all(said.get(name, number) == number for name, number in sizes.items())
        # Isomorphic graphs agree in every count.
        differ = len(set(sizes.values())) == 2
        return Observation(holds, really, settles=0 if differ and len(said) == 2 else None)

    @cached_property
    def _sizes(self) -> list[dict[str, int]]:
        return [
            {key: len(found) for key, found in instances(graph).items()}
            for graph in (self.first, self.second)
        ]

    def _joined(self, which: int, a: str, b: str) -> bool:
        graph = (self.first, self.second)[which]
        return graph.names.index(b) in graph.neighbours[graph.names.index(a)]

    def _follow(self, renaming: dict[str, str], part: float | None) -> Observation:
        """Follow the edges of a renaming, or some of them."""
        if len(set(renaming.values())) < len(renaming):
            return Observation(False, "two nodes become the same")
        pairs = [*itertools.combinations(renaming, 2)]
        if part is not None:
            edges = [pair for pair in pairs if self._joined(0, *pair)]
            pairs = random.Random(part).sample(edges, min(FOLLOWED, len(edges)))
        for a, b in pairs:
            here = self._joined(0, a, b)
            if here != self._joined(1, renaming[a], renaming[b]):
                fate = "no edge" if here else "an edge"
                return Observation(False, f"{a}-{b} becomes {renaming[a]}-{renaming[b]}, {fate}")
        whole = len(renaming) == len(self.first.names) == len(self.second.names)
        if whole and part is None:
            return Observation(True, "every edge falls on an edge", settles=1)
        return Observation(True, "so far every edge falls on an edge")


def _read(renaming: str) -> dict[str, str]:
    return dict(pair.split(" to ") for pair in renaming.split(", "))


def _number(text: str) -> int:
    word = text.lower()
    return _NUMBERS[word] if word in _NUMBERS else int(word)
