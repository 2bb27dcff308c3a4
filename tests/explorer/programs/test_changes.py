"""Small changes of bundled programs are named, never sent as code."""

import pytest

from explorer.programs import runner
from explorer.programs.changes import changed
from nip_core.tasks import problems

RUNNER_UP = next(problem for problem in problems() if problem.slug == "runner_up").correct
SOURCE = RUNNER_UP.solution


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (("without", 6), "pass"),
        (("operator", ">", ">="), "if mark >= best:"),
        (("operator", "<", "<="), "second <= mark"),
        (("start", "best", "5"), "best = second = 5"),
        (("number", "1", "7"), "best = second = -7"),
        (("assign", 6, "second", "mark"), "            second = mark\n            best = mark"),
        (("assign", 6, "second", "0"), "            second = 0\n            best = mark"),
    ],
)
def test_a_change_is_made_once(change, part):
    made = changed(SOURCE, change)
    assert part in made
    assert made != SOURCE


@pytest.mark.parametrize(
    "change",
    [
        (),
        ("without", 99),
        ("without", "6"),
        ("operator", ">", "; import os"),
        ("operator", "**", "//"),
        ("start", "best", "__import__('os')"),
        ("start", "nobody", "5"),
        ("number", "1", "__import__('os')"),
        ("number", "4", "5"),
        ("assign", 6, "second", "__import__('os')"),
        ("assign", 6, "second", "nobody"),
        ("assign", 6, "mark", "best"),
        ("assign", 99, "second", "best"),
        ("source", "print()"),
        ("without", 1),
    ],
)
def test_nothing_else_can_be_asked_for(change):
    made = changed(SOURCE, change)
    assert made is None or "import os" not in made


def test_a_changed_program_is_run_and_the_other_stays_as_it_was():
    literal = "([1, 2, 3],)"
    before = runner().run(RUNNER_UP.id, literal)
    assert runner().changed(RUNNER_UP.id, literal, ("start", "best", "5")).text == "5"
    assert runner().changed(RUNNER_UP.id, literal, ("operator", ">", "exec")).kind == "refused"
    assert runner().run(RUNNER_UP.id, literal) == before


def test_lines_of_a_run_are_counted():
    short, long = (runner().counted(RUNNER_UP.id, f"({[*range(n)]!r},)") for n in (4, 8))
    assert short is not None
    assert long is not None
    assert short[0] < long[0]
    assert not long[1]
    assert runner().counted(RUNNER_UP.id, "(3,)") is None
