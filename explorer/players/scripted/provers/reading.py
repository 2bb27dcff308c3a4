"""What a verifier's message asks, part by part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from explorer.players.scripted.provers.inputs import arguments_in
from explorer.players.scripted.provers.lines import lines_asked_for
from explorer.players.scripted.provers.matching import closest
from explorer.players.scripted.provers.questions import TAKEN, places_of
from explorer.players.scripted.provers.sentences import sentences
from explorer.running import Program

__all__ = ["Call", "LineAsked", "Other", "Prepared", "Question", "read"]

# More than one answers in a message.
MOST = 6
# Who writes one of these asks for a value.
RUN = re.compile(
    r"\b(?:return\w*|gives?|gave|output\w*|results?|outcome|comes? out|evaluat\w*|comput\w*|"
    r"yields?|produces?|call|run|try|value)\b",
    re.I,
)
# Who writes one of these, or a question mark, may; of a bare number that is too little.
PERHAPS = re.compile(r"\b(?:for|about|if|with|on|given|input|do|does|get|happens?)\b|\?", re.I)


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
class Other:
    """Something else."""

    text: str


Question = Prepared | Call | LineAsked | Other


def read(text: str, asks: Sequence[str], program: Program | None, solution: str) -> list[Question]:
    """The questions of a message, in their order.

    What is written just as it was prepared is taken first. Then every sentence is asked for calls,
    for lines, and for prepared questions in other words; what is none of these is something else.
    """
    places, rest = places_of(text, asks)
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
    return found


def _read(
    sentence: str, asks: Sequence[str], program: Program | None, solution: str
) -> list[Question]:
    match = closest(sentence, asks)
    if match is not None and match.score > 90:
        return [Prepared(match.ask, match.score, sentence)]
    lines = lines_asked_for(sentence, solution)
    if lines:
        return [LineAsked(number) for number in lines]
    if program is not None:
        calls = list(arguments_in(sentence, program))
        if calls and (RUN.search(sentence) or not _may_be_numbers(sentence, calls, program)):
            return [Call(arguments) for arguments in calls]
    if match is not None:
        return [Prepared(match.ask, match.score, sentence)]
    return [Other(sentence)]


def _may_be_numbers(sentence: str, calls: list[tuple[Any, ...]], program: Program) -> bool:
    """Do the literals of a sentence that does not ask for a value hardly look like an input?"""
    if program.function in sentence:
        return False
    bare = all(type(value) in (int, float) for call in calls for value in call)
    alone = not any(character.isalpha() for character in sentence)
    return (bare and not alone) or not (alone or PERHAPS.search(sentence))
