"""Tests of claims.py, programs.py and graphs.py.

What scripted verifiers understand of answers, and what they find out about them.
"""

import ast
import time
from collections import Counter

import pytest

from explorer.players.scripted.verifiers import subject_of
from explorer.players.scripted.verifiers.claims import (
    MAX_READ,
    HeardClaim,
    canonical,
    side_of,
    values_in,
)
from nip_core.tasks import bundled_tasks, graph_task, problems
from tests.play_worlds import FOREIGN, ONE_TASK

GRAPHS = tuple(graph_task(seed, difficulty=d) for seed in range(2) for d in ("easy", "hard"))
NUMBERS = next(p for p in problems() if p.slug == "runner_up")
CALL = "What does runner_up([5, 9, 7]) return?"


def heard(text, asked="", side=1):
    return HeardClaim(1, 1, "prover", side, text, asked)


def claims(task, text, asked=""):
    found = subject_of(task.statement).claims(heard(text, asked))
    return {claim.about: claim.says for claim in found}


def test_images_of_several_answers_are_put_together():
    task = graph_task(5, isomorphic=False)
    subject, first = subject_of(task.statement), task.payload.first
    a, b = [first.names[node] for node in first.edges[0]]
    apart = next(
        (x, y)
        for x in task.payload.second.names
        for y in task.payload.second.names
        if x < y and not subject._joined(1, x, y)
    )
    last = HeardClaim(
        2, 2, "prover", 1, f"{b} goes to {apart[1]}.", before=f"{a} goes to {apart[0]}.", asked=""
    )
    (whole,) = [each for each in subject.claims(last) if each.effort == "work out"]
    assert not subject.work_out(whole).holds
    # Two nodes that become the same are seen without following an edge.
    same = HeardClaim(2, 2, "prover", 1, f"{b} goes to 1.", before=f"{a} goes to 1.", asked="")
    assert [subject.look_up(each).holds for each in subject.claims(same)[:1]] == [False]


def test_who_says_that_counts_differ_gives_up_that_the_graphs_are_the_same():
    subject = subject_of(GRAPHS[0].statement)
    one, other = (
        subject.claims(heard(text))[0].wanted
        for text in ("G has 3 triangles and H has 4.", "G has 3 triangles, and so has H.")
    )
    assert one
    assert not other


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It gives [1, (2, 3)] and 'a b', then -4.", [[1, (2, 3)], "a b", -4]),
        ("don't count this's 5.5 as 5", [5.5, 5]),
        ("True, None of {'a': 1}", [True, None, {"a": 1}]),
        ("x1 f2 3a [1, x] (4", [1, 4]),
        ("no value here", []),
    ],
)
def test_values_in_texts(text, values):
    assert [value.value for value in values_in(text)] == values


def test_a_pair_is_a_list_of_two_and_a_whole_float_a_number():
    assert canonical((1, [2.0, "a"])) == canonical([1, (2, "a")]) == "[1, [2, 'a']]"
    assert canonical({"b": 1, "a": (2,)}) == canonical({"a": [2], "b": 1})
    assert canonical(1) != canonical(True)


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("The solution is correct.", 1),
        ("There's nothing wrong with it.", 1),
        ("I found no bug in this.", 1),
        ("G and H are the same graph with other names.", 1),
        ("G and H are not isomorphic.", 0),
        ("It is not correct.", 0),
        ("There is a bug in line 3.", 0),
        ("It returns 3 instead of 4.", 0),
        ("banana", None),
        ("Hello.", None),
    ],
)
def test_which_side_a_text_argues_for(text, side):
    assert side_of(text) == side


def test_nearly_all_prepared_arguments_are_read_for_their_side():
    read = [
        side_of(task.opening(side)) == side
        for task in (*bundled_tasks(), *GRAPHS)
        for side in (0, 1)
    ]
    assert sum(read) >= 0.97 * len(read)


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("7", "7"),
        ("7.", "7"),
        ("It returns 7.", "7"),
        ("`runner_up([5, 9, 7])` returns `7`, which is what the question asks for.", "7"),
        ("runner_up([5, 9, 7]) = 7", "7"),
        ("It returns 9, but 7 would be right.", "9"),
        ("The right answer is 7, yet it returns 9.", "9"),
        ("I get 9, where 7 is wanted.", "9"),
        ("It raises an IndexError.", "IndexError"),
        ("Done by hand, `runner_up([5, 9, 7])` stops with an `IndexError`.", "IndexError"),
        ("It depends on 3 things, of which 2 matter.", None),
        ("banana", None),
    ],
)
def test_claimed_results_are_read(text, claimed):
    found = claims(NUMBERS.correct, text, CALL)
    assert found == ({} if claimed is None else {"runner_up([5, 9, 7])": claimed})


def test_several_calls_in_one_message():
    text = "runner_up([9, 7, 4]) returns 7, and runner_up([1, 2]) gives 1. runner_up(x) is fine."
    assert claims(NUMBERS.wrong, text) == {"runner_up([9, 7, 4])": "7", "runner_up([1, 2])": "1"}


def test_inputs_in_prose_are_recognised():
    text = "For [1, 2, 3, 4] every mark is a new best, so -1 is returned. The right answer is 3."
    assert claims(NUMBERS.wrong, text) == {"runner_up([1, 2, 3, 4])": "-1"}


def test_the_program_is_run_and_no_other():
    text = "runner_up([1, 2, 3, 4]) returns 3."
    for task, right in ((NUMBERS.correct, True), (NUMBERS.wrong, False)):
        subject = subject_of(task.statement)
        (claim,) = subject.claims(heard(text))
        found = subject.check(claim)
        assert found is not None
        assert found.holds == right
        assert found.really == ("3" if right else "-1")


@pytest.mark.parametrize("task", [ONE_TASK, FOREIGN], ids=["bundled", "own"])
def test_words_that_are_not_about_the_task(task):
    subject = subject_of(task.statement)
    for text in ("banana", "asdf jkl", "🍌🍌", "Trust me.", "yes", "?", "I like trains a lot"):
        assert not subject.speaks_of_it(heard(text, "Why?")), text
    assert not subject.speaks_of_it(heard(task.statement.question))


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("G has 3 triangles and H has 4.", "", {"triangles": "3 in G, 4 in H"}),
        ("G has no triangles, and so has H.", "", {"triangles": "0 in G, 0 in H"}),
        ("G comes to 3 triangles, and H the same.", "", {"triangles": "3 in G, 3 in H"}),
        ("3 and 4", "How many triangles does each graph have?", {"triangles": "3 in G, 4 in H"}),
        ("Both have 2.", "How many triangles are there?", {"triangles": "2 in G, 2 in H"}),
        ("In H there are 2 triangles.", "", {"triangles": "2 in H"}),
        (
            "a to 1, b to 2.",
            "",
            {
                "the renaming of a, b": "a to 1, b to 2",
                "the image of a": "1",
                "the image of b": "2",
            },
        ),
        # An opening argument has numbers, and does not answer a question about something else.
        (f"{GRAPHS[0].opening(1)} That is all.", "How many triangles are there?", None),
        ("Before that, look at another one.", "How many triangles are there?", None),
        ("None of it would help you.", "How many triangles are there?", None),
        ("c goes to 3.", "", {"the image of c": "3"}),
        ("a-b becomes 1-2", "", {"a-b in G": "an edge", "1-2 in H": "an edge"}),
        ("One in G is a-b.", "", {}),
    ],
)
def test_claims_about_graphs_are_read(text, asked, found):
    read = claims(GRAPHS[0], text, asked)
    assert read == found if found is not None else "triangles" not in read


def test_a_whole_renaming_is_a_proof_and_so_are_numbers_that_differ():
    for task in GRAPHS:
        subject = subject_of(task.statement)
        settled = set()
        for chip in task.questions:
            for claim in subject.claims(heard(chip.answers[task.y], chip.ask)):
                found = subject.check(claim)
                if claim.about.startswith("the image of"):
                    # On its own it can be anything.
                    assert found is None
                    continue
                assert found is not None
                assert found.holds, str(claim)
                settled.add(found.settles)
        assert settled - {None} == {task.y}


@pytest.mark.parametrize(
    ("slug", "call", "text", "says"),
    [
        (
            "parcel_check_digit",
            "full_label('000')",
            "The sum is 0, so the label is '0000'.",
            "'0000'",
        ),
        (
            "parcel_check_digit",
            "full_label('000')",
            "The check digit is 0: it returns '0000'.",
            "'0000'",
        ),
        ("vital_roads", "vital_roads(3, [])", "With n = 3 and no roads it gives [].", "[]"),
        ("vital_roads", "vital_roads(3, [])", "n = 3", "3"),
    ],
)
def test_what_is_given_or_on_the_way_is_no_result(slug, call, text, says):
    (task,) = (each.correct for each in problems() if each.slug == slug)
    assert claims(task, text, f"What does {call} return?") == {call: says}


def test_what_honest_experts_have_prepared_is_understood_and_holds():
    """What is understood of true statements must be true, or honest experts are rejected."""
    found = Counter()
    for task in bundled_tasks():
        subject = subject_of(task.statement)
        texts = [("", task.opening(task.y)), *((c.ask, c.answers[task.y]) for c in task.questions)]
        for asked, text in texts:
            said = heard(text, asked)
            found["all"] += 1
            found["nonsense"] += not subject.speaks_of_it(said)
            found["evaded"] += subject.evades(said)
            for claim in subject.claims(said):
                result = subject.check(claim)
                found[result is not None and result.holds] += 1
    assert found["nonsense"] + found["evaded"] <= 0.02 * found["all"]
    assert found[False] <= 0.05 * found[True]
    assert found[True] > 60


def test_liars_are_found_out_by_the_same_reading():
    caught = Counter()
    for task in bundled_tasks():
        subject, lie = subject_of(task.statement), 1 - task.y
        for claim in subject.claims(heard(task.opening(lie))):
            result = subject.check(claim)
            caught[result is not None and result.holds] += 1
    assert caught[False] > caught[True]


def test_the_example_in_the_question_is_known_where_it_can_be_read():
    """Both versions of a program are right about it, so a false value for it gives a liar away."""
    known = 0
    for task in bundled_tasks():
        subject = subject_of(task.statement)
        if getattr(subject, "example", None) is not None:
            inside = subject.example[0].removesuffix(",)").removeprefix("(").removesuffix(")")
            call = f"{subject.program.function}({inside})"
            (claim,) = subject.claims(heard(f"{call} returns 'banana'"))
            found = subject.look_up(claim)
            ran = subject.check(claim)
            assert found is not None
            assert ran is not None
            assert not found.holds
            assert found.really.startswith(ran.really)
            known += 1
    assert known > 40


def test_questions_are_about_inputs_of_the_problem_and_others_that_are_near():
    for problem in problems()[:10]:
        for task in (problem.correct, problem.wrong):
            subject = subject_of(task.statement)
            usual, unusual = (subject.questions(unusual=which) for which in (False, True))
            assert len({*usual, *unusual}) > len(problem.cases)
            for question in (*usual, *unusual):
                assert question.startswith(f"What does {problem.function}(")
                ast.parse(question.removeprefix("What does ").removesuffix(" return?"))


@pytest.mark.parametrize("task", [ONE_TASK, GRAPHS[0]], ids=["code", "graphs"])
@pytest.mark.parametrize(
    "part",
    [
        "[",
        "('",
        "find_group(",
        "find_group(1, ",
        "returns 1 ",
        "a-",
        "a to 1 ",
        "G H 2 ",
        "`an ",
        "9",
    ],
)
def test_whatever_is_written_is_read_in_no_time(task, part):
    """A message of the longest length that is read, made of what the reader searches for."""
    said = heard((part * MAX_READ)[:MAX_READ], "What does find_group(1, 2, 3) return?")
    subject = subject_of(task.statement)
    start = time.process_time()
    for claim in subject.claims(said):
        subject.check(claim)
    subject.speaks_of_it(said)
    subject.evades(said)
    side_of(said.text)
    assert time.process_time() - start < 2
