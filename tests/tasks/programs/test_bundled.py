"""The bundled programs and their tasks."""

import ast
import contextlib
import io
import re
import signal
import statistics
import subprocess
import sys
import tokenize
import zipfile
from collections import Counter
from pathlib import Path

import pytest

import nip_core
from nip_core.errors import UnknownNameError
from nip_core.tasks import (
    DIFFICULTIES,
    TaskError,
    bundled_task,
    bundled_tasks,
    deal,
    load_problem,
    problems,
    surprise,
)
from tests.depth import each

FOLDER = Path(nip_core.__file__).parent / "tasks" / "programs" / "problems"
each_problem = each("problem", problems(), ids=lambda problem: problem.slug)


@contextlib.contextmanager
def at_most(seconds):
    """Make a solution that does not end fail its own test instead of stopping all."""

    def stop(*_):
        raise TimeoutError(f"still running after {seconds} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(task, problem, case):
    """Return what the solution gives for a case, as the files write it, and the right value."""
    args, expected = case.values()
    names = {"__name__": "solution"}
    exec(compile(task.solution, problem.slug, "exec"), names)
    try:
        got = repr(names[problem.function](*args))
    except Exception as error:
        got = f"raises {type(error).__name__}"
    return got, repr(expected)


@each_problem
def test_the_correct_solution_passes_every_case(problem):
    with at_most(10):
        for case in (*problem.cases, problem.exposing):
            got, expected = run(problem.correct, problem, case)
            assert got == expected, case.args


@each_problem
def test_the_wrong_solution_fails_where_it_should_and_only_there(problem):
    with at_most(10):
        for case in problem.cases:
            if case.obvious:
                got, expected = run(problem.wrong, problem, case)
                assert got == expected, case.args
        got, expected = run(problem.wrong, problem, problem.exposing)
        assert got != expected
        assert got == problem.wrong.exposing.got
    obvious = [case.values()[0] for case in problem.cases if case.obvious]
    assert problem.exposing.values()[0] not in obvious


@each_problem
def test_the_exposing_input_is_shown_as_a_call(problem):
    names = {}
    exec(compile(problem.correct.solution, problem.slug, "exec"), names)
    with at_most(10):
        assert eval(problem.wrong.exposing.input, names) == problem.exposing.values()[1]


@each_problem
def test_versions_differ_only_in_id_and_solution(problem):
    correct, wrong = problem.correct.statement, problem.wrong.statement
    differing = [
        name for name in correct.__slots__ if getattr(correct, name) != getattr(wrong, name)
    ]
    assert differing == ["id", "solution"]
    assert (problem.correct.y, problem.wrong.y) == (1, 0)
    assert problem.correct.explanation
    assert problem.wrong.explanation


def words_about(code):
    """Return comments and docstrings."""
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT
    ]
    return comments, [
        ast.get_docstring(node)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
    ]


@each_problem
def test_style_does_not_reveal_the_version(problem):
    correct, wrong = problem.correct.solution, problem.wrong.solution
    assert abs(len(correct.splitlines()) - len(wrong.splitlines())) <= 1
    assert words_about(correct) == words_about(wrong)


@each_problem
def test_experts_are_prepared(problem):
    for task in (problem.correct, problem.wrong):
        assert 4 <= len(task.questions) <= 8
        for stance in (0, 1):
            assert 25 <= len(task.opening(stance).split()) <= 100
            for chip in task.questions:
                assert 5 <= len(task.answer(chip.ask, stance).split()) <= 60
                assert not re.search(r"\bstance\b", task.answer(chip.ask, stance))


def test_the_length_of_answers_does_not_reveal_liars():
    lengths = {True: [], False: []}
    for task in bundled_tasks():
        for stance in (0, 1):
            spoken = [task.opening(stance), *(chip.answers[stance] for chip in task.questions)]
            lengths[stance == task.y] += [len(text.split()) for text in spoken]
    honest, lying = statistics.mean(lengths[True]), statistics.mean(lengths[False])
    assert 0.9 < lying / honest < 1.1


@each_problem
def test_notes_are_questions_that_no_task_has_and_answers_of_all_provers(problem):
    prepared = {chip.ask.lower() for chip in problem.correct.questions}
    asked = [ask.lower() for note in problem.notes for ask in note.asks]
    assert len({*asked}) == len(asked)
    assert not {*asked} & prepared
    for note in problem.notes:
        assert note.asks[0][0].isupper()
        assert note.asks[0].endswith("?")
        for text in note.answers:
            assert 5 <= len(text.split()) <= 60, text
            # A prover's message is one paragraph for each answer.
            assert "\n\n" not in text


def test_there_are_enough_problems():
    found = problems()
    assert len(found) >= 40
    assert len(bundled_tasks()) == 2 * len(found)
    assert sum(problem.fools_quick_reader for problem in found) >= len(found) / 2
    by_difficulty = Counter(problem.difficulty for problem in found)
    assert all(by_difficulty[difficulty] >= 8 for difficulty in DIFFICULTIES)
    assert {problem.slug for problem in found} == {file.stem for file in FOLDER.glob("*.toml")}


def test_lists_do_not_pair_the_versions():
    listed = bundled_tasks()
    assert [(DIFFICULTIES.index(t.difficulty), t.id) for t in listed] == sorted(
        (DIFFICULTIES.index(t.difficulty), t.id) for t in listed
    )
    place = {task.id: index for index, task in enumerate(listed)}
    correct_first = sum(place[p.correct.id] < place[p.wrong.id] for p in problems())
    assert 0.25 < correct_first / len(problems()) < 0.75
    for difficulty in DIFFICULTIES:
        assert bundled_tasks(difficulty) == tuple(t for t in listed if t.difficulty == difficulty)


def test_a_task_is_found_by_its_id():
    for task in bundled_tasks():
        assert bundled_task(task.id) is task
    with pytest.raises(UnknownNameError):
        bundled_task("nosuchtask")
    with pytest.raises(UnknownNameError, match="easy"):
        problems("simple")


def test_dealt_tasks_reveal_nothing_about_the_next():
    firsts = Counter()
    for seed in range(1000):
        first, second = deal(seed)[:2]
        firsts[first.y, second.y] += 1
    # Four equally likely pairs of labels; six standard deviations.
    assert all(abs(count - 250) < 6 * (1000 * 3 / 16) ** 0.5 for count in firsts.values())
    assert len(firsts) == 4


def test_dealing():
    for seed in range(20):
        dealt = deal(seed)
        assert sorted(task.title for task in dealt) == sorted(p.title for p in problems())
        assert surprise(seed) == dealt[0]
        # The version does not depend on the position, or on what else may come.
        assert set(deal(seed, "hard")) == {t for t in dealt if t.difficulty == "hard"}
    assert len({surprise(seed).title for seed in range(300)}) > len(problems()) * 0.9


def test_a_problems_versions_come_equally_often():
    for problem in problems():
        picked = [problem.pick(seed).y for seed in range(400)]
        assert abs(sum(picked) - 200) < 60


NOTE = "[[more]]\nasks = ['Why so?', 'Why?']\n"
ALWAYS = 'always = "So it is."\n[[questions]]'
GOOD = (FOLDER / "robot_steps.toml").read_text("utf-8")


@each(
    ("old", "new", "message"),
    [
        ('title = "', "title = ", "broken.toml: "),
        ("title =", "titel =", "the file has a key 'titel'"),
        ('difficulty = "medium"', 'difficulty = "so-so"', "difficulty is 'so-so'"),
        ('function = "', 'function = "1', "function is '1fewest_steps'"),
        ("obvious = true", 'obvious = "yes"', "cases[1].obvious is 'yes'"),
        ("obvious = true", "", "at least 3 are obvious"),
        ('expected = "1"', 'expected = "len(x)"', "cases[1].expected is 'len(x)'"),
        ('expected = "1"', 'expected = ""', "cases[1].expected is ''"),
        ("[wrong.exposing]\nargs = ", "[wrong.exposing]\narguments = ", "wrong.exposing has a key"),
        ("fools_quick_reader = true", "fools_quick_reader = 1", "wrong.fools_quick_reader is 1"),
        ("\nask =", "\nasks =", "questions[1] has a key 'asks'"),
        ("wrong.reject =", "wrong.rejects =", "questions[1].wrong has a key 'rejects'"),
        ("[[questions]]", NOTE + 'correct = "No."\n[[questions]]', "more[1] must have either"),
        ("[[questions]]", NOTE.replace(", 'Why?'", "") + ALWAYS, "in at least two wordings"),
        (
            "[[questions]]",
            NOTE + 'line = "no line"\n' + ALWAYS,
            "more[1].line is 'no line', which stands in neither solution",
        ),
        ("[[questions]]", NOTE.replace("'Why?'", "1") + ALWAYS, "more[1].asks is 1"),
        ("[wrong.opening]\naccept", "[wrong.opening]\naccepts", "wrong.opening has a key"),
    ],
)
def test_a_broken_file_is_reported_by_name_and_key(old, new, message):
    assert old in GOOD
    count = -1 if new == "" else 1
    with pytest.raises(TaskError) as caught:
        load_problem("broken.toml", GOOD.replace(old, new, count))
    assert str(caught.value).startswith("broken.toml: ")
    assert message in str(caught.value)


def test_the_problems_can_be_read_from_a_zip(tmp_path):
    # As from a wheel that was not unpacked.
    root = Path(nip_core.__file__).parent.parent
    with zipfile.ZipFile(tmp_path / "wheel.zip", "w") as archive:
        for file in (root / "nip_core").rglob("*"):
            if file.suffix in (".py", ".toml"):
                archive.write(file, file.relative_to(root))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import nip_core.tasks as tasks;"
        "assert sys.argv[1] in tasks.__file__; print(len(tasks.problems()))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(tmp_path / "wheel.zip")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == len(problems())


def test_importing_is_cheap():
    heavy = {"torch", "tensordict", "pandas", "networkx", "pyarrow", "datasets", "numpy"}
    code = f"import sys, nip_core.tasks as t; t.problems(); print({heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
