"""False quotes: a sentence in which one fact is changed, so that it reads as well as before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from nip_core.language import checked_quotes

__all__ = ["changed"]

# Words that stand in for each other anywhere in a sentence.
_PAIRS = (
    *("before after", "first last", "always never", "more less", "most least", "early late"),
    *("north south", "east west", "above below", "inside outside"),
    *("morning evening", "summer winter", "today yesterday", "small large", "long short"),
    *("high low", "empty full", "hot cold", "rich poor", "good bad"),
    *("slowly quickly", "everybody nobody", "everything nothing", "with without", "up down"),
    *("mother father", "brother sister", "son daughter", "husband wife", "king queen"),
    *("two three", "four five", "six seven", "eight nine", "ten twelve", "hundred thousand"),
    *("monday tuesday", "wednesday thursday", "friday saturday", "red green", "black white"),
)
# Whose it is, or who does it, with the same form of a verb.
_PEOPLE = ("he she", "his her", "my your", "our their", "we they", "us them", "himself herself")
# Words with a capital letter that are no people.
_NO_NAMES_TEXT = """
    January February March April May June July August September October November December
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Christmas Easter English Excellency
"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())
_NUMBER = re.compile(r"\b\d{1,6}\b")
_VERB = re.compile(
    r"(?<=\w )\b(?:is|was|are|were|could|would|will|should|must|may|might)\b(?! not\b)(?= \w)"
)
_NOT = re.compile(r"(?<=\w )\b(?:is|was|are|were|could|would|will|should|must|may|might) not\b")


def _others(pairs: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return where a text has a word of some pairs, and the other word for each."""
    other = {a: b for pair in pairs for a, b in (pair.split(), pair.split()[::-1])}
    # "Her" may be the other word for "him", too.
    other.pop("her", None)
    return re.compile(rf"\b(?:{'|'.join(other)})\b", re.IGNORECASE), other


_WAYS = (_others(_PAIRS), _others(_PEOPLE))


def changed(sentence: str, text: str, number: int) -> str:
    """Return a sentence of a text with one fact changed, which is not in the text.

    If several facts could be, `number` chooses one; if none can, it is as it was.
    """
    ways = (
        (*_exchanged(sentence, *_WAYS[0]), *_counted(sentence)),
        _denied(sentence),
        _exchanged(sentence, *_WAYS[1]),
        _renamed(sentence, text),
    )
    # A story may have both "He ran." and "She ran."
    new = ([form for form in way if not _is_in(form, text)] for way in ways)
    forms = next(filter(None, new), None)
    return forms[number % len(forms)] if forms is not None else sentence


def _is_in(sentence: str, text: str) -> bool:
    (quote,) = checked_quotes(f"<quote>{sentence}</quote>", [text])
    return quote.found


def _exchanged(sentence: str, where: re.Pattern[str], other: Mapping[str, str]) -> Iterator[str]:
    for found in where.finditer(sentence):
        word = other[found[0].lower()]
        yield _replaced(sentence, found, word.capitalize() if found[0][0].isupper() else word)


def _counted(sentence: str) -> Iterator[str]:
    for found in _NUMBER.finditer(sentence):
        yield _replaced(sentence, found, str(int(found[0]) + 1))


def _renamed(sentence: str, text: str) -> Iterator[str]:
    """Yield a sentence with another person of the text in it."""
    named = Counter(re.findall(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b", text))
    people = sorted(name for name, times in named.items() if times > 1 and name not in _NO_NAMES)
    for found in re.finditer(r"\b[A-Z][a-z]{2,}\b", sentence):
        if found[0] in people:
            for other in people:
                if other != found[0] and other not in sentence:
                    yield _replaced(sentence, found, other)


def _denied(sentence: str) -> Iterator[str]:
    if sentence.rstrip("”’\"'").endswith("?"):
        return
    for found in _NOT.finditer(sentence):
        yield _replaced(sentence, found, found[0].removesuffix(" not"))
    for found in _VERB.finditer(sentence):
        yield _replaced(sentence, found, f"{found[0]} not")


def _replaced(text: str, found: re.Match[str], by: str) -> str:
    return f"{text[: found.start()]}{by}{text[found.end() :]}"
