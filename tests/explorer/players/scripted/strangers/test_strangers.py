"""Questions of strangers are answered truly by honest provers, and never by an evasion. Grades are
stored with the questions, by hand.
"""

import re
from ast import literal_eval
from functools import cache
from pathlib import Path

import pytest

from explorer.players.scripted import is_evasion
from explorer.players.scripted.answers import Account
from explorer.players.scripted.code import code_of
from explorer.players.scripted.levels import LEVELS
from explorer.players.scripted.questions import Topic, understand
from explorer.players.scripted.voices import voices
from tests.depth import each
from tests.explorer.players.scripted.strangers.answering import PROGRAMS, answers, questions

SETS = [*"ab"]
CLAIM = re.compile(
    r"`\w+\((?P<given>.*?)\)` returns `(?P<got>[^`]*)`"
    r"(?:, where `(?P<where>[^`]*)` is wanted|\. The question asks for `(?P<asks>[^`]*)`"
    r"|(?P<fine>, as it should|, which is what|, and that is right|\. On that input nothing))?"
)


def asked_in(name):
    return questions(Path(__file__).with_name(f"{name}.toml"))


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
    assert claims > 3


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
            said.append(["".join(part.text for part in account.answer(each)) for each in asked])
        assert not {*said[0]} & {*said[1]} | {*said[1]} & {*said[2]} | {*said[0]} & {*said[2]}


@pytest.mark.parametrize("name", SETS)
def test_grades_are_complete(name):
    rows = asked_in(name)
    assert len(rows) == 45
    assert {*"".join(row["first"] for row in rows)} <= {*"UTCEO"}
    for row in rows:
        assert len(row["first"]) == 1 + (row["task"] in PROGRAMS)
