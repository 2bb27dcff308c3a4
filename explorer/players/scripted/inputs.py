"""Find inputs in a text: which call of a function does it mean?"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from explorer.programs import NotALiteralError, Program, arguments_of, read_literal

# The most literals that are read: more than anybody writes in one question.
MOST = 12
# The most possible beginnings of a literal that are tried.
TRIED = 40
CLOSING = {"(": ")", "[": "]", "{": "}"}
NUMBER = re.compile(r"(?<![\w.])-?(?:0[bxo][0-9a-fA-F]+|\d+(?:\.\d+)?)(?![\w])")
WORD = re.compile(r"\b(?:True|False|None)\b")
# What stands behind a name is a place in it, as in `best[1]`, or a call, as in `future.clear()`.
OPENING = re.compile(r"""\{|(?<!\w)\(|(?<![\w)\]])\[|(?<!\w)["']""")
# Parts of expressions do not count as literals.
OPERATOR = re.compile(r"\s{0,3}[*+]")
OPERATOR_BEFORE = re.compile(r"[*+]\s{0,3}\Z")
EMPTY = re.compile(r"\b(?:empty|no (?:entries|elements|items|values|input))\b", re.IGNORECASE)
NAMED = re.compile(r"(\w+)`?\s*(?:=|:|is|of)?\s*$")


@dataclass(frozen=True, slots=True)
class FoundInput:
    """A literal, and its place in the text."""

    start: int
    end: int
    value: Any

    @property
    def key(self) -> str:
        """A key that is equal for literals of equal values."""
        return repr(self.value)


def literals_in(text: str) -> list[FoundInput]:
    """Return the literals of a text in order, without those inside others."""
    found: list[FoundInput] = []
    place = 0
    for _ in range(TRIED):
        if len(found) == MOST:
            break
        match = min(
            (m for p in (OPENING, NUMBER, WORD) if (m := p.search(text, place))),
            key=lambda m: m.start(),
            default=None,
        )
        if match is None:
            break
        end = match.end() if match.re is not OPENING else closes(text, match.start())
        place = match.end()
        if end is not None:
            try:
                value = read_literal(text[match.start() : end])
            except NotALiteralError:
                continue
            before = text[max(0, match.start() - 4) : match.start()]
            if not (OPERATOR_BEFORE.search(before) or OPERATOR.match(text, end)):
                found.append(FoundInput(match.start(), end, value))
            place = end
    return found


def closes(text: str, start: int, most: int = 1_000) -> int | None:
    """Return the end of the bracket or quotation that begins at `start`, if it is short enough."""
    waiting: list[str] = []
    quote = ""
    for place in range(start, min(len(text), start + most)):
        character = text[place]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in CLOSING:
            waiting.append(CLOSING[character])
        elif character in ")]}" and (not waiting or waiting.pop() != character):
            return None
        if not quote and not waiting:
            return place + 1
    return None


def arguments_in(text: str, program: Program) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments of the calls in a text, in any notation."""
    calls = [arguments for _, _, arguments in calls_in(text, program.function)]
    if calls:
        yield from calls
        return
    found = literals_in(text)
    wanted = len(program.parameters)
    if not found:
        if wanted == 1 and EMPTY.search(text) and program.kinds[0] in (list, str, dict, tuple):
            yield (program.kinds[0](),)
        return
    named = _named(text, found, program.parameters)
    if named is not None:
        yield named
    elif wanted == 1:
        for literal in found:
            # A tuple of one may be a call without the function's name.
            alone = _as_tuple(literal.value)
            yield alone if alone is not None and len(alone) == 1 else (literal.value,)
    elif (
        wanted > 1
        and all(
            (whole := _as_tuple(literal.value)) is not None and len(whole) == wanted
            for literal in found
        )
        and tuple not in program.kinds
    ):
        # Several calls without the function's name.
        yield from (literal.value for literal in found)
    elif wanted > 1 and len(found) > wanted and len(found) % wanted == 0:
        values = [literal.value for literal in found]
        yield from (tuple(values[n : n + wanted]) for n in range(0, len(values), wanted))
    elif len(found) == wanted:
        yield tuple(literal.value for literal in found)
    elif len(found) == 1 and (written := _as_tuple(found[0].value)) is not None:
        yield written


def _as_tuple(value: Any) -> tuple[Any, ...] | None:
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else None


def calls_in(text: str, function: str) -> Iterator[tuple[int, int, tuple[Any, ...]]]:
    """Yield the calls of a function with literal arguments: start, end, arguments."""
    calls = re.finditer(rf"\b{re.escape(function)}\s*\(", text)
    for match in itertools.islice(calls, MOST):
        end = closes(text, match.end() - 1)
        if end is not None:
            try:
                yield match.start(), end, arguments_of(text[match.end() : end - 1])
            except NotALiteralError:
                continue


def _named(
    text: str, found: list[FoundInput], parameters: tuple[str, ...]
) -> tuple[Any, ...] | None:
    """Return the arguments, if each follows its parameter's name; the first needs no name."""
    given: dict[str, Any] = {}
    before = names = 0
    for literal in found:
        word = NAMED.search(text[before : literal.start])
        before = literal.end
        if word and word[1] in parameters:
            given.setdefault(word[1], literal.value)
            names += 1
        elif not given and parameters:
            given[parameters[0]] = literal.value
        else:
            return None
    whole = names > 0 and set(given) == set(parameters)
    return tuple(given[p] for p in parameters) if whole else None
