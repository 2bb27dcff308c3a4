"""Every bundled solution is run: the right one is right, and the wrong one is wrong as stated."""

from __future__ import annotations

import ast

import pytest

from nip_core.tasks import Problem, problems


def call(problem: Problem, solution: str, args: tuple) -> object:
    names: dict = {}
    exec(compile(solution, problem.slug, "exec"), names)
    return names[problem.function](*args)


@pytest.fixture(params=problems(), ids=lambda problem: problem.slug)
def problem(request) -> Problem:
    return request.param


def test_the_correct_solution_passes_every_case(problem):
    for case in (*problem.cases, problem.exposing):
        args, expected = case.values()
        result = call(problem, problem.correct.solution, args)
        assert repr(result) == repr(expected), case


def test_the_wrong_solution_passes_what_is_obvious(problem):
    obvious = [case for case in problem.cases if case.obvious]
    assert len(obvious) >= 3
    for case in obvious:
        args, expected = case.values()
        assert call(problem, problem.wrong.solution, args) == expected, case


def test_the_wrong_solution_fails_where_it_is_said_to(problem):
    args, expected = problem.exposing.values()
    got = problem.wrong.exposing.got
    if got.startswith("raises "):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            call(problem, problem.wrong.solution, args)
        assert type(caught.value).__name__ == got.removeprefix("raises ")
    else:
        result = call(problem, problem.wrong.solution, args)
        assert result == ast.literal_eval(got) != expected


def test_both_versions_ask_the_same(problem):
    assert problem.correct.question == problem.wrong.question
    asks = [[chip.ask for chip in task.questions] for task in (problem.correct, problem.wrong)]
    assert asks[0] == asks[1]
    assert 4 <= len(asks[0]) <= 8
    assert (problem.correct.y, problem.wrong.y) == (1, 0)
    assert problem.correct.id != problem.wrong.id
