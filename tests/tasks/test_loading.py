"""Tests of loading/arrow_files.py, loading/files.py, loading/rows.py and loading/text_files.py.

Files of one's own: every format, every row by itself, and hostile files.
"""

import csv
import io
import json
import random
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import TaskFileError
from nip_core.tasks import EXTENSIONS, LoadReport, load_tasks
from nip_core.tasks.loading import rows
from tests.depth import cases, each
from tests.growth import seconds

DATA = Path(__file__).parent / "data"

ROWS = [
    {"question": "One?", "solution": "print(1)", "y": 1, "id": "a", "explanation": "It is."},
    {"question": "Two?", "solution": 'print("2,\n2")', "y": 0, "prover_stance": 1, "id": "b"},
    {"question": "Größe ☃?", "solution": "x = '🙂'", "y": 1, "prover_stance": 0, "id": "c"},
]
COLUMNS = ["question", "solution", "y", "id", "prover_stance", "explanation"]


def as_csv(rows, columns=COLUMNS):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_json(rows):
    return json.dumps(rows).encode()


def as_jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def as_parquet(rows):
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([{c: r.get(c) for c in COLUMNS} for r in rows]), out)
    return out.getvalue()


WRITERS = {".csv": as_csv, ".json": as_json, ".jsonl": as_jsonl, ".parquet": as_parquet}
every_format = pytest.mark.parametrize("ending", WRITERS)


def loaded(content, name):
    """Return the report of a file; Parquet is read only from the disk."""
    if not name.endswith(".parquet"):
        return load_tasks(content, name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        return load_tasks(path)


def test_every_format_is_tried_here():
    assert {*EXTENSIONS, ".parquet"} == set(WRITERS)


@every_format
def test_good_files(ending, tmp_path):
    content = WRITERS[ending](ROWS)
    path = tmp_path / f"mine{ending.upper()}"
    path.write_bytes(content)
    for report in (loaded(content, f"mine{ending}"), load_tasks(path), load_tasks(str(path))):
        assert report.problems == ()
        assert report.rows == 3
        for task, row in zip(report.tasks, ROWS, strict=True):
            assert (task.question, task.solution, task.y) == (
                row["question"],
                row["solution"],
                row["y"],
            )
            assert task.prover_stance == row.get("prover_stance")
            assert task.explanation == row.get("explanation")
            assert task.source_id == row["id"]
            assert row["id"] != task.id
    # The same task has the same opaque id, wherever it came from.
    assert [t.id for t in report.tasks] == [t.id for t in load_tasks(as_json(ROWS), "x.json").tasks]


def bad(column, value):
    return {**ROWS[0], "id": "bad", column: value}


BAD_ROWS = [
    (bad("y", 2), "y", "0 or 1"),
    (bad("y", "maybe"), "y", "0 or 1"),
    (bad("y", None), "y", "0 or 1"),
    (bad("y", [1]), "y", "0 or 1"),
    (bad("y", 0.5), "y", "0 or 1"),
    (bad("y", 10**5000), "y", "0 or 1"),
    (bad("question", ""), "question", "not empty"),
    (bad("question", None), "question", "a text"),
    (bad("question", 5), "question", "a text"),
    (bad("solution", " \n"), "solution", "not empty"),
    (bad("solution", "a\0b"), "solution", "NUL"),
    (bad("solution", "x" * 100_001), "solution", "at most 100,000"),
    (bad("solution", "\ud800"), "solution", "surrogate"),
    (bad("prover_stance", 3), "prover_stance", "0 or 1"),
    (bad("explanation", {"a": 1}), "explanation", "a text"),
    (bad("id", "x" * 500), "id", "at most 200"),
]


@each(("row", "column", "allowed"), BAD_ROWS)
def test_a_bad_row_is_reported_and_the_others_are_kept(row, column, allowed):
    text = "".join(_line(each) for each in (ROWS[0], row, ROWS[1]))
    report = load_tasks(text.encode(), "mine.jsonl")
    assert [task.source_id for task in report.tasks] == ["a", "b"]
    (problem,) = report.problems
    assert (problem.row, problem.line, problem.column) == (2, 2, column)
    assert allowed in problem.allowed
    assert len(str(problem)) < 400
    assert report.rows == 3


def _line(row):
    if isinstance(row["y"], int) and row["y"] > 10**100:
        return json.dumps({**row, "y": "BIG"}).replace('"BIG"', "1" + "0" * 4000) + "\n"
    return json.dumps(row) + "\n"


def test_several_faults_of_a_row_are_all_reported():
    report = load_tasks(as_json([{"question": "", "solution": 3, "y": "so-so"}]), "x.json")
    assert [p.column for p in report.problems] == ["question", "solution", "y"]
    assert report.tasks == ()


@each(
    ("written", "label"),
    [
        *((0, 0), ("0", 0), (False, 0), ("reject", 0), ("incorrect", 0), ("0.0", 0)),
        *((1, 1), ("TRUE", 1), (True, 1), ("Accept", 1), ("correct", 1), (1.0, 1), (" 1 ", 1)),
    ],
)
def test_labels_may_be_written_in_several_ways(written, label):
    report = load_tasks(as_json([{**ROWS[0], "y": written}]), "x.json")
    assert [task.y for task in report.tasks] == [label]


def test_a_missing_column_is_reported_at_once():
    for content, name in (
        (b"question,solution\na,b\n", "x.csv"),
        (b"Question;solution;y\n", "x.csv"),
        (as_csv([], ["question", "answer", "label"]), "x.csv"),
    ):
        with pytest.raises(TaskFileError, match=r"x\.csv: .*column"):
            load_tasks(content, name)


def test_unknown_columns_are_reported():
    report = load_tasks(as_json([{**ROWS[0], "mood": "good"}]), "x.json")
    assert len(report.tasks) == 1
    assert report.ignored == ("mood",)


def test_a_byte_order_mark_and_foreign_line_ends_do_no_harm():
    content = as_csv(ROWS)
    for changed in (b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n")):
        assert len(load_tasks(changed, "x.csv").tasks) == 3
    assert len(load_tasks(b"\xef\xbb\xbf" + as_jsonl(ROWS), "x.jsonl").tasks) == 3
    lines = as_jsonl(ROWS).replace(b"\n", b"\n\n")
    assert load_tasks(lines, "x.jsonl").rows == 3


def test_a_byte_that_is_not_utf_8_is_named_with_its_line():
    with pytest.raises(TaskFileError, match="byte 0xff in line 3 cannot be read"):
        load_tasks(b"question,solution,y\na,b,1\n\xff,b,0\n", "x.csv")


@every_format
def test_damaged_files(ending):
    content = WRITERS[ending](ROWS)
    for changed in (
        content[: len(content) // 2],
        content[10:],
        content + b"\x00\xff",
        b"\x80\x04\x95" + content,
        b"PK\x03\x04" * 50,
        b"\x00" * 1000,
        b"\xff\xfe" + "question,solution,y".encode("utf-16-le"),
        b"null",
        b"[[[[[" * 5000,
        b'{"a":' * 5000,
        b"question,solution,y\n" + b'"' * 1000,
    ):
        loads_or_is_refused(changed, ending)


def loads_or_is_refused(content: bytes, ending: str) -> None:
    try:
        report = loaded(content, f"x{ending}")
    except TaskFileError as error:
        said = str(error)
        assert said.startswith(f"x{ending}: ")
    else:
        assert isinstance(report, LoadReport)
        wrong = {problem.row for problem in report.problems}
        assert len(report.tasks) + len(wrong) == report.rows
        said = "; ".join(map(str, report.problems[:3])) or "good"
    assert 0 < len(said) < 2000


@every_format
@settings(max_examples=cases(60))
@given(data=st.data())
def test_any_bytes(ending, data):
    content = data.draw(st.binary(max_size=200))
    if data.draw(st.booleans()):
        good = WRITERS[ending](ROWS)
        at = data.draw(st.integers(0, len(good)))
        content = good[:at] + content[:5] + good[at + data.draw(st.integers(0, 5)) :]
    loads_or_is_refused(content, ending)


def test_paths_that_are_no_file(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "empty.json").write_bytes(b"")
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    for source, message in (
        (tmp_path / "missing.csv", "no such file"),
        (tmp_path / "folder.csv", "folder.csv: "),
        (tmp_path / "empty.json", "empty"),
        (tmp_path / "notes.txt", "must end in one of"),
        (loop, "loop.csv: "),
        ("a\0b.csv", r"a\?b\.csv: "),
    ):
        with pytest.raises(TaskFileError, match=message):
            load_tasks(source)
    with pytest.raises(TaskFileError, match="Say what the file is called"):
        load_tasks(b"[]")
    linked = tmp_path / "linked.json"
    (tmp_path / "real.json").write_bytes(as_json(ROWS))
    linked.symlink_to(tmp_path / "real.json")
    assert len(load_tasks(linked).tasks) == 3


def test_dataset_folders():
    whole = load_tasks(DATA / "saved_dataset")
    assert whole.tasks
    assert whole.problems == ()
    with pytest.raises(TaskFileError, match="train"):
        load_tasks(DATA / "saved_splits")
    for split in ("train", "test"):
        assert load_tasks(DATA / "saved_splits", split=split).tasks
    with pytest.raises(TaskFileError, match="test"):
        load_tasks(DATA / "saved_splits", split="validation")


def test_a_small_file_that_unpacks_to_a_huge_one(monkeypatch):
    monkeypatch.setattr(rows, "MAX_CHARACTERS", 5_000_000)
    out = io.BytesIO()
    text = pa.array(["x" * 9_000] * 6_000)
    table = pa.table({"question": text, "solution": text, "y": pa.array([1] * 6_000)})
    pq.write_table(table, out, compression="zstd")
    assert len(out.getvalue()) < 200_000
    with pytest.raises(TaskFileError, match="more than 5,000,000 characters"):
        loaded(out.getvalue(), "bomb.parquet")


def many(count):
    rng = random.Random(0)
    return [
        {"question": f"Question {n}?", "solution": f"print({rng.random()})" * 5, "y": n % 2}
        for n in range(count)
    ]


@every_format
def test_time_grows_with_the_rows_only(ending):
    rows = many(cases(60_000))
    few, all_of_them = (WRITERS[ending](rows[:count]) for count in (len(rows) // 8, len(rows)))
    reports = []
    small = seconds(lambda: loaded(few, f"x{ending}"))
    large = seconds(lambda: reports.append(loaded(all_of_them, f"x{ending}")), tries=1)
    assert len(reports[0].tasks) == len(rows)
    # It distinguishes a loop within a loop from a loop.
    assert large / small < 8 * 3
