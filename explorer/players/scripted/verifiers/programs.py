"""Bundled programs: ask for return values, read the claims, and check them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from explorer.players.scripted.provers import closes, is_usual
from explorer.players.scripted.verifiers.claims import HeardClaim, Value, canonical, values_in
from explorer.players.scripted.verifiers.strategies import Asks
from explorer.players.scripted.verifiers.subject import Claim, Observation, Subject
from explorer.programs import NotALiteralError, Program, arguments_of, read_literal, runner
from nip_core.documents import python_literal
from nip_core.tasks import Problem, Statement, problems

# Words before a result, and words after one.
_BEFORE = re.compile(
    r"(?:\breturns?|\bgives?|\bgave|\bgets?|\byields?|\boutputs?|\bprints?|\bfinds?|\bcomes? to"
    r"|\bcomes? out as|\bresults? (?:is|in)|\banswers? (?:is|with)|\bit(?:'s| is)|\bgot|\bmakes?"
    r"|→|->|={1,2}|\bis)\s*:?\s*(?:just |only |back |again )?`?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^`?\s*(?:is|are|gets?) (?:returned|the result|what it returns)", re.IGNORECASE
)
# Words before a result in a longer text.
_RETURNS = re.compile(
    r"\b(?:returns?|stops with|outputs?|comes to|the result is|gives(?: back)?)\s*`?$",
    re.IGNORECASE,
)
# A value followed by one of these is part of a longer expression.
_GOES_ON = re.compile(
    r"`?(?:\s*[-+*/%]|,? then\b|, [(\[\d'\"]|,? and [(\[\d]|, (?:True|False|None)\b)"
)
# Words around the right result, as opposed to what the program returns.
_RIGHT = re.compile(
    r"(?:\bshould (?:be|give|return)|\binstead of|\brather than|\bnot|\bcorrect (?:is|result is)"
    r"|\bright (?:is|answer is|result is)|\bthe answer is|\bwhere)\s*`?$",
    re.IGNORECASE,
)
_SO = re.compile(r"\b(?:so|thus|hence|therefore)\b", re.IGNORECASE)
# The value of a parameter is an input, not a result.
_GIVEN = re.compile(r"\b(?:with|for|when|if|where|at) `?[A-Za-z_]\w* ={1,2} ?`?$", re.IGNORECASE)
_IS_RIGHT = re.compile(r"^`?,?\s*(?:is|are|would be) (?:right|correct|expected)", re.IGNORECASE)
_RAISES = re.compile(
    r"\b(?:raises?|throws?|fails? with|crashes with|an?)\s+`?(\w+(?:Error|Exception))\b"
)
_LINE = re.compile(r"\blines? (\d+)\b", re.IGNORECASE)
_BRIEF = 12
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
# Words before an input.
_FOR = re.compile(
    r"(?:\b(?:for|on|with|of|given|input|gets?|takes?|about|try|try it with|case|example)"
    r"(?: the (?:list|input|call))?\s*:?\s*[`(]?|^\W*(?:and |but |so )?)$",
    re.IGNORECASE,
)
# Words between an input and its result, in an answer that says nothing else.
_DIRECT = re.compile(r"[`)]?:?\s*(?:->|→|=>|={1,2}|:|gives?\b|returns?\b|yields?\b|makes?\b)")
# Words before a result that follows its input.
_IT_IS = re.compile(
    r"(?:\b(?:it|that|the (?:result|answer|output|value)|you|we|I)(?:'s| is| gives?| get| makes?)"
    r"|->|→|=>|[)\]}] ={1,2}|[)\]}] (?:is|gives)|[)\]}],?:?)\s*`?$",
    re.IGNORECASE,
)
_NOTHING = ("[]", "{}", "''", "True", "False", "None")


@dataclass(frozen=True, slots=True)
class Input:
    """An input that comes with a problem."""

    # A tuple.
    arguments: str
    # Whether it is an input that a quick reader would not try.
    unusual: bool

    @property
    def values(self) -> tuple[Any, ...]:
        """The arguments."""
        return tuple(python_literal(self.arguments))


@dataclass(frozen=True, slots=True)
class _Stock:
    inputs: tuple[Input, ...]
    # The example in the question: its arguments, and the result.
    example: tuple[str, str] | None


@cache
def _problems() -> dict[str, Problem]:
    """Return the problems by their question, which both versions of a problem share."""
    return {problem.correct.question: problem for problem in problems()}


@cache
def _stock(question: str) -> _Stock:
    """Return the example and the inputs of a bundled problem."""
    problem = _problems()[question]
    inputs = tuple(
        Input(f"{tuple(case.values()[0])!r}", not case.obvious) for case in problem.cases
    )
    told = "".join(problem.correct.question.split()).replace('"', "'")
    example = None
    for case in problem.cases:
        arguments, expected = case.values()
        parts = ["".join(repr(each).split()) for each in (*arguments, expected)]
        # Single digits occur in any text.
        if case.obvious and all(part in told for part in parts) and max(map(len, parts)) > 3:
            example = repr(tuple(arguments)), canonical(expected)
            break
    return _Stock(inputs, example)


def inputs_of(statement: Statement) -> tuple[Input, ...]:
    """Return the inputs of a bundled problem, without their results."""
    known = statement.question in _problems()
    return _stock(statement.question).inputs if known else ()


class ProgramSubject(Subject):
    """The questions and checks of a verifier about a bundled program, which it can run.

    It uses neither the problem's other version nor the right results.
    """

    def __init__(self, statement: Statement, program: Program) -> None:
        super().__init__(statement)
        self.program = program
        self.inputs = inputs_of(statement)

    def first_questions(self, asks: Asks, unusual: bool) -> list[str]:
        """Return the example in the question, or else inputs of the problem."""
        if asks == "prepared":
            return []
        if asks == "telling":
            example = _stock(self.statement.question).example
            return [] if example is None else [self._question(example[0])]
        wanted = [each for each in self.inputs if each.unusual or not unusual]
        if asks == "unprepared":
            wanted = [each for each in wanted if not self._is_prepared(each)]
        return [self._question(each.arguments) for each in wanted]

    def further_questions(self, asks: Asks) -> list[str]:
        """Yield variants of the unusual inputs, for which no answer was prepared."""
        if asks != "unprepared":
            return []
        known = {each.arguments for each in self.inputs}
        made = {
            repr((*values[:place], cast("Any", value)[1:], *values[place + 1 :])): None
            for values in (each.values for each in self.inputs if each.unusual)
            for place, value in enumerate(values)
            if isinstance(value, list | str) and len(cast("Sequence[Any]", value)) > 2
        }
        return [
            self._question(arguments)
            for arguments in made
            if arguments not in known and not self._is_prepared(Input(arguments, True))
        ]

    def _is_prepared(self, given: Input) -> bool:
        """Return whether a prepared question asks about an input."""
        wanted = set(map(canonical, given.values))
        return any(
            wanted <= {canonical(value.value) for value in values_in(ask)}
            for ask in self.statement.asks
        )

    def _question(self, arguments: str) -> str:
        return f"What does {self._call(read_literal(arguments))} return?"

    def _call(self, arguments: Sequence[Any]) -> str:
        return f"{self.program.function}({', '.join(map(repr, arguments))})"

    # -- listening -----------------------------------------------------------------------------

    def evades(self, heard: HeardClaim) -> bool:
        """Return whether a message leaves the question without an answer."""
        asked = self._asked_call(heard)
        if asked is not None:
            # An expert may discuss the input at length and name no value.
            told = {canonical(value.value) for value in values_in(heard.text)}
            return not (self.claims(heard) or set(map(canonical, asked)) <= told)
        return super().evades(heard)

    def _understand(self, heard: HeardClaim) -> Iterator[Claim]:
        """Yield the claims about return values and about lines of the program."""
        found: dict[str, Claim] = {}
        for arguments, result in self._results(heard):
            about = self._call(arguments)
            # The first of several results for one call counts.
            found.setdefault(about, Claim(heard, about, result, "work out"))
        lines = len(self.statement.solution.splitlines())
        for number in _LINE.findall(heard.text):
            if int(number) > lines:
                about = f"line {number}"
                found.setdefault(about, Claim(heard, about, "there is such a line", "look up"))
        yield from found.values()

    def _results(self, heard: HeardClaim) -> Iterator[tuple[tuple[Any, ...], str]]:
        text = heard.text
        called = list(_calls(self.program.function, text))
        for (_, end, arguments), after in itertools.zip_longest(called, called[1:]):
            part = text[end : after[0] if after else len(text)]
            result = _result(part)
            if result is not None and len(arguments) == len(self.program.parameters):
                yield arguments, result
        asked = self._asked_call(heard)
        others, rest = self._in_prose(text)
        if asked is not None and all(arguments != asked for _, _, arguments in called):
            # Sentences that mention no other input are about the one in the question.
            result = _result(rest[: called[0][0]] if called else rest)
            if result is not None:
                yield asked, result
        elif not called:
            yield from self._told(heard)
        yield from others

    def _in_prose(self, text: str) -> tuple[list[tuple[tuple[Any, ...], str]], str]:
        """Return the results for inputs that sentences give in prose, and the other sentences.

        An example is "For [4, 4] it is 4", which may be a lie whatever the question was.
        """
        found: list[tuple[tuple[Any, ...], str]] = []
        wanted = len(self.program.parameters)
        rest: list[str] = []
        for sentence in _SENTENCES.split(text):
            values = values_in(sentence)
            claim = None
            for place, first in enumerate(values[: -wanted or None]):
                given = values[place : place + wanted]
                arguments = tuple(value.value for value in given)
                before, after = sentence[: first.start], sentence[given[-1].end :]
                if self._is_usual(arguments) and (_FOR.search(before) or _DIRECT.match(after)):
                    said = [v for v in values[place + wanted :] if _is_concluded(sentence, v)]
                    if said and not _goes_on(sentence, said[0]):
                        claim = arguments, canonical(said[0].value)
                    break
            if claim is None:
                rest.append(sentence)
            else:
                found.append(claim)
        return found, " ".join(rest)

    def _is_usual(self, arguments: tuple[Any, ...]) -> bool:
        """Return whether values fit the function's arguments and are not numbers alone."""
        numbers = all(isinstance(value, int | float) for value in arguments)
        return is_usual(arguments, self.program) and not numbers

    def _asked_call(self, heard: HeardClaim) -> tuple[Any, ...] | None:
        calls = list(_calls(self.program.function, heard.asked))
        return calls[0][2] if len(calls) == 1 else None

    def _told(self, heard: HeardClaim) -> Iterator[tuple[tuple[Any, ...], str]]:
        """Yield an input of the problem that is given in prose: "For [5, 9, 7] it returns 7"."""
        asked, values = values_in(heard.asked), values_in(heard.text)
        in_question = {canonical(value.value) for value in asked}
        for arguments in (each.values for each in self.inputs):
            wanted = {canonical(argument) for argument in arguments}
            if all(canonical(each) in _NOTHING or type(each) in (int, float) for each in arguments):
                continue  # numbers alone, or empty brackets, may stand for anything
            place = 0
            if not wanted <= in_question:
                ends = {canonical(value.value): value.end for value in reversed(values)}
                if not wanted <= ends.keys():
                    continue
                place = max(ends[each] for each in wanted)
            after = [value for value in values if value.start >= place]
            said = [value for value in after if _is_told(heard.text, value)]
            begins = [v for v in after if not place and not heard.text[: v.start].strip(" `")]
            for result in (begins or said)[:1]:
                if not _goes_on(heard.text, result):
                    yield arguments, canonical(result.value)

    # -- checking ------------------------------------------------------------------------------

    def importance(self, claim: Claim) -> int:
        """Return how informative a claim is: large inputs most, the question's example least."""
        if claim.effort == "look up":
            return 0
        example = _stock(self.statement.question).example
        if example is not None and claim.about == self._call(read_literal(example[0])):
            return 1
        ((_, _, arguments),) = _calls(self.program.function, claim.about)
        return 2 + sum(map(_leaves, arguments))

    def check(self, claim: Claim) -> Observation | None:
        """Check a claim by running the program."""
        if claim.effort == "look up":
            lines = len(self.statement.solution.splitlines())
            return Observation(False, f"the program has {lines} lines")
        ((_, _, arguments),) = _calls(self.program.function, claim.about)
        outcome = runner().run(self.program.task, repr(tuple(arguments)))
        if outcome.kind == "raised":
            return Observation(claim.says == outcome.text, f"raises {outcome.text}")
        if outcome.kind != "returned":
            return None
        really = _read(outcome.text)
        return Observation(claim.says == really, really)

    def look_up(self, claim: Claim) -> Observation | None:
        """Check a claim by the question's example, without running anything."""
        example = _stock(self.statement.question).example
        if claim.effort == "look up":
            return self.check(claim)
        if example is None or claim.about != self._call(read_literal(example[0])):
            return None
        return Observation(claim.says == example[1], f"{example[1]} in the question")


def _leaves(value: Any) -> int:
    """Return the number of single values inside a value."""
    if isinstance(value, dict):
        return _leaves([*cast("dict[Any, Any]", value).items()])
    if isinstance(value, str | list | tuple | set):
        return sum(1 if isinstance(v, str) else _leaves(v) for v in cast("list[Any]", value))
    return 1


def _read(text: str) -> str:
    try:
        return canonical(read_literal(text))
    except NotALiteralError:
        return text


def _calls(function: str, text: str) -> Iterator[tuple[int, int, tuple[Any, ...]]]:
    """Yield the calls of a function with literal arguments in a text: start, end, arguments."""
    for found in re.finditer(rf"\b{re.escape(function)}\(", text):
        end = closes(text, found.end() - 1)
        if end is None:
            continue
        try:
            yield found.start(), end, arguments_of(text[found.end() : end - 1])
        except NotALiteralError:
            continue


def _is_result(text: str, value: Value) -> bool:
    before, after = text[max(0, value.start - 40) : value.start], text[value.end : value.end + 40]
    if _RIGHT.search(before) or _GIVEN.search(before) or _IS_RIGHT.search(after):
        return False
    return bool(_BEFORE.search(before) or _AFTER.search(after))


def _is_told(text: str, value: Value) -> bool:
    before = text[max(0, value.start - 40) : value.start]
    return _is_result(text, value) and bool(
        _RETURNS.search(before) or _AFTER.search(text[value.end : value.end + 40])
    )


def _is_concluded(text: str, value: Value) -> bool:
    """Return whether a value is the result in a sentence about an input."""
    before = text[max(0, value.start - 40) : value.start]
    plainly = _IT_IS.search(before) and not _IS_RIGHT.search(text[value.end : value.end + 40])
    return _is_told(text, value) or bool(plainly)


def _result(text: str) -> str | None:
    """Return the result that an answer to a question about a return value claims."""
    if raised := _RAISES.search(text):
        return raised[1]
    values = values_in(text)
    # A brief answer may use any words; in a long text, a number may mean anything.
    says_so = _is_result if len(text.split()) <= _BRIEF else _is_told
    said = [value for value in values if says_so(text, value)]
    # Intermediate values come first, and the result follows after "so".
    concluded = [value for value in said if _SO.search(text, 0, value.start)]
    told = [value for value in said if _is_told(text, value)]
    # Otherwise the only or the first value is the result.
    alone = len(values) == 1 or (values and not text[: values[0].start].strip(" `"))
    found = told[:1] or concluded[:1] or said[:1] or (values[:1] if alone else [])
    return canonical(found[0].value) if found and not _goes_on(text, found[0]) else None


def _goes_on(text: str, value: Value) -> bool:
    """Return whether a value is only the first part of a longer expression."""
    return _GOES_ON.match(text[value.end :]) is not None
