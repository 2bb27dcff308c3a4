"""Bundled programs: ask for return values, read the claims, and check them."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from explorer.players.scripted.code import code_of
from explorer.players.scripted.inputs import FoundInput, calls_in
from explorer.players.scripted.slots import is_usual
from explorer.players.scripted.verifiers.claims import HeardClaim, canonical, values_in
from explorer.players.scripted.verifiers.subject import Claim, Observation, Subject
from explorer.programs import NotALiteralError, Program, read_literal
from nip_core.tasks import Statement

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
# Sentences about a moment of a run or a changed program, or that ask back, name values that are no
# results.
_NO_RESULT = re.compile(
    r"\b(?:after (?:the|pass|line)\b|before the loop|at the end\b|in turn\b|passes\b"
    r"|line \d+\b|\d+ lines\b)(?!.*returns)"
    r"|\bWithout (?:it|line \d)|\b(?:Leave|Take) it out\b|\bWith `[^`]*` (?:for `|at first)"
    r"|Do you mean: |Or is it: |be asking: |^Or: .*\?$",
    re.IGNORECASE,
)
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


class ProgramSubject(Subject):
    """The questions and checks of a verifier about a bundled program.

    It can run the program, and work out what would be right: what that costs is its budget's.
    """

    def __init__(self, statement: Statement, program: Program) -> None:
        super().__init__(statement)
        code = code_of(statement)
        assert code is not None
        self.program, self.code = program, code

    @cached_property
    def example(self) -> tuple[str, str] | None:
        """The example in the question of the problem: its arguments, and the result."""
        told = "".join(self.code.problem.correct.question.split()).replace('"', "'")
        for case in self.code.problem.cases:
            arguments, expected = case.values()
            parts = ["".join(repr(each).split()) for each in (*arguments, expected)]
            # Single digits occur in any text.
            if case.obvious and all(part in told for part in parts) and max(map(len, parts)) > 3:
                return repr(tuple(arguments)), canonical(expected)
        return None

    def questions(self, *, unusual: bool) -> list[str]:
        """Return questions about the inputs of the problem and others that are near to them."""
        code = self.code
        wanted = [each for each in code.inputs if (repr(each) in code.unusual) == unusual]
        wanted = wanted or [*code.inputs]
        near = [other for each in wanted for other in code.near(each)]
        usual = [other for other in near if code.right(other).kind == "returned"]
        made = {repr(each): each for each in (*wanted, *usual[:: 1 + len(usual) // 8])}
        return [self._question(literal) for literal in made]

    def _question(self, arguments: str) -> str:
        return f"What does {self.code.call(read_literal(arguments))} return?"

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
            about = self.code.call(arguments)
            # The first of several results for one call counts.
            wanted = _wanted(heard.text, about)
            found.setdefault(about, Claim(heard, about, result, "work out", wanted))
        lines = len(self.statement.solution.splitlines())
        for number in _LINE.findall(heard.text):
            if int(number) > lines:
                about = f"line {number}"
                found.setdefault(about, Claim(heard, about, "there is such a line", "look up"))
        yield from found.values()

    def _results(self, heard: HeardClaim) -> Iterator[tuple[tuple[Any, ...], str]]:
        kept = [part for part in _SENTENCES.split(heard.text) if not _NO_RESULT.search(part)]
        text = " ".join(kept)
        called = list(calls_in(text, self.program.function))
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
            yield from self._told(dataclasses.replace(heard, text=text))
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
        return is_usual(arguments, self.code) and not numbers

    def _asked_call(self, heard: HeardClaim) -> tuple[Any, ...] | None:
        calls = list(calls_in(heard.asked, self.program.function))
        return calls[0][2] if len(calls) == 1 else None

    def _told(self, heard: HeardClaim) -> Iterator[tuple[tuple[Any, ...], str]]:
        """Yield an input of the problem that is given in prose: "For [5, 9, 7] it returns 7"."""
        asked, values = values_in(heard.asked), values_in(heard.text)
        in_question = {canonical(value.value) for value in asked}
        for arguments in self.code.inputs:
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

    def check(self, claim: Claim, part: float | None = None) -> Observation | None:
        """Check a claim by running the program, which takes no time."""
        del part
        if claim.effort == "look up":
            lines = len(self.statement.solution.splitlines())
            return Observation(False, f"the program has {lines} lines")
        ((_, _, arguments),) = calls_in(claim.about, self.program.function)
        outcome = self.code.outcome(arguments)
        if outcome.kind == "raised":
            return Observation(claim.says == outcome.text, f"raises {outcome.text}")
        if outcome.kind != "returned":
            return None
        really = _read(outcome.text)
        return Observation(claim.says == really, really)

    def work_out(self, claim: Claim) -> Observation | None:
        """Check by hand what a claim says would be right."""
        if claim.effort == "look up" or claim.heard.side is None:
            return None
        ((_, _, arguments),) = calls_in(claim.about, self.program.function)
        outcome = self.code.right(arguments)
        if outcome.kind != "returned":
            return None
        right = _read(outcome.text)
        said = claim.wanted or (claim.says if claim.heard.side == 1 else "")
        return None if not said else Observation(said == right, f"{right} would be right")

    def look_up(self, claim: Claim) -> Observation | None:
        """Check a claim by the question's example, without running anything."""
        example = self.example
        if claim.effort == "look up":
            return self.check(claim)
        if example is None or claim.about != self.code.call(read_literal(example[0])):
            return None
        return Observation(claim.says == example[1], f"{example[1]} in the question")


def _read(text: str) -> str:
    try:
        return canonical(read_literal(text))
    except NotALiteralError:
        return text


def _is_result(text: str, value: FoundInput) -> bool:
    before, after = text[max(0, value.start - 40) : value.start], text[value.end : value.end + 40]
    if _RIGHT.search(before) or _GIVEN.search(before) or _IS_RIGHT.search(after):
        return False
    return bool(_BEFORE.search(before) or _AFTER.search(after))


def _is_told(text: str, value: FoundInput) -> bool:
    before = text[max(0, value.start - 40) : value.start]
    return _is_result(text, value) and bool(
        _RETURNS.search(before) or _AFTER.search(text[value.end : value.end + 40])
    )


def _is_concluded(text: str, value: FoundInput) -> bool:
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


# Words around what would be right, in an answer that gives it beside the result.
_ASKED_FOR = re.compile(
    r"(?:\basks? for|\bought to be|\bshould (?:be|give|return)|\bwhere|\bwhile|\bWrong:)\s*`?$"
)
_IS_WANTED = re.compile(r"^`?,?\s*(?:is|would be|was) (?:wanted|asked for|what's asked|right)")


def _wanted(text: str, about: str) -> str:
    """Return what a message says would be right for a call; empty if it says nothing of that."""
    _, named, after = text.partition(about)
    for value in values_in(after if named else text)[:3]:
        part = after if named else text
        before = part[max(0, value.start - 30) : value.start]
        if _ASKED_FOR.search(before) or _IS_WANTED.search(part[value.end : value.end + 30]):
            return canonical(value.value)
    return ""


def _goes_on(text: str, value: FoundInput) -> bool:
    """Return whether a value is only the first part of a longer expression."""
    return _GOES_ON.match(text[value.end :]) is not None
