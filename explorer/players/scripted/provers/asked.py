"""Understand questions in free words: described inputs, moments of a run, follow-ups."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

from explorer.players.scripted.provers.inputs import literals_in
from explorer.players.scripted.provers.matching import most_alike
from explorer.players.scripted.provers.traces import When
from explorer.programs import Program

NUMBER = r"-?\d+(?:\.\d+)?"
# Lists of numbers without brackets: "10, 20 and 30", "1 2 3".
ROW = re.compile(
    rf"(?<![\w.\-'\"`])(?:{NUMBER}(?:\s*,\s*(?:and\s+)?{NUMBER})+(?:\s+and\s+{NUMBER})?"
    rf"|{NUMBER}(?:\s+{NUMBER}){{2,}}|{NUMBER}\s+and\s+{NUMBER})(?![\w.]*\w)"
)
# Words after which numbers without brackets are not an input.
NUMBERED = re.compile(
    r"\b(?:lines?|pass(?:es)?|iterations?|rounds?|steps?|said|got|get|or)\s*(?:numbers?\s*)?$", re.I
)
CODE = re.compile(r"(`[^`]*`|'[^'\n]{0,40}'(?!\w)|\"[^\"\n]{0,40}\"|[\[({][^\n]*?[\])}])")
WORDS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
ORDINAL = rf"(\d+(?:st|nd|rd|th)?|{'|'.join((*WORDS, *COUNTS))})"
PASS = r"(?:iterations?|pass(?:es)?|rounds?|loops?|steps?|times?|turns?|runs?|cycles?)"
MOMENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("line", re.compile(r"\b(?:after|at|on|in|by)\s+(?:running |executing )?line\s*#?(\d{1,4})\b")),
    (
        "loop",
        re.compile(rf"\b(?:after|in|at|of) the (?:last|final) (?:for |loop )?{PASS}\b"),
    ),
    ("pass", re.compile(rf"\b{ORDINAL}\s+(?:full |whole )?(?:for |loop |time )?{PASS}\b")),
    ("pass", re.compile(rf"\b{PASS}\s*(?:number|no\.?|nr\.?|#)?\s*{ORDINAL}\b")),
    (
        "pass",
        re.compile(
            rf"\b(?:after|in|at|on|with|by) (?:the )?{ORDINAL} (?!one|line|two)[a-z]{{3,}}\b"
        ),
    ),
    (
        "start",
        re.compile(
            r"\b(?:before the (?:first )?(?:loop|iteration|pass)|at (?:the )?(?:very )?(?:start|"
            r"beginning|first)|initial(?:ly)?|in the beginning|to begin with|starts? (?:with|at|as)"
            r"|before (?:it|anything) (?:starts|runs|happens))\b"
        ),
    ),
    (
        "loop",
        re.compile(
            r"\b(?:after|when|once) (?:the |all |all the )?(?:for |while )?(?:loops?|iterations|"
            r"passes)(?: (?:is|are))?(?: (?:done|over|ends?|finish\w*|complete\w*|through))?\b"
        ),
    ),
    (
        "end",
        re.compile(
            r"\b(?:at the (?:very )?end|in the end|finally|final value|before (?:the )?return\w*"
            r"|when (?:it|the (?:program|function|code)) (?:is done|ends|finishes|stops|returns)"
            r"|at last|last value|after (?:everything|all|that|it (?:runs|ran|finishes)))\b"
        ),
    ),
)
# A name that is also an ordinary word counts as a name only near one of these.
NAMES_BEFORE = r"(?:value of|variable|called|named|is|are|was|does|will|of|about|what|and|has|to)"
NAMES_AFTER = (
    r"(?:after|at|before|when|be|become|becomes|hold|holds|equal|equals|contain|mean|stand"
    r"|in|by|during|once|=|for|on|ever|(?:up|re)?set|\w*(?:changed|dated|used|creased?)|assigned|$|\W*$)"
)


@dataclass(frozen=True, slots=True)
class _Words:
    short: Mapping[str, str]
    spelling: tuple[str, ...]
    inputs: tuple[tuple[str, re.Pattern[str]], ...]
    follow: tuple[tuple[str, re.Pattern[str]], ...]
    other: frozenset[str]
    english: frozenset[str]
    related: frozenset[str]


@cache
def _words() -> _Words:
    file = resources.files("explorer.players.scripted.provers") / "matching.toml"
    document = tomllib.loads(file.read_text("utf-8"))

    def patterns(table: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple((name, re.compile(text)) for name, text in document[table].items())

    language = document["language"]
    return _Words(
        document["short"],
        tuple(document["spelling"]["words"].split()),
        patterns("inputs"),
        patterns("follow"),
        frozenset(language["other"].split()),
        frozenset(language["english"].split()),
        frozenset(document["related"]["words"].split()),
    )


def tidy(text: str) -> str:
    """Return a sentence in lower case, with contractions written out and typing errors corrected.

    Code, quotes and text in brackets are not changed.
    """
    parts = CODE.split(text.replace("’", "'"))
    parts[::2] = [_mended(part.lower()) for part in parts[::2]]
    return " ".join("".join(parts).split())


def _mended(text: str) -> str:
    return re.sub(r"[a-z0-9']+", lambda found: _mended_word(found[0]), text)


@cache
def _spelled() -> frozenset[str]:
    return frozenset(_words().spelling)


def _mended_word(word: str) -> str:
    known = _words()
    if word in known.short:
        return known.short[word]
    if len(word) < 5 or word in _spelled() or not word.isalpha():
        return word
    best = most_alike(word, known.spelling, at_least=80)
    # "loops" and "looped" are not errors for "loop".
    return best[0] if best and not word.startswith(best[0]) else word


def follow_up(tidied: str) -> str | None:
    """Return the kind of question that a sentence asks about a run or an earlier message."""
    for name, pattern in _words().follow:
        if pattern.search(tidied):
            return name
    return None


def is_foreign(text: str) -> bool:
    """Return whether a sentence seems to be in another language than English."""
    letters = [character for character in text if character.isalpha()]
    if letters and sum(character > "ʯ" for character in letters) > len(letters) / 2:
        return True
    said = re.findall(r"[^\W\d_]+", CODE.sub(" ", text).lower())
    other = sum(word in _words().other for word in said)
    return other >= 2 and other > sum(word in _words().english for word in said)


def is_related(tidied: str, names: Iterable[str]) -> bool:
    """Return whether a sentence mentions programs, graphs, or names in them."""
    said = set(re.findall(r"[a-z_]\w*", tidied))
    return not said.isdisjoint(_words().related) or any(len(n) > 2 and n in said for n in names)


# -- inputs ------------------------------------------------------------------------------------


def with_brackets(text: str, program: Program) -> str:
    """Return a sentence with brackets around a list of numbers, if the function takes a list."""
    if list not in program.kinds or any(isinstance(f.value, list) for f in literals_in(text)):
        return text

    def bracketed(found: re.Match[str]) -> str:
        before = text[: found.start()]
        inside = any(before.count(a) > before.count(b) for a, b in ("()", "[]", "{}"))
        if inside or NUMBERED.search(before):
            return found[0]
        return f"[{', '.join(re.findall(NUMBER, found[0]))}]"

    return ROW.sub(bracketed, text, count=2)


# Pairs of words that can replace each other in a question.
SIMILAR: dict[type, type] = {list: tuple, float: int}


def is_usual(arguments: tuple[Any, ...], program: Program) -> bool:
    """Return whether the arguments have the types of the function's arguments."""
    given = (value.__class__ for value in arguments)
    return [*map(_similar, given)] == [*map(_similar, program.kinds)]


def _similar(kind: type) -> type:
    return SIMILAR.get(kind, kind)


def described(
    tidied: str, base: tuple[Any, ...], parameters: tuple[str, ...]
) -> tuple[Any, ...] | None:
    """Return the input that a sentence describes, made by changing an example."""
    named = {name for name in parameters if re.search(rf"\b{name}\b", tidied)}
    for name, pattern in _words().inputs:
        if pattern.search(tidied):
            if name in ("negative", "zero"):
                # "What if the limit is negative?"
                for place, (parameter, value) in enumerate(zip(parameters, base, strict=False)):
                    if parameter in named and type(value) in (int, float):
                        other = 0 if name == "zero" else _negative(value)
                        return (*base[:place], other, *base[place + 1 :])
            return _changed(base, MADE[name])
    return None


def _changed(base: tuple[Any, ...], made: Callable[[Any], Any]) -> tuple[Any, ...] | None:
    """Return the example with its first list or text changed, or its numbers if it has neither."""
    for place, value in enumerate(base):
        if isinstance(value, list | str):
            return (*base[:place], made(cast("list[Any] | str", value)), *base[place + 1 :])
    changed = made([*base])
    return tuple(changed) if len(changed) == len(base) else None


def _in_order(value: Any) -> Any:
    try:
        ordered = sorted(value)
    except TypeError:
        return value
    return "".join(ordered) if isinstance(value, str) else ordered


def _negative(value: Any) -> Any:
    match value:
        case bool() | str():
            return value
        case int() | float():
            return -abs(value)
        case list() | tuple():
            items = cast("list[Any] | tuple[Any, ...]", value)
            return type(items)(map(_negative, items))
        case _:
            return value


def _zero(value: Any) -> Any:
    match value:
        case str():
            return "0" * len(value)
        case list():
            items = cast("list[Any]", value)
            numbers = all(isinstance(each, int | float) for each in items)
            return [0] * len(items) if numbers else items
        case _:
            return value


MADE: dict[str, Callable[[Any], Any]] = {
    # A change of order has no effect on a single entry.
    "same": lambda value: value[:1] * max(3, len(value)),
    "empty": lambda value: value[:0],
    "one": lambda value: value[:1],
    "negative": _negative,
    "zero": _zero,
    "reversed": lambda value: value[::-1],
    "sorted": _in_order,
    "twice": lambda value: value[:1] + value,
}


# -- variables ---------------------------------------------------------------------------------


def variables_asked(tidied: str, names: Iterable[str]) -> tuple[list[str], When | None, str]:
    """Return the variables and the moment in a question, and the sentence without the moment."""
    rest, when = tidied, None
    for what, pattern in MOMENTS:
        if found := pattern.search(tidied):
            when = When(what, _number(found[1]) if pattern.groups else 0)
            rest = f"{tidied[: found.start()]} {tidied[found.end() :]}"
            break
    # "The village" is not a variable; in "the village after the loop" it is.
    bare = tidied if when is not None else re.sub(r"\b(?:the|a|an) (?!variable)[\w]+", " ", tidied)
    asked = [name for name in names if f"`{name}`" in tidied or _is_named(name, bare)]
    if asked:
        # "best and second": a name joined to a variable is a variable, too.
        either = "|".join(map(re.escape, asked))
        asked = [
            name
            for name in names
            if name in asked
            or re.search(rf"\b{re.escape(name)}`? and `?(?:{either})\b", tidied)
            or re.search(rf"\b(?:{either})`? and `?{re.escape(name)}\b", tidied)
        ]
    return asked[:3], when, rest


def _is_named(name: str, text: str) -> bool:
    word = re.escape(name.lower())
    bare = text if len(name) > 1 else re.sub(r"\ba (?=\w)", " ", text)
    if "_" in name and re.search(rf"\b{word}\b", bare):
        return True
    before = re.search(rf"\b{NAMES_BEFORE} (?:the )?(?:variable )?{word}\b", bare)
    return bool(before and re.search(rf"\b{word}\b`?,? ?{NAMES_AFTER}", bare))


def _number(text: str) -> int:
    for words in (WORDS, COUNTS):
        if text in words:
            return words.index(text)
    return int(re.sub(r"\D", "", text))
