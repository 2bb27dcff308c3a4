"""Tests of loading/arrow_headers.py.

Small files that would unpack to large ones are refused first, in any disguise.
"""

import io
import json
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import TaskFileError
from nip_core.tasks import load_tasks
from nip_core.tasks.loading.arrow_headers import pages
from tests.depth import cases, exhaustive
from tests.growth import megabytes

LONG = "x" * 99_000


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


BOMBS = {
    "one text in a dictionary": lambda: parquet(table(4_900, question=shared(LONG, 4_900))),
    "one text in every row": lambda: parquet(
        table(4_000, question=[LONG] * 4_000), use_dictionary=False, data_page_size=2**30
    ),
    "one text that is too long": lambda: parquet(table(3, question=["x" * 200_000_000, "b", "c"])),
    "a long text in a dictionary": lambda: parquet(
        table(50_000, question=shared("x" * 20_000_000, 50_000)), data_page_size=2**30
    ),
    "beginnings that are shared": lambda: parquet(
        table(4_000, question=[LONG] * 4_000),
        use_dictionary=False,
        column_encoding={"question": "DELTA_BYTE_ARRAY"},
    ),
    "lists": lambda: parquet(table(2, y=[[0] * 10_000_000, []])),
    "nothing, often": lambda: parquet(table(900_000, question=pa.nulls(900_000, pa.string()))),
    "many groups of rows": lambda: parquet(table(30_000), row_group_size=1),
}


@cache
def bomb(name: str) -> bytes:
    """Return a bomb, made when it is first asked for: that takes seconds."""
    return BOMBS[name]()


@exhaustive
def test_small_files_cost_little(tmp_path):
    """In one process, one after the other; only the largest counts."""
    paths = [tmp_path / f"{number}.parquet" for number in range(len(BOMBS))]
    for path, name in zip(paths, BOMBS, strict=True):
        path.write_bytes(bomb(name))
    sizes = [path.stat().st_size for path in paths]
    assert max(sizes) < 20_000_000
    cost, said = megabytes(
        "import pyarrow.parquet\n"
        "from nip_core.tasks import load_tasks\n"
        "from nip_core.errors import TaskFileError\n"
        f"contents = [open(path, 'rb').read() for path in {[*map(str, paths)]!r}]",
        "for content in contents:\n"
        "    try: print(load_tasks(content, 'x.parquet').summary()[:100])\n"
        "    except TaskFileError as error: print(error)\n"
        "    print(largest() - start)",
    )
    assert len(said.splitlines()) >= 2 * len(BOMBS)
    # The unpacked data is bounded, and exists as Arrow's and as Python's; rows of a good file take
    # as much a byte.
    assert cost < 200 + 20 * max(sizes) / 1e6, said


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: bomb("one text in every row"), "unpack to more than"),
        (lambda: bomb("one text that is too long"), "unpack to more than"),
        (lambda: bomb("beginnings that are shared"), "plain or dictionary encoding"),
        (lambda: bomb("lists"), "'y' holds 'list<"),
        (lambda: parquet(table(2, question=[b"a", b"b"])), "'question' holds 'binary'"),
        (lambda: parquet(table(2, question=[{"a": 1}, {"a": 2}])), "'question' holds 'struct<"),
        (lambda: b"PAR1" + b"\xff" * 8 + b"PAR1", "table of contents has more than"),
    ],
)
def test_refusals_say_the_reason(make, said):
    with pytest.raises(TaskFileError, match=said) as caught:
        load_tasks(make(), "x.parquet")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_honest_files_are_read_however_they_are_packed(codec, version):
    rows = table(3_000, question=[f"Question {i % 7} of Ünsinn" for i in range(3_000)])
    for how in ({"use_dictionary": False}, {}, {"row_group_size": 700, "data_page_size": 500}):
        content = parquet(rows, compression=codec, data_page_version=version, **how)
        report = load_tasks(content, "x.parquet")
        assert [t.question for t in report.tasks] == rows["question"].to_pylist()
        assert [t.y for t in report.tasks] == rows["y"].to_pylist()


def test_the_headers_of_pages_say_what_they_unpack_to():
    content = parquet(table(20_000), data_page_size=1_000)
    metadata = pq.read_metadata(io.BytesIO(content))
    for place in range(3):
        column = metadata.row_group(0).column(place)
        start = column.dictionary_page_offset or column.data_page_offset
        found = list(pages(content, start, column.total_compressed_size))
        assert len(found) > 5
        # The table of contents counts the headers too.
        assert sum(p.unpacked for p in found) <= column.total_uncompressed_size
        assert sum(p.unpacked for p in found) > 0.5 * column.total_uncompressed_size


GOOD = parquet(table(50))


def outcome(*source) -> str:
    try:
        return load_tasks(*source).summary(most=1)
    except TaskFileError as error:
        return str(error)


@settings(max_examples=cases(200))
@given(st.data())
def test_damaged_files_get_a_clear_answer(data):
    content = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(4, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    assert 0 < len(outcome(bytes(content), "x.parquet")) < 400


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


def test_dataset_folders_are_bounded_too(tmp_path):
    assert len(load_tasks(folder(tmp_path / "good", table(50))).tasks) == 50
    one = table(4_900, question=shared(LONG, 4_900))
    with pytest.raises(TaskFileError, match="more than 200,000,000 characters"):
        load_tasks(folder(tmp_path / "shared", one))
    packed = pa.ipc.IpcWriteOptions(compression="zstd")
    with pytest.raises(TaskFileError, match="files are compressed"):
        load_tasks(folder(tmp_path / "packed", table(4_000, question=[LONG] * 4_000), packed))
    with pytest.raises(TaskFileError, match="files are compressed"):
        load_tasks(folder(tmp_path / "both", table(10, question=shared("q" * 500, 10)), packed))
    with pytest.raises(TaskFileError, match="'y' holds 'list<"):
        load_tasks(folder(tmp_path / "lists", table(2, y=[[0], [1]])))
    many = folder(tmp_path / "many", table())
    (many / "state.json").write_text(
        json.dumps({"_data_files": [{"filename": "data.arrow"}] * 10_001})
    )
    with pytest.raises(TaskFileError, match="more than 10,000 files"):
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
