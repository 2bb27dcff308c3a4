"""Recognise prepared questions that are written out, contain typing errors, or use other words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from string import punctuation

from explorer.players.scripted.provers.inputs import literals_in

# Replaces recognised text.
TAKEN = "\0"


def questions_in(text: str, asks: Iterable[str]) -> list[str]:
    """Return the prepared questions in a text, in its order.

    Case, punctuation, spaces and the text around a question do not matter. Words that could belong
    to several questions belong to the one with exactly these words, or else to the longest.
    """
    places, _ = places_of(text, asks)
    return sorted(places, key=places.__getitem__)


def places_of(text: str, asks: Iterable[str]) -> tuple[dict[str, int], str]:
    """Return the prepared questions in a text by their places, and the text without them."""
    places: dict[str, int] = {}
    longest_first = sorted(asks, key=lambda ask: (-len(_words_written(ask)), len(ask)))
    for pattern_of in (_as_written, _word_by_word):
        for ask in longest_first:
            pattern = pattern_of(ask)
            if found := pattern.search(text):
                places.setdefault(ask, found.start())
                text = pattern.sub(lambda match: TAKEN * len(match[0]), text)
    return places, text


def _as_written(ask: str) -> re.Pattern[str]:
    core = ask.strip(punctuation + " ") or ask
    return _pattern(map(re.escape, core.split()), r"\s+")


def _word_by_word(ask: str) -> re.Pattern[str]:
    return _pattern(map(re.escape, _words_written(ask)), rf"[^\w{TAKEN}]+")


def _words_written(ask: str) -> list[str]:
    return re.findall(r"\w+", ask) or [ask]


def _pattern(parts: Iterable[str], between: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){between.join(parts)}(?!\w)", re.IGNORECASE)


# Of 100. What lies above is taken for the question; the table of typed questions in the tests says
# how often that is right, and how often a question is missed.
THRESHOLD = 60.0
# The least lead over the second best question.
MARGIN = 4.0
# The least lead by letters, if the words do not decide.
CLOSE = 1.0
# At this likeness, two words differ only by a typing error.
WORD = 74.0
# The most words of a short question.
MOST_WORDS = 40
# Of what is written, each word weighs more than each word of the prepared question: who asks in
# short leaves words out, but rarely adds others.
WRITTEN = 0.68


@dataclass(frozen=True, slots=True)
class Match:
    """The prepared question that was most likely meant, and its likeness, up to 100."""

    ask: str
    score: float


def closest(text: str, asks: Sequence[str]) -> Match | None:
    """Return the prepared question in a sentence, or None."""
    ranked = scores(text, tuple(asks))
    if not ranked or ranked[0].score < THRESHOLD:
        return None
    close = [match for match in ranked if match.score > ranked[0].score - MARGIN]
    if len(close) == 1:
        return close[0]
    # If all words are the same, their order decides.
    (best, first), (second, _) = sorted(
        ((likeness(text.lower(), match.ask.lower()), match) for match in close),
        key=lambda item: -item[0],
    )[:2]
    return first if best - second >= CLOSE else None


def general(text: str) -> str | None:
    """Return the kind of general question in a sentence: for a reason, an example, a fault."""
    for name, pattern in _known().general:
        if pattern.search(text):
            return name
    return None


def scores(text: str, asks: tuple[str, ...]) -> list[Match]:
    """Return all prepared questions by likeness, the most similar first."""
    written = _meant(_words(text), asks)
    if not written or len(written) > MOST_WORDS:
        return []
    given = {literal.key for literal in literals_in(text)}
    weights = _weights(asks)
    ranked: list[Match] = []
    for ask in asks:
        prepared, facts = _prepared(ask)
        # A question with other values is another question.
        if given - facts or not prepared:
            continue
        here = _share(written, prepared, weights)
        there = _share(prepared, written, weights)
        if facts and given == facts:
            here, there = (here + 1) / 2, (there + 1) / 2
        ranked.append(Match(ask, 100 * (WRITTEN * here + (1 - WRITTEN) * there)))
    return sorted(ranked, key=lambda match: -match.score)


def _meant(words: list[str], asks: tuple[str, ...]) -> list[str]:
    """Return the words without misspelt words that carry no meaning."""
    weights = _weights(asks)

    def says_nothing(word: str) -> bool:
        if word in weights or len(word) < 4 or _near(word, weights) != word:
            return False
        return bool(most_alike(word, _known().ignored, at_least=80))

    return [word for word in words if not says_nothing(word)]


def _share(words: Sequence[str], among: Sequence[str], weights: dict[str, float]) -> float:
    """Return the share of some words, by weight, that occurs among others."""
    total = found = 0.0
    for word in words:
        weight = max((weights.get(known, 0.0) for known in (word, _near(word, weights))), default=0)
        weight = weight or 1.0
        total += weight
        if word in among:
            found += weight
        else:
            best = most_alike(word, among, at_least=WORD)
            found += weight * best[1] / 100 if best and len(word) > 3 else 0.0
    return found / total if total else 0.0


def _near(word: str, weights: dict[str, float]) -> str:
    best = most_alike(word, weights, at_least=WORD)
    return best[0] if best and len(word) > 3 else word


@lru_cache(maxsize=256)
def _weights(asks: tuple[str, ...]) -> dict[str, float]:
    """Weight words: those that occur in few prepared questions count more."""
    counted: dict[str, int] = {}
    for ask in asks:
        for word in set(_prepared(ask)[0]):
            counted[word] = counted.get(word, 0) + 1
    return {word: 1 / number for word, number in counted.items()}


@lru_cache(maxsize=2_048)
def _prepared(ask: str) -> tuple[tuple[str, ...], frozenset[str]]:
    return tuple(_words(ask)), frozenset(literal.key for literal in literals_in(ask))


def _words(text: str) -> list[str]:
    """Return the words that carry meaning, each as the name of its group."""
    known = _known()
    text = text.lower().replace("’", "'")
    for phrase, word in known.phrases:
        text = text.replace(phrase, word)
    for literal in reversed(literals_in(text)):
        # A quoted word counts as a word.
        if not isinstance(literal.value, str):
            text = f"{text[: literal.start]} {text[literal.end :]}"
    found = [word for word in re.findall(r"[a-z_]+", text) if word not in known.ignored]
    return [known.groups.get(word, known.groups.get(_stem(word), _stem(word))) for word in found]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            return word[: -len(ending)]
    return word


@dataclass(frozen=True, slots=True)
class _Known:
    """The words with a known meaning."""

    ignored: frozenset[str]
    groups: dict[str, str]
    phrases: tuple[tuple[str, str], ...]
    general: tuple[tuple[str, re.Pattern[str]], ...]


@cache
def _known() -> _Known:
    file = resources.files("explorer.players.scripted.provers") / "matching.toml"
    document = tomllib.loads(file.read_text("utf-8"))
    groups = {
        form: line.split()[0]
        for line in document["same"].strip().splitlines()
        for word in line.split()
        for form in (word, _stem(word))
    }
    phrases = tuple((phrase, word) for phrase, word in document["phrases"])
    asked = tuple((n, re.compile(p, re.IGNORECASE)) for n, p in document["general"].items())
    return _Known(frozenset(document["ignored"].split()), groups, phrases, asked)


@lru_cache(maxsize=65_536)
def likeness(first: str, second: str) -> float:
    """Return the likeness of two texts, up to 100: twice the common letters, over all letters."""
    both = len(first) + len(second)
    # Written as distances, so that rounding gives the same figures as RapidFuzz's ratio.
    return (1.0 - (both - 2 * _in_common(first, second)) / both) * 100 if both else 100.0


def most_alike(
    text: str, choices: Iterable[str], *, at_least: float = 0.0
) -> tuple[str, float] | None:
    """Return the first of the most similar choices and its likeness, or None."""
    best: tuple[str, float] | None = None
    for choice in choices:
        # The lengths of two texts limit their likeness.
        shorter, longer = sorted((len(text), len(choice)))
        needed = at_least if best is None else best[1]
        if shorter < longer and 200.0 * shorter / (shorter + longer) < needed - 1e-9:
            continue
        found = likeness(text, choice)
        if found > needed or (best is None and found >= at_least):
            best = choice, found
    return best


def _in_common(first: str, second: str) -> int:
    """Return the length of the longest common subsequence, with a row of its table as one integer.

    Hyyrö's bit-parallel algorithm: a bit for each letter of the first text, cleared where the row
    goes up by one.
    """
    places: dict[str, int] = {}
    for place, letter in enumerate(first):
        places[letter] = places.get(letter, 0) | 1 << place
    full = (1 << len(first)) - 1
    row = full
    for letter in second:
        met = row & places.get(letter, 0)
        row = ((row + met) | (row - met)) & full
    return len(first) - row.bit_count()
