"""Tests of runner.py, programs.py and worker.py.

Bundled programs run within limits, whatever the input, and nothing else is run.
"""

import ast
import dataclasses
import subprocess
import sys
from functools import partial

import pytest

from explorer.programs import (
    MAX_LITERAL,
    MAX_OUTPUT,
    InPlace,
    NotALiteralError,
    Outcome,
    Runner,
    arguments_of,
    program_of,
    read_literal,
    runner,
)
from nip_core.tasks import bundled_tasks, graph_task, problems
from tests.depth import each, exhaustive, first
from tests.explorer.programs import hostile
from tests.play_worlds import FOREIGN
from tests.threads import in_threads


@pytest.fixture(scope="module")
def bundled():
    made = Runner()
    yield made
    made.close()


@pytest.fixture(scope="module")
def evil():
    made = Runner(hostile.__file__)
    yield made
    made.close()


# -- the programs -------------------------------------------------------------------------------


def test_every_program_gives_what_its_problem_says(bundled):
    for problem in problems():
        for case in (*problem.cases, problem.exposing):
            arguments, expected = case.values()
            outcome = bundled.run(problem.correct.id, repr(arguments))
            assert outcome.kind == "returned"
            assert ast.literal_eval(outcome.text) == expected
        shown = problem.wrong.exposing
        wrong = bundled.run(problem.wrong.id, repr(problem.exposing.values()[0]))
        said = f"raises {wrong.text}" if wrong.kind == "raised" else wrong.text
        assert said == shown.got or ast.literal_eval(said) == ast.literal_eval(shown.got)
    assert bundled.started == 1


def test_the_same_is_run_once(bundled):
    task = problems()[0].correct.id
    first = bundled.run(task, "([1, 2], 3)")
    asked = bundled.asked
    assert [bundled.run(task, "([1, 2], 3)") for _ in range(100)] == [first] * 100
    assert bundled.asked == asked


def test_a_hundred_questions_need_one_process(bundled):
    task = next(p for p in problems() if p.slug == "runner_up").correct.id
    before = bundled.asked
    for number in range(100):
        expected = str(number - 1 if number else -1)
        assert bundled.run(task, f"([{number}, {number - 1}, {number}],)").text == expected
    assert bundled.asked == before + 100
    assert bundled.started == 1


def test_only_what_is_word_for_word_bundled_is_a_program():
    for task in bundled_tasks():
        program = program_of(task.statement)
        assert program.task == task.id == program.by_verdict[task.y]
        assert program_of(dataclasses.replace(task.statement, solution="import os")) is None
        assert program_of(dataclasses.replace(task.statement, question="?")) is None
        assert program_of(dataclasses.replace(task.statement, id="nobody")) is None
    assert program_of(FOREIGN.statement) is None
    assert program_of(graph_task(1).statement) is None


def test_what_a_program_is_does_not_say_whether_it_is_right():
    """The two ids are in the same order for both versions."""
    for problem in problems():
        right, wrong = (program_of(t.statement) for t in (problem.correct, problem.wrong))
        assert right.by_verdict == wrong.by_verdict


@each("task", ["", "nobody", "../../etc/passwd", "import os", "\n"])
def test_what_is_not_bundled_is_not_run(bundled, task):
    assert bundled.run(task, "()") == Outcome("refused")


# -- the input ----------------------------------------------------------------------------------


@each(
    "arguments",
    [
        "",
        "1",
        "[1]",
        "__import__('os').system('true')",
        "(open('/etc/passwd'),)",
        "(x,)",
        "(1 + 1,)",
        "([1] * 9,)",
        "(" * 30 + ")" * 30,
        "(" + "[" * 400 + "]" * 400 + ",)",
        "(" + "-" * 900 + "1,)",
        "({[]: 1},)",
        "({{1}},)",
        "('\\ud800'",
        "(1,)\n(2,)",
        "(" + "9" * 5_000 + ",)",
        "(\0,)",
        "(f'{1}',)",
        "(lambda: 1,)",
        "(**{},)",
    ],
)
def test_what_is_no_literal_is_refused(bundled, arguments):
    assert bundled.run(problems()[0].correct.id, arguments).kind == "refused"
    assert bundled.started == 1


def test_the_number_of_arguments_is_checked(bundled):
    for arguments in ("()", "(1,)", "(1, 2, 3)"):
        assert bundled.run(problems()[0].correct.id, arguments).kind == "arguments"


@each("text", ["nan", "1e999999", "10**10", "x" * (MAX_LITERAL + 1), "[" * 21 + "]" * 21, "\x00"])
def test_literals_are_bounded_before_they_are_parsed(text):
    if text == "1e999999":
        assert read_literal(text) == float("inf")
        return
    with pytest.raises(NotALiteralError):
        read_literal(text)


def test_arguments_are_what_stands_between_the_brackets():
    assert arguments_of("") == ()
    assert arguments_of("[1, 2], 'a'") == ([1, 2], "a")
    assert arguments_of("[1],") == ([1],)
    assert arguments_of("{'a': (1, None)}") == ({"a": (1, None)},)
    for text in (") or (", "*[1]", "x=1", "1 2"):
        with pytest.raises(NotALiteralError):
            arguments_of(text)
    with pytest.raises(NotALiteralError, match="These are not arguments"):
        arguments_of("1) #")


@pytest.mark.parametrize(
    "number", first(1, [-(10**300), 10**18]), ids=lambda n: f"{len(str(n))} digits"
)
def test_huge_numbers_end(bundled, number):
    """Whatever a program does with them, this call is answered, and the next one too."""
    for problem in problems():
        arguments = problem.exposing.values()[0]
        for place, value in enumerate(arguments):
            if type(value) is int:
                huge = (*arguments[:place], number, *arguments[place + 1 :])
                outcome = bundled.run(problem.correct.id, repr(huge))
                assert outcome.kind in ("returned", "raised", "too long", "too large")
    assert bundled.run(problems()[0].correct.id, "([1], 2)") == Outcome("returned", "1")


# -- bounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("loop", Outcome("too long")),
        ("one line", Outcome("too long")),
        pytest.param("stubborn", Outcome("too long"), marks=exhaustive),
        ("without a line", Outcome("too long")),
        ("deep", Outcome("raised", "RecursionError")),
        ("memory", Outcome("too large")),
        pytest.param("more and more", Outcome("too large"), marks=exhaustive),
        ("output", Outcome("too large")),
        ("digits", Outcome("raised", "ValueError")),
        ("ends", Outcome("too long")),
        pytest.param("crashes", Outcome("too long"), marks=exhaustive),
        ("prints", Outcome("returned", "1")),
        ("reads", Outcome("returned", "''")),
        ("writes", Outcome("raised", "OSError")),
        ("raises", Outcome("raised", "KeyError")),
    ],
)
def test_whatever_a_program_does_it_is_bounded(evil, program, outcome):
    assert evil.run(program, "()") == outcome
    assert evil.run("fine", "('still here',)") == Outcome("returned", "'still here'")


def test_a_run_leaves_no_state_behind(evil):
    kinds = [evil.run("remembers", f"({'[1]' + ' ' * n},)").text for n in range(3)]
    assert kinds == ["([1, 9], [1], [[1, 9]])"] * 3


def test_sets_are_iterated_in_the_same_order_each_time(evil):
    words = "({'a', 'b', 'c', 'd', 'e', 'f'},)"
    first = evil.run("sets", words)
    evil.close()
    assert evil.run("sets", words.replace(",)", ", )")) == first


def test_what_is_returned_has_a_limit(evil):
    quotes = 2
    longest = MAX_OUTPUT - quotes
    assert evil.run("this many", f"({longest},)") == Outcome("returned", repr("x" * longest))
    assert evil.run("this many", f"({longest + 1},)") == Outcome("too large")


# -- the process --------------------------------------------------------------------------------


def test_a_process_that_was_ended_is_replaced():
    made = Runner()
    task = problems()[0].correct.id
    made.run(task, "([1], 2)")
    made._process.kill()
    made._process.wait()
    assert made.run(task, "([2], 2)") == Outcome("returned", "1")
    assert made.started == 2
    process = made._process
    made.close()
    assert process.poll() is not None
    assert made.run(task, "([1], 2)").kind == "returned"  # from the cache
    assert made.started == 2
    assert made.run(task, "([3], 3)").kind == "returned"
    assert made.started == 3
    made.close()


def test_where_none_can_be_started_none_is_tried_again(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit(1)")
    made = Runner(str(broken))
    for _ in range(5):
        assert made.run("fine", "(1,)") == Outcome("unavailable")
    assert made.started == 1


def test_several_threads_get_their_own_answers(bundled):
    task = next(p for p in problems() if p.slug == "runner_up").correct.id
    got = {}

    def ask(number):
        got[number] = bundled.run(task, f"([{number}, 1000],)").text

    in_threads(*(partial(ask, number) for number in range(20)))
    assert got == {n: str(n) for n in range(20)}


def test_the_process_ends_with_the_one_that_started_it():
    code = (
        "from explorer.programs import runner\n"
        "from nip_core.tasks import problems\n"
        "print(runner().run(problems()[0].correct.id, '([1], 2)').text, runner()._process.pid)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    value, pid = done.stdout.split()
    assert value == "1"
    alive = subprocess.run(["ps", "-p", pid], capture_output=True, check=False)
    assert alive.returncode != 0


def test_the_process_imports_little():
    code = (
        "import sys, explorer.programs.worker as w\n"
        "w.bundled()\n"
        "heavy = ('torch', 'streamlit', 'numpy', 'pandas', 'networkx', 'sqlalchemy', 'plotly')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_there_is_one_for_everybody():
    assert runner() is runner()


def test_without_processes_programs_run_here_with_the_same_answers(bundled, monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    here = runner.__wrapped__()
    assert type(here) is InPlace
    for problem in problems():
        arguments = repr(tuple(problem.exposing.values()[0]))
        for task in (problem.correct.id, problem.wrong.id):
            assert here.run(task, arguments) == bundled.run(task, arguments)
            # Objects print their addresses, so only the lines are the same.
            (outcome, steps), (other, others) = (
                each.trace(task, arguments) for each in (here, bundled)
            )
            assert (outcome, [s.line for s in steps]) == (other, [s.line for s in others])


def test_large_numbers_are_not_counted_up_to(bundled):
    task = next(p for p in problems() if p.slug == "runner_up").correct.id
    for large in ("([1000001],)", "([-1000001],)", "({'a': [(1000001,)]},)"):
        assert bundled.run(task, large) == Outcome("too long")
    assert bundled.run(task, "([1000000],)") == Outcome("returned", "-1")
