"""How near a question is to phrases of each kind of question."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Intent:
    """A kind of question."""

    name: str
    cue: re.Pattern[str]
    phrases: tuple[Mapping[str, float], ...]
    chip: str


@cache
def intents() -> tuple[Intent, ...]:
    """Return the kinds of questions."""
    text = (files("explorer.players.scripted") / "intents.toml").read_text("utf-8")
    document = tomllib.loads(text)
    phrases = {name: table["phrases"].strip().splitlines() for name, table in document.items()}
    count = Counter(f for each in phrases.values() for p in each for f in _features(p))
    total = sum(map(len, phrases.values()))
    idf = {feature: math.log(1 + total / n) for feature, n in count.items()}
    return tuple(
        Intent(
            name,
            # An unknown word is rarer than all known ones.
            re.compile(table["cue"], re.IGNORECASE),
            tuple(_vector(phrase, idf) for phrase in phrases[name]),
            table["chip"],
        )
        for name, table in document.items()
    )


@cache
def _idf() -> Mapping[str, float]:
    return {f: w for intent in intents() for phrase in intent.phrases for f, w in phrase.items()}


def _features(text: str) -> list[str]:
    """Return the words of a text and the pairs that follow each other."""
    words = re.findall(r"[A-Za-z']+", text)
    stems = [w if w.isupper() and len(w) > 2 else _stem(w.lower()) for w in words]
    pairs = [f"{a} {b}" for a, b in pairwise(stems)]
    return [*stems, *pairs]


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|ed|ing|s|e|y)$", "", word)[:7] if len(word) > 3 else word


def _vector(text: str, idf: Mapping[str, float], unknown: float = 3.0) -> Mapping[str, float]:
    return {f: idf.get(f, unknown if " " not in f else 0.0) for f in _features(text)}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    top = sum(w * other[f] for f, w in one.items() if f in other)
    size = math.sqrt(sum(w * w for w in one.values()) * sum(w * w for w in other.values()))
    return top / size if size else 0.0


def likeness(shape: str) -> tuple[dict[str, float], list[str]]:
    """Return how near a text is to each kind of question, and the kinds whose cues it has."""
    vector = _vector(shape, _idf())
    near = {
        each.name: max((_cosine(vector, p) for p in each.phrases), default=0.0)
        for each in intents()
    }
    return near, [each.name for each in intents() if each.cue.search(shape)]


def folded(text: str) -> str:
    """Return a text without spaces and stops, to compare."""
    return re.sub(r"[\s?!.]+", "", text.lower())


# Words of other languages in which people have asked.
FOREIGN = re.compile(
    r"[¿¡]|\b(?:was|gibt|ist|wenn|warum|wie|nicht|das|qu[eé]|por|como|cu[aá]ndo|est-ce|pourquoi|quoi"
    r"|quand|dans|che|perch[eé]|quando)\b",
    re.IGNORECASE,
)


def is_foreign(text: str) -> bool:
    """Return whether a sentence seems to be in another language than English."""
    letters = [character for character in text if character.isalpha()]
    strange = sum(character > "ʯ" for character in letters)
    return strange > len(letters) / 2 > 0 or len(FOREIGN.findall(text)) > 1
