"""Tests of prose.py and pieces.py.

Questions of strangers are answered truly by honest provers, and never by an evasion. Grades are
stored with the questions, by hand.
"""

import re
from ast import literal_eval
from functools import cache
from pathlib import Path

import pytest

from explorer.players.scripted import is_evasion
from explorer.players.scripted.account import Account
from explorer.players.scripted.answers import answer
from explorer.players.scripted.code import code_of
from explorer.players.scripted.levels import LEVELS
from explorer.players.scripted.pieces import piece_in
from explorer.players.scripted.prose import described, whole
from explorer.players.scripted.questions import understand
from explorer.players.scripted.slots import Topic
from explorer.players.scripted.verifiers import HeardClaim, subject_of
from explorer.players.scripted.voices import voices
from tests.depth import JOURNEYS, each
from tests.explorer.players.scripted.strangers.answering import PROGRAMS, answers, questions

SETS = [*"abcdefghijklmnopqrstuvw"]
CLAIM = re.compile(
    r"`\w+\((?P<given>[^`]*)\)` returns `(?P<got>[^`]*)`"
    r"(?:, where `(?P<where>[^`]*)` is wanted|\. The question asks for `(?P<asks>[^`]*)`"
    r"|(?P<fine>, as it should|, which is what|, and that is right|\. On that input nothing))?"
)


def asked_in(name):
    return questions(Path(__file__).with_name("strangers") / f"{name}.toml")


@cache
def said_in(name):
    return [(question, [*answers(question)]) for question in asked_in(name)]


@each("name", SETS)
def test_honest_provers_say_what_is_true_and_nobody_evades(name):
    claims = 0
    for question, said in said_in(name):
        for who, text in said:
            assert not is_evasion(text), question
            assert "not sure what" not in text
            if who != "honest" or question["task"] not in PROGRAMS:
                continue
            problem = PROGRAMS[question["task"]]
            code = code_of(
                (problem.correct if question["version"] == "right" else problem.wrong).statement
            )
            for claim in CLAIM.finditer(text):
                before = text[: claim.start()]
                if re.search(r"With(?:out)? [^:]*, $", before):
                    continue  # of a program with a change
                given = literal_eval(f"({claim['given']},)")
                assert claim["got"] == code.outcome(given).text, (question, claim[0])
                right = code.right(given).text
                wanted = claim["where"] or claim["asks"]
                assert wanted in (None, right), (question, claim[0])
                assert not claim["fine"] or claim["got"] == right, (question, claim[0])
                claims += 1
    # Many answers were prepared, and say nothing in this form.
    assert claims > 1


@each("name", SETS if JOURNEYS else SETS[:1])
def test_what_verifiers_read_in_honest_answers_holds(name):
    """A changed program, a quoted line or a question that is offered is no claim."""
    for question, said in said_in(name):
        if question["task"] not in PROGRAMS:
            continue
        problem = PROGRAMS[question["task"]]
        task = problem.correct if question["version"] == "right" else problem.wrong
        subject, text = subject_of(task.statement), dict(said)["honest"]
        for claim in subject.claims(HeardClaim(0, 0, "prover", task.y, text, question["asked"])):
            found = subject.check(claim)
            assert found is None or found.holds, (str(claim), text)


@each("name", SETS)
def test_two_provers_never_use_the_same_words(name):
    for question in asked_in(name):
        if question["task"] not in PROGRAMS:
            continue
        task = PROGRAMS[question["task"]].wrong
        code = code_of(task.statement)
        prepared = dict.fromkeys(task.statement.asks, "It is so.")
        asked = understand(question["asked"], Topic(code, task.solution, tuple(prepared)))
        said = []
        for voice in voices():
            account = Account(code, 1, LEVELS["hard"], voice, 0, 0, "It is correct.", prepared)
            said.append(["".join(part.text for part in answer(account, each)) for each in asked])
        assert not {*said[0]} & {*said[1]} | {*said[1]} & {*said[2]} | {*said[0]} & {*said[2]}


@pytest.mark.parametrize("name", SETS)
def test_each_answer_of_a_set_was_graded_once(name):
    rows = asked_in(name)
    assert len(rows) == 45
    for row in rows:
        assert len(row["first"]) == 1 + (row["task"] in PROGRAMS)
        assert {*row["first"]} <= {*"UTCEO"}


def read(slug, text):
    code = code_of(PROGRAMS[slug].correct.statement)
    return whole(described(text, code), code)


@pytest.mark.parametrize(
    ("slug", "text", "given"),
    [
        ("juice_dispenser", "size 2 period 3, people at 1, 1 and 6", ([1, 1, 6], 2, 3)),
        ("too_few_courts", "two courts: 0 to 6, 5 to 7?", ([(0, 6), (5, 7)], 2)),
        ("too_few_courts", "one court and (1,3) (2,5)", ([(1, 3), (2, 5)], 1)),
        ("noise_level", "10 20 30 with 20%", ([10, 20, 30], 20)),
        ("class_trip", "places AB, votes AB, BA", ("AB", ["AB", "BA"])),
        ("seats_in_a_row", "five friends, row of 7, all empty", (0, 7, 5)),
        ("parcel_check_digit", "run 9041 by hand", ("9041",)),
        ("two_diaries", "(7,'x') and (7,'y')", ([(7, "x")], [(7, "y")])),
        ("lock_wheels", "n=12, 3 marks, 3 wheels", (12, 3, 3)),
        ("juice_dispenser", "size 2", None),
        ("lock_wheels", "three wheels of three marks", None),
        ("runner_up", "7 people and 9 marks", None),
    ],
)
def test_described_inputs_are_read(slug, text, given):
    assert read(slug, text) == given


@pytest.mark.parametrize(
    ("slug", "text", "line", "means"),
    [
        ("class_trip", "min(votes.values()) in plain words?", "fewest = min(votes.values())", 2),
        ("juice_dispenser", "the double slash??", "refills = (now - last) // period", 1),
        ("noise_level", "where is it put in order", "for level in sorted(counts):", 1),
        ("noise_level", "are you sure about that +1", "needed = len(readings)", 0),
        ("runner_up", "the line with second = mark", "second = mark", 0),
    ],
)
def test_code_is_found_by_what_is_quoted_or_named(slug, text, line, means):
    source = PROGRAMS[slug].wrong.solution
    piece = piece_in(text, source)
    assert source.splitlines()[piece.line - 1].strip().startswith(line)
    assert len(piece.means) == means


@pytest.mark.parametrize("text", ["hello", "is 7 right?", "what of (a or b)", "-1 or so"])
def test_prose_is_no_code(text):
    assert piece_in(text, PROGRAMS["runner_up"].wrong.solution) is None
