"""What a verifier's message asks, part by part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from explorer.players.scripted.provers.inputs import arguments_in, literals_in
from explorer.players.scripted.provers.lines import lines_asked_for
from explorer.players.scripted.provers.matching import closest, general
from explorer.players.scripted.provers.questions import TAKEN, places_of
from explorer.players.scripted.provers.sentences import sentences
from explorer.running import Program

__all__ = ["Call", "General", "LineAsked", "Other", "Prepared", "Question", "read"]

# More than one answers, and reads, in a message.
MOST = 6
MOST_SENTENCES = 12
MOST_CHARACTERS = 2_000
# Of 100: no line and no call is looked for any more.
SURE = 90.0
# Who writes one of these asks for a value.
RUN = re.compile(
    r"\b(?:return\w*|gives?|gave|output\w*|results?|outcome|comes? out|evaluat\w*|comput\w*|"
    r"yields?|produces?|call|run|try|value)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """One of the prepared questions; how sure that is, of 100, and what was written instead."""

    ask: str
    score: float = 100.0
    written: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """What does the program return for these arguments?"""

    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class LineAsked:
    """What does this line do?"""

    number: int


@dataclass(frozen=True, slots=True)
class General:
    """Something that can be asked about anything: for a reason, an example, a fault."""

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Other:
    """Something else."""

    text: str


Question = Prepared | Call | LineAsked | General | Other


def read(text: str, asks: Sequence[str], program: Program | None, solution: str) -> list[Question]:
    """The questions of a message, in their order.

    What is written just as it was prepared is taken first. Then every sentence is asked for calls,
    for lines, and for prepared questions in other words; what is none of these is something else.
    """
    places, rest = places_of(text[:MOST_CHARACTERS], asks)
    found: list[tuple[int, Question]] = [(at, Prepared(ask)) for ask, at in places.items()]
    for at, sentence in _left(rest):
        found += [(at, question) for question in _read(sentence, asks, program, solution)]
    ordered = [question for _, question in sorted(found, key=lambda item: item[0])]
    return list({repr(question): question for question in ordered}.values())[:MOST]


def _left(rest: str) -> list[tuple[int, str]]:
    """The sentences that hold no prepared question, each with its place."""
    found: list[tuple[int, str]] = []
    for part in rest.split(TAKEN):
        for sentence in sentences(part):
            if any(character.isalnum() for character in sentence):
                found.append((rest.index(sentence), sentence))
    return found[:MOST_SENTENCES]


def _read(
    sentence: str, asks: Sequence[str], program: Program | None, solution: str
) -> list[Question]:
    match = closest(sentence, asks)
    # What names the values of a prepared question asks that one.
    if match is not None and (match.score > SURE or literals_in(sentence)):
        return [Prepared(match.ask, match.score, sentence)]
    lines = lines_asked_for(sentence, solution, quoted=match is None or "`" not in match.ask)
    if lines:
        return [LineAsked(number) for number in lines]
    if program is not None:
        calls = list(arguments_in(sentence, program))
        if not (RUN.search(sentence) or program.function in sentence):
            # What looks like an input is one.
            calls = [call for call in calls if _is_usual(call, program)]
        if calls:
            return [Call(arguments) for arguments in calls]
    if match is not None:
        return [Prepared(match.ask, match.score, sentence)]
    if program is not None and RUN.search(sentence) and (values := literals_in(sentence)):
        # A call with too few values or too many, which the program does not take.
        return [Call(tuple(literal.value for literal in values))]
    what = general(sentence)
    return [Other(sentence) if what is None else General(what, sentence)]


# What stands for the other in a question.
SIMILAR: dict[type, type] = {list: tuple, float: int}


def _is_usual(call: tuple[Any, ...], program: Program) -> bool:
    """Are the arguments of the kinds that the function is given?"""
    given = (value.__class__ for value in call)
    return [*map(_similar, given)] == [*map(_similar, program.kinds)]


def _similar(kind: type) -> type:
    return SIMILAR.get(kind, kind)
