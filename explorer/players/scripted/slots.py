"""Read what a question names: an input, a line, a change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from explorer.players.scripted.code import Arguments, Code
from explorer.players.scripted.edits import change_in
from explorer.players.scripted.inputs import FoundInput, closes, literals_in
from explorer.players.scripted.noted import Near, nearest, prepared
from explorer.players.scripted.pieces import piece_in
from explorer.players.scripted.prose import described, filled, whole
from explorer.programs import NotALiteralError, arguments_of

NUMBER = r"-?\d+(?:\.\d+)?"
# Numbers that are no input: of lines, passes, scales and shares.
NUMBERED = re.compile(
    r"\b(?:scale|probability|bet|confiden\w*|sure)\b.*"
    r"|\b(?:0|1|one) (?:to|and) (?:10|ten|100)\b|\d+(?:st|nd|rd|th)\b"
    r"|\b(?:pass(?:es)?|iterations?|rounds?|steps?)\s*(?:number |no\.? ?|#)?\d+"
    r"|\b\d+ times|(?<!come )(?<!comes )\bout of \d+",
    re.IGNORECASE,
)
SHARE = re.compile(r"\b\d+ ?(?:%|percent)|\bpercent\b.*", re.IGNORECASE)
LINE = re.compile(
    r"\blines?\s*(?:number|no\.?|nr\.?|#)?\s*(\d{1,4})\b|\bL(\d{1,4})\b", re.IGNORECASE
)
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
# A short question that names what it wants the result of.
SHORTLY = re.compile(
    r"^\W*(?:\w+\W+){0,3}(?:returns?|output|result|comes? out|gives?)(?:\W+\w+){0,9}\W*$", re.I
)
ABOUT_INPUT = re.compile(
    r"\b(?:what (?:if|about|happens|when)|how about|if|suppose|for|with|when|given|handles?|and)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what is meant, and what it names.

    `intent` is one of the tables of ``intents.toml``, ``"prepared"``, or ``"unclear"``. Then
    `other` has the questions that may be meant.
    """

    intent: str
    text: str
    arguments: Arguments | None = None
    # A result that it names: 7 in "is it 7 for [7, 9]?".
    values: tuple[Any, ...] = ()
    line: int | None = None
    change: tuple[Any, ...] | None = None
    prepared: str = ""
    # Whether it is the prepared question, and not only near it.
    same: bool = False
    # Whether nothing else can be meant, so that no other one is offered.
    sure: bool = False
    # What some of the parameters are, if it does not say all.
    given: tuple[tuple[str, Any], ...] = ()
    # Another input that it compares with.
    beside: tuple[Arguments, ...] = ()
    # What the code that it quotes means.
    means: tuple[str, ...] = ()
    # Whether it asks for a part of the program, and does not only use a word that may mean one.
    quotes: bool = True
    other: tuple[Asked, ...] = ()

    @property
    def is_of_input(self) -> bool:
        """Whether it is about one input, which it names."""
        return self.arguments is not None and not self.given


@dataclass(frozen=True, slots=True)
class Topic:
    """What a question can be about: a program and its prepared questions."""

    code: Code | None
    source: str
    asks: tuple[str, ...] = ()
    # The input that was mentioned last.
    before: Arguments | None = None

    def nearest(self, text: str, number: int | None) -> list[Near]:
        """Return the prepared questions, those nearest to a text (on a line) first."""
        slug = "" if self.code is None else self.code.problem.slug
        lines = dict(enumerate(self.source.splitlines(), start=1))
        return nearest(text, prepared(slug, self.asks), lines.get(number or 0, ""))


def slots(text: str, topic: Topic) -> tuple[Asked, str]:
    """Return what a question names, and its text with INPUT, LINE, CODE and VALUE for it."""
    asked, shape = Asked("", text), text
    if found := LINE.search(shape):
        asked = replace(asked, line=int(found[1] or found[2]))
        shape = LINE.sub("LINE", shape)
    else:
        number = _ordinal_line(shape, topic.source)
        asked = replace(asked, line=number)
    masked = NUMBERED.sub(lambda m: re.sub(r"\d", "N", m[0]), shape)
    if topic.code is not None:
        piece = piece_in(text, topic.source)
        if piece is not None and piece.quoted:
            # The numbers of a quoted line are no input.
            masked = masked.replace(piece.quoted, re.sub(r"\d", "N", piece.quoted))
        quoted = piece.line if piece is not None and piece.quoted else None
        change = change_in(text, asked.line or quoted, topic.source)
        asked, shape = _input(asked, shape, masked, topic)
        shape = re.sub(r"`[^`\n]{1,80}`", "CODE", shape)
        if piece is not None and asked.line is None:
            asked = replace(asked, line=piece.line, means=piece.means, quotes=piece.sure)
        asked = replace(asked, change=change)
        if asked.arguments is None and SHORTLY.search(text) and not asked.given and asked.values:
            # A call with too few or too many arguments, or others.
            asked = replace(asked, arguments=asked.values)
    return asked, re.sub(rf"(?<![\w]){NUMBER}(?!\w)", "VALUE", shape)


def _ordinal_line(text: str, source: str) -> int | None:
    found = re.search(rf"\b({'|'.join((*ORDINALS, 'last'))}) line\b", text, re.IGNORECASE)
    if found is None:
        return None
    word = found[1].lower()
    return len(source.splitlines()) if word == "last" else ORDINALS.index(word) + 1


def _input(asked: Asked, text: str, masked: str, topic: Topic) -> tuple[Asked, str]:
    """Return a question with its input and other values, and its text with INPUT in its place."""
    assert topic.code is not None
    program = topic.code.program
    if found := re.search(rf"`?\b{re.escape(program.function)}\s*\(", text):
        end = closes(text, found.end() - 1)
        if end is not None:
            try:
                given = arguments_of(text[found.end() : end - 1])
            except NotALiteralError:
                given = None
            if given is not None:
                rest = f"{text[: found.start()]} INPUT {text[end:]}"
                values = [each.value for each in literals_in(rest)]
                return replace(asked, arguments=given, values=tuple(values)), rest
    if "percent" not in program.parameters:
        masked = SHARE.sub(lambda m: re.sub(r"\d", "N", m[0]), masked)
    told = described(masked, topic.code)
    arguments, literals = whole(told, topic.code), literals_in(masked)
    place = None if arguments is not None else _window(masked, literals, topic.code)
    if place is not None:
        arguments, first, last, used = place
        rest = f"{text[:first]}INPUT{text[last:]}"
        others = [each for each in literals if each not in used]
        if program.kinds in ((list,), (str,)):
            # More inputs of the same kind.
            beside = [(each.value,) for each in others if is_usual((each.value,), topic.code)]
            asked = replace(asked, beside=tuple(beside))
            others = [each for each in others if (each.value,) not in beside]
        values = [each.value for each in others]
        return replace(asked, arguments=arguments, values=tuple(values)), rest
    base = topic.before or topic.code.program.example
    kinds = dict(zip(program.parameters, program.kinds, strict=True))
    if arguments is None and any(kinds[name] not in (int, float) for name in told.values):
        arguments = filled(told.values, base, topic.code)
    if arguments is not None:
        last = next((name for name in reversed(told.values)), "")
        beside = tuple(
            filled({**told.values, last: each}, base, topic.code) for each in told.others
        )
        values = [each.value for each in literals_in(told.rest)]
        # What is not said is as in the example, so that it is not the one that is meant.
        part = told.values if len(told.values) < len(program.parameters) else {}
        asked = replace(asked, arguments=arguments, beside=beside, values=tuple(values))
        asked = replace(asked, given=tuple(part.items()))
        return asked, told.shape(text)
    values = [each.value for each in literals]
    asked = replace(asked, given=tuple(told.values.items()), values=tuple(values))
    return asked, told.shape(text) if told.values else text


def _window(
    text: str, literals: Sequence[FoundInput], code: Code
) -> tuple[Arguments, int, int, Sequence[FoundInput]] | None:
    """Return the literals that are the arguments, and their place."""
    kinds, names = code.program.kinds, code.program.parameters
    for each in literals:
        if each.value.__class__ is tuple and is_usual(each.value, code):
            return cast("Arguments", each.value), each.start, each.end, [each]
    named: dict[str, FoundInput] = {}
    for each in literals:
        word = re.search(r"(\w+)`?\s*(?:=|:|is|of)?\s*$", text[: each.start])
        if word is not None and word[1] in names:
            named.setdefault(word[1], each)
    if len(names) > 1 and {*named} == {*names}:
        used = [named[name] for name in names]
        given = tuple(each.value for each in used)
        if is_usual(given, code):
            return given, min(e.start for e in used), max(e.end for e in used), used
    for n in range(len(literals) - len(kinds) + 1):
        used = literals[n : n + len(kinds)]
        given = tuple(each.value for each in used)
        plain = all(isinstance(value, int | float) for value in given) and len(kinds) > 1
        # Any two or three numbers are no input: they must be all, and close together.
        apart = plain and text[used[0].end : used[-1].start].count(" ") > 2 * len(kinds)
        if is_usual(given, code) and not (
            plain and (apart or len(literals) > len(kinds) or not ABOUT_INPUT.search(text))
        ):
            return given, used[0].start, used[-1].end, used
    if len(kinds) == 1 and len(literals) == 1 and kinds[0] in (list, str):
        only = literals[0]
        if type(only.value) is int and re.search(
            r"\b(?:for|about|on|input)\W*$", text[: only.start]
        ):
            given = ([only.value],) if kinds[0] is list else (str(only.value),)
            return given, only.start, only.end, [only]
    return None


def is_usual(arguments: Sequence[Any], code: Code) -> bool:
    """Return whether arguments have the types of the function's arguments."""
    kinds = code.program.kinds
    return len(arguments) == len(kinds) and all(map(_is_of, arguments, kinds))


def _is_of(value: object, kind: type) -> bool:
    if kind in (int, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, list | tuple if kind in (list, tuple) else kind)
