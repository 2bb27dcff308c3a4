"""A line of a program is described in plain words, without running anything."""

import pytest

from explorer.players import ScriptedExpert, script_for
from explorer.players.scripted.runs import line_of
from nip_core.tasks import bundled_tasks
from tests.depth import each
from tests.explorer.players.scripted.asking import asked
from tests.play_worlds import FOREIGN, ONE_TASK

PROGRAM = '''import math
def f(a, b):
    """Add."""
    total = 0

    # Why not?
    for x in a:
        if x < b:
            total += x
        elif x == b:
            continue
        else:
            total -= 1
    call(total,
         b)
    while total:
        break
    return total'''


@pytest.mark.parametrize(
    ("number", "part"),
    [
        (1, "standard library"),
        (2, "begins the function `f`, which is given `a` and `b`"),
        (3, "describes the function"),
        (4, "sets `total` to `0`"),
        (6, "remark"),
        (7, "goes through `a`, calling what comes `x`"),
        (8, "only if `x < b`"),
        (9, "adds `x` to `total`"),
        (10, "only if `x == b`"),
        (11, "next round"),
        (12, "when no condition above it holds"),
        (13, "takes `1` off `total`"),
        (14, "calls `call(total, b)`"),
        (15, "belongs to what begins on line 14"),
        (16, "as long as `total`"),
        (17, "leaves the loop"),
        (18, "hands back `total`"),
    ],
)
def test_lines_are_described(number, part):
    assert part in line_of(PROGRAM, number).what


@pytest.mark.parametrize("number", [-1, 0, 5, 19, 10**9])
def test_where_there_is_nothing_nothing_is_described(number):
    line = line_of(PROGRAM, number)
    assert line.source == line.what == ""
    assert line.last == 18


@each("task", bundled_tasks(), ids=lambda task: task.id)
def test_every_line_of_every_program_is_described(task):
    for number, source in enumerate(task.solution.splitlines(), start=1):
        line = line_of(task.solution, number)
        assert line.source == source.strip()
        assert bool(line.what) == bool(line.source)


@pytest.mark.parametrize(
    "solution",
    ["(" * 500, "x = (" * 3_000, "-" * 15_000 + "1", "x" * 50_000, "\0", "not python at all"],
)
def test_what_is_no_program_is_quoted_at_most(solution):
    assert line_of(solution, 1).what == ""


def test_an_expert_quotes_the_line():
    said = asked(
        ScriptedExpert(script_for(ONE_TASK, 0)), "Hello", "line 2?", "line 99?", "And `step`?"
    )
    source = ONE_TASK.solution.splitlines()[1].strip()
    assert f"`{source}`" in said[1]
    assert "no line 99" in said[2]


def test_strangers_programs_are_read_and_not_run():
    said = asked(ScriptedExpert(script_for(FOREIGN, 1)), "Hello", "Line 1?", task=FOREIGN)
    assert "`print(2)`" in said[1]
