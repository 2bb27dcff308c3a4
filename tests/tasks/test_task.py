"""Tests of task.py, documents.py and parts.py. Tasks of every kind as documents and objects."""

import dataclasses
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nip_core.errors import UnknownNameError
from nip_core.tasks import (
    DIFFICULTIES,
    Chip,
    Exposing,
    Graph,
    GraphPair,
    Task,
    TaskError,
    bundled_tasks,
    draw_stance,
    graph_task,
)
from tests.depth import each
from tests.odd import changed

texts = st.text(min_size=1, max_size=30).filter(lambda s: s.strip() and "\0" not in s)
bits = st.sampled_from([0, 1])
maybe_text = st.none() | texts
pairs = st.tuples(texts, texts)


@st.composite
def tasks(draw):
    y = draw(bits)
    exposing = st.none()
    if y == 0:
        exposing |= st.builds(Exposing, input=texts, expected=st.just("1"), got=st.just("2"))
    return Task(
        question=draw(texts),
        solution=draw(texts),
        y=y,
        title=draw(st.just("") | texts),
        difficulty=draw(st.none() | st.sampled_from(DIFFICULTIES)),
        prover_stance=draw(st.none() | bits),
        explanation=draw(maybe_text),
        exposing=draw(exposing),
        openings=draw(st.none() | pairs),
        questions=tuple(
            draw(st.lists(st.builds(Chip, texts, pairs), max_size=3, unique_by=lambda c: c.ask))
        ),
        source_id=draw(maybe_text),
    )


@given(tasks())
def test_documents_round_trip(task):
    document = task.to_dict()
    again = Task.from_dict(json.loads(json.dumps(document)))
    assert again == task
    assert again.to_dict() == document
    assert again.digest == task.digest


@given(tasks(), tasks())
def test_the_digest_is_of_the_whole_task(one, other):
    assert (one == other) == (one.digest == other.digest)
    changed = dataclasses.replace(one, source_id="another" + (one.source_id or ""))
    assert changed.digest != one.digest


@given(tasks(), bits, maybe_text)
def test_what_a_seat_sees_does_not_depend_on_what_it_may_not(task, y, text):
    other = dataclasses.replace(
        task,
        y=y,
        prover_stance=y,
        explanation=text,
        exposing=None,
        openings=None,
        source_id=text,
        questions=tuple(Chip(chip.ask, ("no", "yes")) for chip in task.questions),
    )
    assert other.statement == task.statement


@given(texts, texts, texts, texts)
def test_ids(question, solution, other_question, other_solution):
    one = Task(question=question, solution=solution, y=0)
    other = Task(question=other_question, solution=other_solution, y=1)
    assert re.fullmatch("[a-z2-7]{16}", one.id)
    assert (one.id == other.id) == ((question, solution) == (other_question, other_solution))


def test_an_id_is_the_same_for_ever():
    # Links and stored episodes contain it.
    assert Task(question="Double x.", solution="x + x", y=1).id == "ndrizfx6vohbfimw"


@given(tasks(), st.integers(), bits, maybe_text)
def test_stance_is_drawn_without_the_label(task, seed, y, text):
    other = Task(question=task.question, solution=task.solution, y=y, explanation=text)
    assert draw_stance(task, seed) == draw_stance(other, seed)
    assert task.stance(seed) == (
        draw_stance(task, seed) if task.prover_stance is None else task.prover_stance
    )


def test_stance_is_fair_in_seeds_and_in_labels():
    drawn = [
        (task.y, draw_stance(task, seed)) for task in bundled_tasks("easy") for seed in range(300)
    ]
    for label in (0, 1):
        stances = [stance for y, stance in drawn if y == label]
        # Six standard deviations of a fair coin.
        assert abs(sum(stances) / len(stances) - 0.5) < 3 / len(stances) ** 0.5


def test_stance_is_the_same_on_every_machine():
    task = Task(question="Größe?", solution="return '☃'\n", y=1)
    drawn = [draw_stance(task, seed) for seed in [*range(12), -1, 2**70]]
    assert drawn == [0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1]


GOOD = {"question": "Q", "solution": "S", "y": 0}
PAIR = GraphPair(Graph(("a", "b"), ((0, 1),)), Graph(("1", "2"), ((0, 1),)), (0, 1))


@each(
    ("change", "message"),
    [
        ({"question": ""}, "question is ''; it must be a text that is not empty"),
        ({"question": 5}, "question is 5; it must be a text"),
        ({"solution": " \n"}, "solution"),
        ({"solution": "a\0b"}, "without NUL"),
        ({"solution": "\ud800"}, "lone surrogates"),
        ({"solution": "x" * 100_001}, "at most 100,000 characters"),
        ({"y": 2}, "y is 2; it must be 0 or 1"),
        ({"y": True}, "y is True"),
        ({"y": "1"}, "y is '1'"),
        ({"prover_stance": 2}, "prover_stance is 2"),
        ({"kind": "chess"}, "code_validation, graph_isomorphism"),
        ({"difficulty": "mean"}, "easy, medium, hard"),
        ({"title": "x" * 201}, "title"),
        ({"explanation": ""}, "explanation"),
        ({"source_id": 7}, "source_id"),
        ({"openings": ("one",)}, "openings must be two texts"),
        ({"openings": ("one", "")}, "openings (accept)"),
        ({"questions": (Chip("Why?", ("a", "b")),) * 2}, "same `ask` twice"),
        ({"y": 1, "exposing": Exposing("f()", "1", "2")}, "exposing is given"),
        ({"payload": PAIR}, "'code_validation' has no payload"),
        ({"kind": "graph_isomorphism"}, "graphs must be given"),
        ({"kind": "graph_isomorphism", "payload": PAIR}, "certificate exactly if"),
    ],
)
def test_an_impossible_task_is_refused(change, message):
    with pytest.raises(TaskError, match=re.escape(message)):
        Task(**{**GOOD, **change})


@each(
    "make",
    [
        lambda: Chip("x" * 61, ("a", "b")),
        lambda: Chip("Why?", ("a", "")),
        lambda: Exposing("f()", "1", "1"),
        lambda: Graph(("a", "<b>"), ()),
        lambda: Graph(("a", "b"), ((0, 2),)),
        lambda: Graph(tuple(f"n{i}" for i in range(25)), ()),
        lambda: GraphPair(PAIR.first, Graph(("1", "2", "3"), ((0, 1),)), (0, 1)),
    ],
)
def test_impossible_parts_are_refused(make):
    with pytest.raises(TaskError):
        make()


DOCUMENT = graph_task(1, isomorphic=True).to_dict()
BAD_VALUES = [None, 3, "x", [], {}, [[]], {"a": 1}, [1, 2], True, [None], {"names": 1, "edges": 2}]


@given(changed([DOCUMENT], st.sampled_from(BAD_VALUES), 1) | st.sampled_from(BAD_VALUES))
def test_a_strangers_document_is_a_task_or_a_task_error(document):
    said = "It loads."
    try:
        Task.from_dict(document)
    except TaskError as error:
        said = str(error)
    assert 0 < len(said) < 400


@each(
    ("change", "message"),
    [
        ({"answer": 1}, "has a key 'answer'"),
        ({"format": "nip-task/2"}, "reads 'nip-task/1'"),
        ({"id": "somethingelse"}, "have the id"),
    ],
)
def test_documents_are_checked_as_a_whole(change, message):
    with pytest.raises(TaskError, match=message):
        Task.from_dict({**DOCUMENT, **change})
    with pytest.raises(TaskError, match="lacks the key 'y'"):
        Task.from_dict({key: value for key, value in DOCUMENT.items() if key != "y"})


def test_a_questions_answer():
    task = Task(**GOOD, questions=(Chip("Why?", ("no", "yes")),), openings=("against", "for"))
    assert (task.answer("Why?", 0), task.answer("Why?", 1)) == ("no", "yes")
    assert (task.opening(0), task.opening(1)) == ("against", "for")
    assert Task(**GOOD).opening(1) is None
    with pytest.raises(UnknownNameError, match="Why"):
        task.answer("Why not?", 1)
