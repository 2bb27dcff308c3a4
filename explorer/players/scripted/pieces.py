"""Find the part of a program that a question quotes or names, and put it in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from explorer.players.scripted.prose import words

# Tokens of a question that may be code, and the most of them that are compared.
_TOKEN = re.compile(r"\w+|[^\w\s]")
MOST_TOKENS, LONGEST = 60, 14
_IS_CODE = re.compile(r"[=<>+\-*/%&|^~\[\](){}.]")
# A number in a question about the number itself.
_NUMBER = re.compile(r"(?<![\w.])[+-]?\s?\d{1,6}(?![\w.%])")
_WHY = re.compile(
    r"\bwhy|what(?:'s| is| does)?\b.*\bfor\b|sure about|point of|role of", re.IGNORECASE
)
MOST_MEANINGS = 2
_ASKS = re.compile(
    r"\b(?:why|wh?at(?:'?s| is| does| do)?|where|explain|mean\w*|line|when does)\b"
    r"|^\W*(?:\w+\W+){0,4}$|[^\w\s.,?!'\"-]",
    re.IGNORECASE,
)
# The functions that a program calls.
_CALLED = re.compile(r"\b([a-z_]+)\(")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a program: its line, and what is in it in plain words."""

    line: int
    means: tuple[str, ...] = ()
    # What the text quotes, as it stands there.
    quoted: str = ""
    # Whether it is quoted, or asked for; a word such as "order" alone may mean something else.
    sure: bool = True


def piece_in(text: str, source: str) -> Piece | None:
    """Return the part of a program that a text quotes or names; None without one."""
    lines = source.splitlines()
    quoted = next(_fragments(text, lines), None)
    if quoted is not None:
        line, fragment = quoted
        said = [m["says"] for m in words()["meaning"] if re.search(m["code"], fragment)]
        spaced = r"\s*".join(re.escape(each) for each in fragment)
        found = re.search(spaced, text)
        return Piece(line, tuple(said[:MOST_MEANINGS]), found[0] if found is not None else "")
    for meaning in words()["meaning"]:
        if re.search(meaning["asked"], text, re.IGNORECASE):
            number = _holding(lines, meaning["code"], text)
            if number is not None:
                sure = _ASKS.search(text) is not None
                return Piece(number, (str(meaning["says"]),), sure=sure)
    for name in sorted(set(_CALLED.findall(source)), key=len, reverse=True):
        if len(name) >= 5 and re.search(rf"\b{name}\b", text) and not source.count(f"def {name}("):
            number = _holding(lines, rf"\b{name}\(", text)
            if number is not None:
                called = f"{name}("
                said = [m["says"] for m in words()["meaning"] if re.search(m["code"], called)]
                return Piece(number, tuple(said[:MOST_MEANINGS]))
    by_line = re.search(r"\bline\b", text, re.IGNORECASE) is not None
    if by_line or _WHY.search(text):
        for found in _NUMBER.finditer(text):
            digits = re.sub(r"\s", "", found[0]).lstrip("+")
            sign = r"\+ ?" if found[0].startswith("+") else ""
            number = _holding(lines, rf"(?<![\w.]){sign}{re.escape(digits)}(?![\w.])", text)
            if number is not None and (len(digits) > 1 or sign or by_line):
                return Piece(number)
    return None


def _holding(lines: list[str], pattern: str, text: str) -> int | None:
    """Return the line below the head that matches, and has most of the question's words."""
    said = {*re.findall(r"\w+", text.lower())}
    found = [
        (len({*re.findall(r"[a-z]{2,}", line)} & said), number)
        for number, line in enumerate(lines, 1)
        if number > 1 and '"""' not in line and re.search(pattern, line)
    ]
    return max(found, default=(0, None))[1]


def _is_closed(part: str) -> bool:
    return all(part.count(one) == part.count(other) for one, other in ("()", "[]", "{}"))


def _fragments(text: str, lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines with the longest parts of a text that are code of the program."""
    tokens = [m[0] for m in _TOKEN.finditer(text)][:MOST_TOKENS]
    bare = ["".join(line.split()) for line in lines]
    for length in range(min(LONGEST, len(tokens)), 1, -1):
        for start in range(len(tokens) - length + 1):
            taken = tokens[start : start + length]
            part = "".join(taken)
            if len(part) < 4 or not _IS_CODE.search(part) or not re.search(r"[a-z]", part):
                continue
            if part[-1] in ".,?!(-" or part[0] in ").,-" or not _is_closed(part):
                continue
            # Words that follow each other without anything between are prose.
            if any(a[-1:].isalnum() and b[:1].isalnum() for a, b in pairwise(taken)):
                continue
            for number, line in enumerate(bare, 1):
                prose = line.startswith(("#", '"""'))
                if number > 1 and not prose and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", line):
                    yield number, part
                    break
