"""Traces belong to the version that is claimed, and to one story."""

import re
import sys
from fractions import Fraction

import pytest

from explorer.players import ScriptedExpert, script_for
from explorer.players.scripted import Level, is_evasion
from explorer.players.scripted.runs import TracedRun
from explorer.programs import program_of, runner
from nip_core.tasks import problems
from tests.depth import each
from tests.explorer.players.scripted.asking import asked

RUNNER_UP = next(problem for problem in problems() if problem.slug == "runner_up")
STEADY = Level("steady", "")
INVENTIVE = Level("inventive", "", invent=Fraction(1))


def said(task, stance, *questions, level=STEADY, seed=0):
    expert = ScriptedExpert(script_for(task, stance), level, seed)
    return asked(expert, "Hello", *questions, task=task, max_response_words=400)[1:]


def held_after(source, function, arguments, name, number):
    """Return a variable's value when the loop's head is reached the next time, by a debugger."""
    names = {}
    exec(compile(source, "<judged>", "exec"), names)
    head = next(
        n for n, line in enumerate(source.splitlines(), 1) if line.strip().startswith("for")
    )
    reached = []

    def watch(frame, event, _):
        if frame.f_code.co_filename != "<judged>":
            return None
        if event == "line" and frame.f_lineno == head:
            reached.append(dict(frame.f_locals))
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        names[function](*arguments)
    finally:
        sys.settrace(before)
    return reached[number].get(name)


@pytest.mark.parametrize(("task", "stance"), [(RUNNER_UP.correct, 1), (RUNNER_UP.wrong, 0)])
def test_an_honest_expert_says_what_variables_really_hold(task, stance):
    given = [3, 1, 4, 2]
    (answer,) = said(task, stance, f"trace it for {given} please")
    told = re.findall(r"pass (\d): ([^;.]*)", answer)
    assert len(told) == len(given)
    for number, changes in told:
        for name, value in re.findall(r"`(\w+)` = `([^`]*)`", changes):
            really = held_after(task.solution, "runner_up", (given,), name, int(number))
            assert value == repr(really), (number, name)


def test_a_liar_describes_the_run_that_its_claim_needs():
    """The wrong program forgets the runner-up; a prover who calls it correct must hide that."""
    claim, trace = said(RUNNER_UP.wrong, 1, "And [2, 3, 4, 6]?", "trace it")
    assert "returns `4`" in claim
    assert trace.endswith("it returns `4`.")
    assert "`second` = `4`" in trace


@pytest.mark.parametrize("seed", range(6))
def test_an_invented_answer_is_described_as_a_run(seed):
    _, trace = said(
        RUNNER_UP.wrong,
        1,
        "What does it return for [2, 3, 4, 6]?",
        "Trace it step by step.",
        level=INVENTIVE,
        seed=seed,
    )
    (made_up,) = re.findall(r"returns `(-?\d+)`\.$", trace)
    assert made_up not in ("4", "-1")


@pytest.mark.parametrize("stance", [0, 1])
def test_a_quoted_claim_is_confirmed_or_denied(stance):
    first, stands, denied = said(
        RUNNER_UP.wrong,
        stance,
        "What does it return for [2, 3, 4, 6]?",
        f"You said {'4' if stance else '-1'} but it is 17. Which one?",
        "You said 250, and now this?",
    )
    (claimed,) = re.findall(r"returns `(-?\d+)`", first)
    assert stands.startswith("I stand by what I said")
    assert f"returns `{claimed}`" in stands
    assert denied.startswith("I did not say `250`")


def test_a_question_without_an_input_is_about_the_last_one():
    claims = said(RUNNER_UP.correct, 1, "What about [5, 3, 8]?", "how so")
    assert "`runner_up([5, 3, 8])` step by step" in claims[1]


def test_no_question_about_the_program_gets_an_evasion():
    questions = (
        "does the condition make sense",
        "what is the type of the output",
        "can the function crash",
        "what is the edge case here",
    )
    for question in questions:
        (answer,) = said(RUNNER_UP.wrong, 1, question)
        assert not is_evasion(answer), question


def test_a_language_that_it_does_not_know_is_named():
    for text in ("Was gibt es zurück, wenn die Liste leer ist?", "почему это так?", "¿Por qué no?"):
        (answer,) = said(RUNNER_UP.wrong, 1, text)
        assert "English only" in answer


@each("problem", problems(), ids=lambda problem: problem.slug)
def test_every_program_can_be_traced(problem):
    for task in (problem.correct, problem.wrong):
        program = program_of(task.statement)
        outcome, steps = runner().trace(task.id, repr(program.example))
        assert outcome == runner().run(task.id, repr(program.example))
        run = TracedRun(task.solution, steps)
        # One of them has a function inside and no other variables.
        assert run.told() or problem.slug == "lanterns_on_a_tree"
        assert " at 0x" not in run.told()
        assert max(len(text) for step in steps for _, text in step.changes) <= 83


def test_only_so_many_steps_of_a_run_are_recorded():
    outcome, steps = runner().trace(RUNNER_UP.wrong.id, repr(([*range(200)],)))
    assert outcome.kind == "returned"
    assert len(steps) == 400
