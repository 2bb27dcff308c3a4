"""What loading tasks and making them refuses, with its words; see `tests/test_refusals.py`."""

import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from nip_core import tasks
from nip_core.errors import TaskError, TaskFileError
from nip_core.tasks import load_quality, load_tasks, passages, problems
from nip_core.tasks.graphs import graph, pairs
from nip_core.tasks.loading import arrow_files, rows
from nip_core.tasks.programs import bundled
from tests.depth import each

DATA = Path(__file__).parent / "data"
ROW = b"question,solution,y\na,b,1\n"
EDGE = ("a", "b"), ((0, 1),)


def table(data, name="tasks.csv", **options):
    return load_tasks(data, name, **options)


def pair(certificate):
    return graph.GraphPair(graph.Graph(*EDGE), graph.Graph(*EDGE), certificate)


@each(
    ("words", "act"),
    [
        ("A graph has 0 nodes", lambda: graph.Graph((), ())),
        ("Two nodes of a graph have the same name", lambda: graph.Graph(("a", "a"), ())),
        ("it must join two different node numbers", lambda: graph.Graph(("a", "b"), ((0, 0),))),
        ("has the same edge twice", lambda: graph.Graph(("a", "b"), ((0, 1), (1, 0)))),
        ("does not rename the nodes of the graphs", lambda: pair((0, 0))),
        ("does not turn the first graph", lambda: graph.GraphPair(
            graph.Graph(*EDGE), graph.Graph(("a", "b"), ()), (0, 1)
        )),
        ("allow_degree_tell is for easy graphs; these are hard", lambda: pairs.graph_pair(
            1, difficulty="hard", allow_degree_tell=True
        )),
        ("answers has 1; it must have 2", lambda: replace(passages()[0], answers=("one",))),
        ("Parquet files cannot be uploaded. Save the table as CSV or as JSON lines",
         lambda: table(b"PAR1", "tasks.PARQUET")),
        ("This looks like a Parquet file; save it as CSV", lambda: table(b"PAR1")),
        ("This looks like a compressed file", lambda: table(b"\x1f\x8b")),
        ("The file holds a JSON list", lambda: table(b"[]", "tasks.jsonl")),
        ("Only dataset folders have splits", lambda: table(ROW, split="train")),
        ("No line has the fields", lambda: load_quality(b'{"a": 1}\n', "quality.jsonl")),
        ("The file cannot be opened", lambda: load_tasks("a" * 300 + ".csv")),
        ("has the title or a solution of", lambda: bundled._need_distinct([problems()[0]] * 2)),
    ],
)  # fmt: skip
def test_tasks_and_files_are_refused(words, act):
    with pytest.raises(TaskError) as error:
        act()
    assert words in str(error.value)


@each(
    ("limit", "words", "act"),
    [
        ((rows, "MAX_CHARACTERS", 1), "The file holds more than 1 characters", lambda: table(ROW)),
        ((pairs, "_MAX_TRIES", 0), "No easy pair of graphs", lambda: pairs.graph_pair(1)),
        ((arrow_files.importlib, "import_module", lambda _: exec("raise ImportError")),
         "dataset folders need pyarrow", lambda: load_tasks(DATA / "saved_dataset")),
    ],
)  # fmt: skip
def test_what_is_beyond_a_limit_is_refused(limit, words, act):
    with patch.object(*limit), pytest.raises(TaskError, match=words):
        act()


@each(
    ("documents", "split", "words"),
    [
        ({"dataset_dict.json": {"splits": ["a", "b"]}}, None, "Choose a split of this dataset: a"),
        ({"dataset_dict.json": {}}, None, "dataset does not list its splits"),
        ({"state.json": {}}, "a", "has no splits to choose from"),
        ({"state.json": {}}, None, "does not list its data files"),
        ({"state.json": {"_data_files": []}}, None, "The dataset is empty"),
        ({"state.json": {"_data_files": [{"filename": "a.b"}]}}, None, "The dataset's file a"),
    ],
)  # fmt: skip
def test_broken_dataset_folders_are_refused(tmp_path_factory, documents, split, words):
    folder = tmp_path_factory.mktemp("dataset")
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document))
    with pytest.raises(TaskFileError, match=words):
        load_tasks(folder, split=split)


def saved(folder):
    """Write a dataset folder as `save_to_disk` does, with one file."""
    import pyarrow as pa

    made = pa.table({"question": ["a"], "solution": ["b"], "y": [1]})
    with pa.ipc.new_stream(str(folder / "a.arrow"), made.schema) as stream:
        stream.write_table(made)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "a.arrow"}]}))
    return folder


def test_huge_batches_of_a_dataset_are_refused(tmp_path):
    pytest.importorskip("pyarrow")
    assert len(load_tasks(saved(tmp_path)).tasks) == 1
    huge = pytest.raises(TaskFileError, match="A batch of rows has over 1 bytes")
    with patch.object(arrow_files, "_MAX_UNPACKED", 1), huge:
        load_tasks(tmp_path)


def test_a_task_is_frozen():
    with pytest.raises(AttributeError, match="A task is frozen: y cannot be changed"):
        tasks.Task(question="a", solution="b", y=1).y = 0


def test_as_many_broken_rows_as_are_listed_are_accepted():
    rows_ = [b"a,b,%d\n" % y for y in (1, 7, 7, 7)]
    with patch.object(rows, "MAX_PROBLEMS", 2):
        assert len(table(b"question,solution,y\n" + b"".join(rows_[:3])).problems) == 2
        with pytest.raises(TaskFileError, match="more than 2 rows that cannot be used"):
            table(b"question,solution,y\n" + b"".join(rows_))


def test_ids_have_at_most_256_bits():
    assert rows._source_id(2**256 - 1) == str(2**256 - 1)
    assert rows._source_id(2**256) is None
