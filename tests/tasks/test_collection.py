"""Tasks as tables: labels are hidden unless they are asked for."""

import copy
import dataclasses
import json
import pickle
from html import escape
from itertools import pairwise

import pandas as pd
import pytest

from nip_core import Episode, bundled_tasks, graph_task, load_tasks
from nip_core.tasks import Task, Tasks, deal, problems, surprise
from nip_core.tasks.task import flowing
from tests.depth import each

SECRETS = ("y", "explanation", "exposing", "openings", "questions", "prover_stance", "source_id")
CSV = b"question,solution,y,explanation\nAdd.,a + b,1,Because so.\nDouble.,x + 2,0,It adds.\n"

MANY = {
    "all": bundled_tasks(),
    "easy": bundled_tasks("easy"),
    "a slice": bundled_tasks("easy")[3:9],
    "a list": [*bundled_tasks("hard")],
    "dealt": deal(3),
    "one": [surprise(1)],
    "graphs": [graph_task(seed) for seed in range(3)],
    "of a file": load_tasks(CSV, "mine.csv").tasks,
}


@each("name", MANY)
def test_a_data_frame_has_no_labels(name):
    tasks = MANY[name]
    frame = pd.DataFrame(tasks)
    assert len(frame) == len(tasks)
    assert {*SECRETS}.isdisjoint(frame.columns)
    assert {"question", "solution", "title", "id"} <= {*frame.columns}
    text = frame.to_csv() + frame.to_html() + json.dumps([dataclasses.asdict(t) for t in tasks])
    assert not any(task.explanation and task.explanation in text for task in tasks)


def test_many_tasks_print_briefly_and_show_a_table():
    tasks = bundled_tasks()
    assert len(repr(tasks)) < 121
    html = bundled_tasks("easy")._repr_html_()
    assert html.count("<tr>") > 30
    assert not any(task.explanation in html for task in tasks)
    assert tasks == tuple(tasks)
    assert isinstance(tasks[2:5], Tasks)
    assert tasks[:0] == ()
    assert "0" in repr(tasks[:0])


def test_labels_come_when_they_are_asked_for():
    tasks = bundled_tasks("easy")
    assert {"y", "explanation"}.isdisjoint(tasks.to_frame().columns)
    asked = tasks.to_frame(labels=True)
    assert asked["y"].tolist() == [task.y for task in tasks]
    assert asked["explanation"].tolist() == [task.explanation for task in tasks]


@each("task", [surprise(1), surprise(2), graph_task(4)], ids=lambda t: t.id)
def test_hidden_fields_are_kept(task):
    for same in (pickle.loads(pickle.dumps(task)), copy.copy(task), copy.deepcopy(task)):
        assert same == task
        assert hash(same) == hash(task)
        assert all(getattr(same, name) == getattr(task, name) for name in SECRETS)
    named = dataclasses.replace(task, title="Another")
    assert named != task
    assert all(getattr(named, name) == getattr(task, name) for name in SECRETS)
    assert Task.from_dict(task.to_dict()) == task
    for name in (*SECRETS, "payload", "title"):
        with pytest.raises(dataclasses.FrozenInstanceError, match=name):
            setattr(task, name, 0)
    assert Episode("nip", task).task is task


def test_a_label_must_be_given():
    with pytest.raises(ValueError, match="y is None; it must be 0 or 1"):
        Task(question="Add.", solution="a + b")


def test_a_shown_question_breaks_no_line_in_the_middle_of_a_sentence():
    joined, lists = 0, 0
    for problem in problems():
        html = problem.correct._repr_html_()
        before, shown = problem.correct.question.strip(), flowing(problem.correct.question)
        assert escape(shown) in html
        assert shown.split() == before.split(), "words are neither lost nor glued"
        joined += shown != before
        for upper, lower in pairwise(shown.split("\n")):
            item = lower.startswith("- ")
            lists += item
            assert item or not lower or upper[-1:] in ".:!?" or not upper, problem.slug
    assert joined >= 30
    assert lists >= 5


def test_the_lines_of_a_graph_stay_on_lines_of_their_own():
    question = graph_task(1).question
    assert question.count("\n") > 8
    assert flowing(question) == question
