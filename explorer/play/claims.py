"""Claims in messages of a finished game, checked against the program or the graphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from explorer.players import HeardClaim, canonical, subject_of, values_in
from explorer.programs import arguments_of, program_of, runner
from nip_core.play import Episode
from nip_core.tasks import Statement, problems


def exposing_sentence(public: Episode, text: str) -> dict[str, Any] | None:
    """Return the claim of a text that the fault-exposing input gives the correct result, if any.

    An example is "For '12' the sum is 17, and the label is '123'", which would hold if the program
    were right.
    """
    exposing = public.task.exposing
    if exposing is None or program_of(public.task.statement) is None:
        return None
    given = {repr(value.value) for value in values_in(exposing.input)}
    expected = [value.value for value in values_in(exposing.expected)]
    if len(expected) != 1 or len(given) != 1:
        return None
    # A short number alone is too ambiguous.
    if max(map(len, (*given, repr(expected[0])))) < LONG_ENOUGH:
        return None
    for sentence in CLAUSES[0].split(text):
        named = {repr(value.value) for value in values_in(sentence)}
        if given <= named and repr(expected[0]) in named and exposing.got not in sentence:
            return {
                "clause": sentence.strip(),
                "about": exposing.input,
                "claimed": exposing.expected,
                "actual": exposing.got,
                "expected": exposing.expected,
                "holds": False,
                "exposes": True,
            }
    return None


LONG_ENOUGH = 4
# "It returns 4", or only "4".
ANSWER = re.compile(
    r"[\s`]*(?:(?:it|that|this|the (?:result|answer|value)) (?:is|returns|gives) `?)?",
    re.IGNORECASE,
)
# How to split a text into sentences, and into clauses that could stand alone.
CLAUSES = (
    re.compile(r"(?<=[.!?;])\s+|\n+"),
    re.compile(r"(?<=[.!?;])\s+|\n+|(?<=,)\s+(?=and |but |so |because )|(?<=:)\s+"),
)


def _clauses(text: str) -> list[str]:
    """Return the sentences of a text, and their clauses: the shortest first."""
    parts = {part.strip() for split in CLAUSES for part in split.split(text)}
    return sorted((part for part in parts if part), key=lambda part: (len(part), part))


def checked_claims(public: Episode, agent: str, text: str, asked: str) -> Iterator[dict[str, Any]]:
    """Check a message clause by clause; yield each false claim once.

    During play, a verifier has to guess which input a number refers to if none is near it. Here, a
    claim counts only if its clause names the input, or begins the answer to a question about it.
    """
    subject = subject_of(public.task.statement)
    known = {repr(value.value) for value in values_in(asked)}
    seen: set[str] = set()
    named_here = exposing_sentence(public, text)
    if named_here is not None:
        seen.add(named_here["about"])
        yield named_here
    for clause in _clauses(text):
        heard = HeardClaim(0, 0, agent, public.setup.stance(agent), clause, asked)
        for claim in subject.claims(heard):
            named = {repr(value.value) for value in values_in(clause)}
            given = {repr(value.value) for value in values_in(claim.about)}
            result = {repr(value.value) for value in values_in(claim.says)}
            answers = text.startswith(clause) and _begins_with_a_value(clause)
            within = given <= named or (answers and named - result <= known | given)
            if claim.about in seen or not within or (checked := subject.check(claim)) is None:
                continue
            seen.add(claim.about)
            right = _right_statement(public)
            expected = None if right is None else subject_of(right).check(claim)
            yield {
                "clause": clause,
                "about": claim.about,
                "claimed": _as_written(clause, claim.says),
                "actual": _as_returned(public.task.statement, claim.about, checked.really),
                "expected": None
                if right is None or expected is None
                else _as_returned(right, claim.about, expected.really),
                "holds": checked.holds,
                "exposes": expected is not None and expected.really != checked.really,
            }


def _as_written(text: str, read: str) -> str:
    """Return a value as a text has it: in the form for comparison, a pair is a list."""
    places = (each for each in values_in(text) if canonical(each.value) == read)
    return next((text[each.start : each.end] for each in places), read)


def _as_returned(statement: Statement, call: str, read: str) -> str:
    """Return a call's result as the program returns it."""
    program = program_of(statement)
    if program is None or not call.startswith(f"{program.function}("):
        return read
    arguments = arguments_of(call.removeprefix(f"{program.function}(")[:-1])
    outcome = runner().run(program.task, repr(arguments))
    return outcome.text if outcome.kind == "returned" else read


def _begins_with_a_value(clause: str) -> bool:
    values = values_in(clause)
    return bool(values) and ANSWER.fullmatch(clause[: values[0].start]) is not None


def _right_statement(public: Episode) -> Statement | None:
    """Return the right program of the task, to compare with; None if the task has none."""
    question = public.task.question
    right = next((p.correct for p in problems() if p.correct.question == question), None)
    if right is None or program_of(right.statement) is None:
        return None
    return right.statement
