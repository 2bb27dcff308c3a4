"""Small changes of bundled programs are named, never sent as code."""

from explorer.programs import runner
from explorer.programs.changes import changed
from nip_core.tasks import problems
from tests.depth import each

RUNNER_UP = next(problem for problem in problems() if problem.slug == "runner_up").correct
SOURCE = RUNNER_UP.solution


@each(
    ("change", "part"),
    [
        (("without", 6), "pass"),
        (("part", 5, ">", ">="), "if mark >= best:"),
        (("part", 8, "<", "<="), "second <= mark"),
        (("part", 3, "1", "7"), "best = second = -7"),
        (("part", 6, "second = best", "second = mark"), "second = mark\n            best = mark"),
        (("part", 6, "best", "0"), "            second = 0\n            best = mark"),
        (("part", 6, "best", "(best - mark)"), "            second = (best - mark)\n"),
    ],
)
def test_a_change_is_made_once(change, part):
    made = changed(SOURCE, change)
    assert part in made
    assert made != SOURCE


@each(
    "change",
    [
        (),
        ("without", 99),
        ("without", "6"),
        ("part", 5, ">", "; import os"),
        ("part", 5, ">", "**"),
        ("part", 1, "marks", "best"),
        ("part", 3, "1", "__import__('os')"),
        ("part", 3, "4", "5"),
        ("part", 6, "second", "nobody"),
        ("part", 6, "best", "mark.mark" * 20),
        ("part", 99, "second", "best"),
        ("part", 6, "best", "best\nsecond"),
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
    assert runner().changed(RUNNER_UP.id, literal, ("part", 3, "1", "7")).text == "2"
    assert runner().changed(RUNNER_UP.id, literal, ("part", 5, ">", "exec")).kind == "refused"
    assert runner().run(RUNNER_UP.id, literal) == before
