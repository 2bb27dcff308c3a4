"""Which prepared questions a question is nearest to, by words and by meaning.

One measure joins both: BM25 over the words of all wordings and answers, with words that are rare
among the questions of all problems counted more, and how alike the vectors of the nearest wordings
are. How far the best is ahead of all others says whether it is meant: see
``docs/concepts/players.md``.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from heapq import nlargest
from itertools import chain

from explorer.players.scripted.phrases import folded
from explorer.players.scripted.vectors import cosine, vector
from nip_core.tasks import passages, problems

_TOKEN = re.compile(r"[A-Za-z_][A-Za-z_']*|\d+|//|[-+*/%<>=!]{1,2}|\[:?:?-?\d?\]")
# How soon more of the same word counts less, and how much long texts count less.
_SATURATION, _LENGTH = 1.2, 0.8
# What a word of an answer counts, beside one of the question.
_OF_ANSWERS = 0.4
# What it counts that the line is the same.
_AT_LINE = 0.3
# How many of its wordings count, those that are nearest in meaning.
_WORDINGS = 3
# How much a difference in likeness matters, and how near something that was not prepared is.
_SPREAD, _ELSE = 0.2, 0.7


@dataclass(frozen=True, slots=True)
class Near:
    """A prepared question, how near it is, and how likely it is meant beside all others."""

    ask: str
    like: float
    share: float

    @property
    def same(self) -> bool:
        """Whether it is the same question, in one of its wordings."""
        return self.like == math.inf

    @property
    def names_input(self) -> bool:
        """Whether it is about an input of its own, and so hardly about another one."""
        return len(re.findall(r"\d+", re.sub(r"`[^`]*`", "", self.ask))) > 1

    @property
    def likely(self) -> bool:
        """Whether it is meant, whatever the words of the question seem to ask for."""
        return self.share >= 0.36 and not self.names_input

    @property
    def sure(self) -> bool:
        """Whether nothing else can be meant."""
        return self.share >= 0.7

    @property
    def offered(self) -> bool:
        """Whether it may be meant."""
        return self.like >= 0.4


NOTHING = Near("", 0.0, 0.0)


@lru_cache(4096)
def _stems(text: str) -> tuple[str, ...]:
    """Return the beginnings of the words of a text, and of the parts of names in it."""
    found: list[str] = []
    for token in _TOKEN.findall(text.lower()):
        word = str(token).removesuffix("n't").split("'")[0]
        parts = [word, *(part for part in word.split("_") if part != word)]
        found += [_stem(part) for part in parts if part]
    return tuple(found)


def _stem(word: str) -> str:
    return (
        word if len(word) <= 3 else re.sub(r"(?<=\w{4})ing$|(?:ed|ies|es|s|ly|e|y)$", "", word)[:6]
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared question in all its wordings, and how much each word counts for it."""

    ask: str
    wordings: frozenset[str]
    counted: Mapping[str, float]
    # How many words are counted.
    size: float
    vectors: tuple[tuple[float, ...], ...]
    # A piece of the line that it is about; empty if it is about none.
    line: str = ""

    @classmethod
    def of(cls, asks: Sequence[str], answers: Iterable[str] = (), line: str = "") -> Prepared:
        """Return a question by its wordings and its answers."""
        counted: dict[str, float] = defaultdict(float)
        for texts, count in ((asks, 1.0), ({line, *answers}, _OF_ANSWERS)):
            for word in chain.from_iterable(map(_stems, texts)):
                counted[word] += count
        size, vectors = sum(counted.values()), tuple(map(vector, asks))
        return cls(asks[0], frozenset(map(folded, asks)), counted, size, vectors, line)


@lru_cache(256)
def prepared(slug: str, asks: tuple[str, ...]) -> tuple[Prepared, ...]:
    """Return prepared questions about a problem or a passage, or about something else ("")."""
    known: dict[str, Prepared] = {}
    for problem in problems():
        if problem.slug == slug:
            for note in problem.notes:
                known[note.asks[0]] = Prepared.of(note.asks, note.answers, note.line)
            chips = [*problem.correct.questions, *problem.wrong.questions]
            for ask in {chip.ask for chip in chips}:
                said = chain(*(chip.answers for chip in chips if chip.ask == ask))
                known[ask] = Prepared.of([ask], said)
    for passage in passages():
        if passage.slug == slug:
            known |= {note.asks[0]: Prepared.of(note.asks, note.answers) for note in passage.notes}
    return tuple(known.get(ask) or Prepared.of([ask]) for ask in asks)


@cache
def _everywhere() -> tuple[int, Counter[str]]:
    """Return the number of all prepared questions, and in how many of them each word stands."""
    noted = [note.asks for each in (*problems(), *passages()) for note in each.notes]
    asked = [*noted, *((ask,) for each in problems() for ask in each.correct.statement.asks)]
    return len(asked), Counter(word for asks in asked for word in {*_stems(" ".join(asks))})


def is_known(word: str) -> bool:
    """Return whether a word stands in a prepared question, so that it is an ordinary word."""
    return any(stem in _everywhere()[1] for stem in _stems(word))


def nearest(text: str, known: Sequence[Prepared], line: str = "") -> list[Near]:
    """Return the prepared questions, the nearest first; one that says the same is far ahead.

    If a line of the program is known to be meant, those about it are nearer.
    """
    same, meaning = folded(text), vector(text)
    total, everywhere = _everywhere()
    usual = sum(each.size for each in known) / max(1, len(known)) or 1
    weight: dict[str, float] = {}
    for word in _stems(text):
        here = sum(word in each.counted for each in known)
        rare = math.log(1 + len(known) / (here or 0.7))
        weight[word] = math.log(1 + total / (1 + everywhere[word])) * rare
    most = sum(weight.values()) or 1
    found: list[tuple[float, str]] = []
    for each in known:
        full = _SATURATION * (1 - _LENGTH + _LENGTH * each.size / usual)
        counts = ((w, each.counted[w]) for w in weight if w in each.counted)
        shared = sum(weight[w] * n * (_SATURATION + 1) / (n + full) for w, n in counts)
        alike = nlargest(_WORDINGS, (cosine(meaning, other) for other in each.vectors))
        like = shared / most + sum(alike) / len(alike)
        like += _AT_LINE * bool(each.line and each.line in line)
        found.append((math.inf if same in each.wordings else like, each.ask))
    found.sort(key=lambda pair: -pair[0])
    best = found[0][0] if found else 0.0
    # The same question is all that can be meant.
    odds = [math.exp((like - best) / _SPREAD) if best < math.inf else 0.0 for like, _ in found]
    total_odds = sum(odds) + math.exp((_ELSE - best) / _SPREAD)
    return [
        Near(ask, like, share / total_odds if total_odds else float(like == math.inf))
        for (like, ask), share in zip(found, odds, strict=True)
    ]
