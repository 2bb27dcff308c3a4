"""Read the questions in a verifier's message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from explorer.players.scripted.provers.asked import (
    NUMBER,
    described,
    follow_up,
    is_foreign,
    is_usual,
    tidy,
    variables_asked,
    with_brackets,
)
from explorer.players.scripted.provers.inputs import arguments_in, literals_in
from explorer.players.scripted.provers.matching import TAKEN, closest, general, places_of
from explorer.players.scripted.provers.traces import When, lines_asked_for, names_in
from explorer.players.scripted.text import sentences
from explorer.programs import Program, read_literal

# The most questions of a message that are read and answered.
MOST = 6
MOST_SENTENCES = 12
MOST_CHARACTERS = 2_000
# At this likeness, up to 100, no line or call is looked for.
SURE = 90.0
# Words of sentences that ask for a value.
RUN = re.compile(
    r"\b(?:return\w*|gives?|gave|output\w*|results?|outcome|comes? out|evaluat\w*|comput\w*|"
    r"yields?|produces?|call|run|try|value)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """One of the prepared questions, with its likeness, up to 100, and the words that were used."""

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
    """A general question: for a reason, an example, a fault."""

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Other:
    """Something else."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """What does a variable hold at a moment, or what is it for?"""

    name: str
    when: When | None
    arguments: tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question about a run or an earlier message; see ``follow`` in matching.toml."""

    what: str
    text: str
    arguments: tuple[Any, ...] | None = None


Question = Prepared | Call | LineAsked | Variable | FollowUp | General | Other


def read(
    text: str,
    asks: Sequence[str],
    program: Program | None,
    solution: str,
    before: tuple[Any, ...] | None = None,
) -> list[Question]:
    """Return the questions of a message, in their order.

    Exact prepared questions are found first. Then every sentence is searched for calls, lines, and
    prepared questions (`asks`) in other words; the rest is :class:`Other`. The words "it" and
    "instead" refer to the input that was mentioned last `before`.
    """
    places, rest = places_of(text[:MOST_CHARACTERS], asks)
    found: list[tuple[int, Question]] = [(at, Prepared(ask)) for ask, at in places.items()]
    for at, sentence in _left(rest):
        asked = _read(sentence, asks, program, solution, before)
        found += [(at, question) for question in asked]
        # Later sentences may refer to this input.
        before = next((q.arguments for q in asked if isinstance(q, Call)), before)
    ordered = [question for _, question in sorted(found, key=lambda item: item[0])]
    return list({_key(question): question for question in reversed(ordered)}.values())[::-1][:MOST]


def questions_meant(
    text: str, asks: Sequence[str], program: Program | None, solution: str
) -> frozenset[str]:
    """Return a text's questions in a form that does not depend on their wording.

    "What does it return for '12'?" and "What does full_label('12') return?" have one in common.
    """
    found: set[str] = set()
    for question in read(text, asks, program, solution):
        if isinstance(question, Prepared):
            found.add(f"prepared: {question.ask}")
            if program is not None:
                given = list(arguments_in(question.ask, program))
                found.update(f"call: {each!r}" for each in given if is_usual(each, program))
        elif isinstance(question, Call):
            found.add(f"call: {question.arguments!r}")
    return frozenset(found)


def _key(question: Question) -> str:
    # "You said 3, but it is 4. Which is it?" is one question.
    return question.what if isinstance(question, FollowUp) else repr(question)


def _left(rest: str) -> list[tuple[int, str]]:
    """Return the sentences without a prepared question, each with its place."""
    found: list[tuple[int, str]] = []
    for part in rest.split(TAKEN):
        for sentence in sentences(part):
            if any(character.isalnum() or character in "?¿" for character in sentence):
                found.append((rest.index(sentence), sentence))
    return found[:MOST_SENTENCES]


def _read(
    sentence: str,
    asks: Sequence[str],
    program: Program | None,
    solution: str,
    before: tuple[Any, ...] | None,
) -> list[Question]:
    match = closest(sentence, asks)
    if match is not None and match.score > SURE:
        return [Prepared(match.ask, match.score, sentence)]
    text = sentence if program is None else with_brackets(sentence, program)
    tidied = tidy(text)
    what = follow_up(tidied)
    if program is not None:
        told = _of_a_run(tidied, what, program, solution)
        if told:
            return told
        if WHY_VALUE.search(tidied) and not {*program.kinds} <= {int, float}:
            return [FollowUp("why", text)]
    if what in ("contradiction", "again"):
        return [FollowUp(what, text)]
    # A sentence with a prepared question's values asks that question.
    if match is not None and literals_in(sentence):
        return [Prepared(match.ask, match.score, sentence)]
    lines = lines_asked_for(sentence, solution, quoted=match is None or "`" not in match.ask)
    if lines:
        return [LineAsked(number) for number in lines]
    calls = (
        [] if program is None else _calls(text, tidied, program, before, prepared=match is not None)
    )
    if calls:
        return [Call(arguments) for arguments in calls]
    if match is not None:
        return [Prepared(match.ask, match.score, sentence)]
    if program is not None and RUN.search(sentence) and (values := literals_in(text)):
        # A call with too few or too many arguments.
        return [Call(tuple(literal.value for literal in values))]
    if what == "side":
        return [FollowUp(what, text)]
    asked = general(tidied)
    if asked is not None:
        return [General(asked, sentence)]
    if program is not None and (names := variables_asked(tidied, names_in(solution))[0]):
        return [Variable(name, None, None) for name in names]
    if what is not None:
        return [FollowUp(what, text)]
    if is_foreign(sentence):
        return [FollowUp("english", text)]
    return [Other(sentence)]


# Numbers in such a sentence are claimed results, not inputs.
WHY_VALUE = re.compile(r"^\W*(?:(?:but|and|so|ok) )?why\b[^\[({]{0,20}-?\d+`?\W*(?:then)?\W*$")


def _of_a_run(tidied: str, what: str | None, program: Program, solution: str) -> list[Question]:
    """Return the question about the steps of a run, on an input or the one mentioned last."""
    names, when, rest = variables_asked(tidied, names_in(solution))
    if names and when is not None:
        given = [call for call in arguments_in(rest, program) if is_usual(call, program)]
        return [Variable(name, when, given[0] if given else None) for name in names]
    if what in ("trace", "passes"):
        given = [call for call in arguments_in(tidied, program) if is_usual(call, program)]
        return [FollowUp(what, tidied, given[0] if given else None)]
    return []


def _calls(
    text: str,
    tidied: str,
    program: Program,
    before: tuple[Any, ...] | None,
    *,
    prepared: bool,
) -> list[tuple[Any, ...]]:
    """Return the inputs in a sentence: written out, described, or by their differences."""
    calls = list(arguments_in(text, program))
    usual = [call for call in calls if is_usual(call, program)]
    if usual or not (RUN.search(text) or program.function in text):
        # Text in the form of an input is an input.
        calls = usual if program.function not in text else calls
    alone = [call[0] for call in arguments_in(text, program) if len(call) == 1]
    numbers = alone and all(type(value) in (int, float) for value in alone)
    if numbers and not usual and program.function not in text:
        # If the function takes a list or digits, a number alone is a list of one, or a text.
        if program.kinds == (list,):
            calls = [([value],) for value in alone]
        elif program.kinds == (str,):
            calls = [(str(value),) for value in alone]
    if calls or prepared:
        return calls
    base = before or program.example
    changed = None if literals_in(text) else described(tidied, base, program.parameters)
    if changed is None and ABOUT_BEFORE.search(tidied):
        changed = _replaced(text, base, program)
    return [] if changed is None else [changed]


# The question is about the input that was mentioned last, with the named parts replaced.
ABOUT_BEFORE = re.compile(
    r"^\W*(?:and|but|so|ok|then|now)?\W*(?:what|how) (?:about|if|is it|does it)\b|\binstead\b"
    r"|^\W*(?:and|but|now|then|with|for|if)\b|\bthe same\b"
)
INSTEAD = re.compile(rf"({NUMBER})\s+instead of\s+(?:the\s+)?({NUMBER})")


def _replaced(text: str, before: tuple[Any, ...], program: Program) -> tuple[Any, ...] | None:
    """Return the input that was mentioned last, with the named parts replaced."""
    if swap := INSTEAD.search(text):
        new, old = (read_literal(swap[place]) for place in (1, 2))
        return _exchanged(before, old, new)
    found = literals_in(text)
    if len(found) != 1 or len(program.parameters) < 2:
        return None
    value = found[0].value
    named = [n for n, name in enumerate(program.parameters) if re.search(rf"\b{name}\b", text)]
    alike = [n for n, given in enumerate(before) if type(given) is type(value)]
    place = (named or alike or [None])[0] if len(named) == 1 or len(alike) == 1 else None
    return None if place is None else (*before[:place], value, *before[place + 1 :])


def _exchanged(value: Any, old: Any, new: Any) -> Any:
    if isinstance(value, list | tuple):
        items = cast("list[Any] | tuple[Any, ...]", value)
        return type(items)(_exchanged(each, old, new) for each in items)
    return new if type(value) is type(old) and value == old else value
