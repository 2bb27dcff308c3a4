"""Which prepared questions a question is nearest to, by words and by meaning.

One measure joins them: BM25 over the words of all wordings and answers, with words that are rare
among the questions of all problems counted more, and how alike the vectors of the nearest wordings
and of the nearest answer are. What each of these counts was fitted together with the vectors, so
that the measure says how likely it is that a question is meant: see ``docs/concepts/players.md``.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from explorer.players.scripted.phrases import folded
from explorer.players.scripted.vectors import cosine, vector, weights
from nip_core.tasks import passages, problems

Spelling = Mapping[str, float]

_TOKEN = re.compile(r"[A-Za-z_][A-Za-z_']*|\d+|//|[-+*/%<>=!]{1,2}|\[:?:?-?\d?\]")
# How soon more of the same word counts less, and how much long texts count less.
_SATURATION, _LENGTH = 1.2, 0.8
# What a word of an answer counts, beside one of the question.
_OF_ANSWERS = 0.4
# What is compared: words (see `shared`), the meaning of all wordings together and of the nearest
# answer, the spelling of the nearest wording, and the line. `weights` says what each counts, and
# how near a question is that was not prepared.
KINDS, ELSE = ("words", "wordings", "answer", "letters", "line"), "else"
# How many letters in a row are compared, so that words with typing errors are nearly the same.
_LETTERS = 4


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
        return self.share >= 0.5 and not self.names_input

    @property
    def sure(self) -> bool:
        """Whether nothing else can be meant."""
        return self.share >= 0.7

    @property
    def offered(self) -> bool:
        """Whether it may be meant."""
        return self.share >= 0.02


NOTHING = Near("", 0.0, 0.0)


@lru_cache(4096)
def _stems(text: str) -> tuple[str, ...]:
    """Return the beginnings of the words of a text, and of the parts of names in it."""
    return tuple(stem for token in _TOKEN.findall(text.lower()) for stem in _of_token(token))


@lru_cache(16_384)
def _of_token(token: str) -> tuple[str, ...]:
    word = token.removesuffix("n't").split("'")[0]
    parts = [word, *(part for part in word.split("_") if part != word)]
    return tuple(_stem(part) for part in parts if part)


def _stem(word: str) -> str:
    return (
        word if len(word) <= 3 else re.sub(r"(?<=\w{4})ing$|(?:ed|ies|es|s|ly|e|y)$", "", word)[:6]
    )


@lru_cache(8192)
def _spelling(text: str) -> Spelling:
    """Return how often each row of letters is in a text, as a vector of length 1."""
    bare = f" {re.sub(r'[^a-z0-9_]+', ' ', text.lower()).strip()} "
    count = Counter(bare[n : n + _LETTERS] for n in range(len(bare) - _LETTERS + 1))
    length = math.hypot(*count.values()) or 1.0
    return {row: number / length for row, number in count.items()}


def _likeness(one: Spelling, other: Spelling) -> float:
    return sum(number * other[row] for row, number in one.items() if row in other)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared question in all its wordings, and how much each word counts for it."""

    ask: str
    wordings: frozenset[str]
    counted: Mapping[str, float]
    # How many words are counted.
    size: float
    # The mean of the vectors of all wordings, and the vectors of its answers.
    meaning: tuple[float, ...]
    told: tuple[tuple[float, ...], ...] = ()
    # The rows of letters of each wording.
    spellings: tuple[Spelling, ...] = ()
    # A piece of the line that it is about; empty if it is about none.
    line: str = ""

    @classmethod
    def of(cls, asks: Sequence[str], answers: Collection[str] = (), line: str = "") -> Prepared:
        """Return a question by its wordings and its answers."""
        counted: dict[str, float] = defaultdict(float)
        for texts, count in ((asks, 1.0), ({line, *answers}, _OF_ANSWERS)):
            for word in chain.from_iterable(map(_stems, texts)):
                counted[word] += count
        size, vectors = sum(counted.values()), [*map(vector, asks)]
        meaning = tuple(sum(each) / len(vectors) for each in zip(*vectors, strict=True))
        told, spellings = tuple(map(vector, {*answers})), tuple(map(_spelling, asks))
        same = frozenset(map(folded, asks))
        return cls(asks[0], same, counted, size, meaning, told, spellings, line)

    def spelled(self, text: str) -> float:
        """Return how alike a text and the nearest wording are spelled: at most 1."""
        own = _spelling(text)
        return max((_likeness(own, each) for each in self.spellings), default=0.0)


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
                said = [*chain(*(chip.answers for chip in chips if chip.ask == ask))]
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


def shared(text: str, known: Sequence[Prepared]) -> list[float]:
    """Return how much of what a question says each prepared one says too, by BM25."""
    total, everywhere = _everywhere()
    usual = sum(each.size for each in known) / max(1, len(known)) or 1
    weight: dict[str, float] = {}
    for word in _stems(text):
        here = sum(word in each.counted for each in known)
        rare = math.log(1 + len(known) / (here or 0.7))
        weight[word] = math.log(1 + total / (1 + everywhere[word])) * rare
    most = sum(weight.values()) or 1
    found: list[float] = []
    for each in known:
        full = _SATURATION * (1 - _LENGTH + _LENGTH * each.size / usual)
        common = ((w, each.counted[w]) for w in weight if w in each.counted)
        found.append(sum(weight[w] * n * (_SATURATION + 1) / (n + full) for w, n in common) / most)
    return found


def likeness(text: str, known: Sequence[Prepared], line: str = "") -> list[tuple[float, ...]]:
    """Return how alike a question and each prepared one are, of each kind of `KINDS`.

    `line` is the line of the program that is meant, if that is known.
    """
    meaning = vector(text)
    found: list[tuple[float, ...]] = []
    for each, words in zip(known, shared(text, known), strict=True):
        answer = max((cosine(meaning, other) for other in each.told), default=0.0)
        at_line = float(bool(each.line) and each.line in line)
        found.append((words, cosine(meaning, each.meaning), answer, each.spelled(text), at_line))
    return found


def nearest(text: str, known: Sequence[Prepared], line: str = "") -> list[Near]:
    """Return the prepared questions, the nearest first; one that says the same is far ahead.

    If a line of the program is known to be meant, those about it are nearer.
    """
    same, counts = folded(text), weights()
    found: list[tuple[float, str]] = []
    for each, kinds in zip(known, likeness(text, known, line), strict=True):
        like = sum(counts[name] * kind for name, kind in zip(KINDS, kinds, strict=True))
        found.append((math.inf if same in each.wordings else like, each.ask))
    found.sort(key=lambda pair: -pair[0])
    best = found[0][0] if found else 0.0
    # The same question is all that can be meant.
    odds = [math.exp(like - best) if best < math.inf else 0.0 for like, _ in found]
    total_odds = sum(odds) + math.exp(counts[ELSE] - best)
    return [
        Near(ask, like, share / total_odds if total_odds else float(like == math.inf))
        for (like, ask), share in zip(found, odds, strict=True)
    ]
