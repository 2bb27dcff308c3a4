"""Parquet files and dataset folders, however they are packed, damaged or too large."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import TaskFileError
from nip_core.tasks import load_tasks
from tests.depth import cases, each


def table(count=3, **columns):
    own = {
        "question": [f"q{i}" for i in range(count)],
        "solution": [f"s{i}" for i in range(count)],
        "y": [i % 2 for i in range(count)],
    }
    return pa.table({**own, **columns})


def parquet(rows, **how) -> bytes:
    out = io.BytesIO()
    pq.write_table(rows, out, **{"compression": "zstd", **how})
    return out.getvalue()


def shared(text: str, count: int):
    """Return a column with one text many times, which is stored once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([text]))


MANY = dict.fromkeys(("question", "solution", "y"), pa.nulls(1_000_001, pa.string()))


@each(
    ("make", "said"),
    [
        (lambda: parquet(table(2, y=[[0], [1]])), "'y' holds 'list<"),
        (lambda: parquet(table(2, question=[b"a", b"b"])), "'question' holds 'binary'"),
        (lambda: parquet(table(2, question=[{"a": 1}, {"a": 2}])), "'question' holds 'struct<"),
        (lambda: parquet(pa.table(MANY)), "The file has more than 1,000,000 rows"),
        (lambda: b"PAR1" + b"\xff" * 8 + b"PAR1", "cannot be read"),
        (lambda: b"question,solution,y", "not a Parquet file, although its name says so"),
    ],
)
def test_refusals_say_the_reason(tmp_path, make, said):
    path = tmp_path / "x.parquet"
    path.write_bytes(make())
    with pytest.raises(TaskFileError, match=said) as caught:
        load_tasks(path)
    assert len(str(caught.value)) < 300


@each("codec", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
@each("version", ["1.0", "2.0"])
def test_good_files_are_read_however_they_are_packed(tmp_path, codec, version):
    rows = table(600, question=[f"Question {i % 7} of Ünsinn" for i in range(600)])
    for how in ({"use_dictionary": False}, {}, {"row_group_size": 140, "data_page_size": 500}):
        path = tmp_path / "x.parquet"
        path.write_bytes(parquet(rows, compression=codec, data_page_version=version, **how))
        report = load_tasks(path)
        assert [t.question for t in report.tasks] == rows["question"].to_pylist()
        assert [t.y for t in report.tasks] == rows["y"].to_pylist()


GOOD = parquet(table(50))


def outcome(path) -> str:
    try:
        return load_tasks(path).summary(most=1)
    except TaskFileError as error:
        return str(error)


@settings(max_examples=cases(200))
@given(data=st.data())
def test_damaged_files_get_a_clear_answer(tmp_path_factory, data):
    content = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(4, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = tmp_path_factory.mktemp("d") / "x.parquet"
    path.write_bytes(content)
    assert 0 < len(outcome(path)) < 400


def folder(path, rows, options=None):
    """Write a dataset folder as `save_to_disk` does, with the given faults."""
    path.mkdir(parents=True)
    with (
        pa.OSFile(str(path / "data.arrow"), "wb") as out,
        pa.ipc.new_stream(out, rows.schema, options=options) as writer,
    ):
        writer.write_table(rows)
    (path / "state.json").write_text(json.dumps({"_data_files": [{"filename": "data.arrow"}]}))
    return path


def test_dataset_folders_are_bounded(tmp_path):
    assert len(load_tasks(folder(tmp_path / "good", table(50))).tasks) == 50
    one = table(2_100, question=shared("x" * 99_000, 2_100))
    with pytest.raises(TaskFileError, match="more than 200,000,000 characters"):
        load_tasks(folder(tmp_path / "shared", one))
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    assert len(load_tasks(folder(tmp_path / "packed", table(50), packed)).tasks) == 50
    with pytest.raises(TaskFileError, match="'y' holds 'list<"):
        load_tasks(folder(tmp_path / "lists", table(2, y=[[0], [1]])))
    many = folder(tmp_path / "many", table())
    (many / "state.json").write_text(
        json.dumps({"_data_files": [{"filename": "data.arrow"}] * 10_001})
    )
    with pytest.raises(TaskFileError, match="The dataset has more than 10,000 files"):
        load_tasks(many)
    (many / "state.json").write_text('{"_data_files": 1, "_data_files": 1}')
    with pytest.raises(TaskFileError, match="twice"):
        load_tasks(many)


def test_offsets_of_texts_that_point_elsewhere(tmp_path):
    """Offsets that go backwards would make a reader access memory outside of the file."""
    good = table(50)
    path = folder(tmp_path / "x", good) / "data.arrow"
    content = path.read_bytes()
    offsets = b"".join((2 * i).to_bytes(4, "little") for i in range(5))
    assert offsets in content
    for wrong in (b"\x00\x00\x00\x00\xff\xff\xff\x7f", b"\x09\x00\x00\x00\x01\x00\x00\x00"):
        path.write_bytes(content.replace(offsets[:12], offsets[:4] + wrong, 1))
        with pytest.raises(TaskFileError, match="cannot be read"):
            load_tasks(tmp_path / "x")


@settings(max_examples=cases(100))
@given(data=st.data())
def test_damaged_dataset_folders_get_a_clear_answer(tmp_path_factory, data):
    path = folder(tmp_path_factory.mktemp("d") / "x", table(20)) / "data.arrow"
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path.write_bytes(content)
    assert 0 < len(outcome(path.parent)) < 400
