"""Exports of everything, and imports, also of files from strangers."""

import io
import json
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.storage import Criteria, exchange
from nip_core.transcript import load
from nip_core.transcript.safe_json import MAX_BYTES
from tests.depth import cases
from tests.explorer.storage.places import PostgresPlace, SqlitePlace
from tests.explorer.storage.play import SETUPS, finished, played, same
from tests.transcript.others import training_samples

DATA = Path(__file__).parents[2] / "transcript" / "data"


def exported(storage) -> bytes:
    return b"".join(storage.export_all())


def imported(storage, data: bytes):
    return list(storage.import_all(io.BytesIO(data)))


@pytest.fixture
def full(storage):
    """A storage with some content."""
    for number, (name, setup) in enumerate(SETUPS.items()):
        episode = played(random.Random(number), number, setup)
        storage.create(episode, title=f"Title {number}", tags=[name, "ß"])
    storage.delete(storage.create(finished()))
    return storage


def test_a_copy_is_the_same_in_every_kind_of_database(full, tmp_path, postgres):
    copy = exported(full)
    for number, elsewhere in enumerate((SqlitePlace(tmp_path / "other"), PostgresPlace(postgres))):
        with elsewhere.open() as storage:
            rows = imported(storage, copy)
            assert [row.line for row in rows] == list(range(1, len(SETUPS) + 1))
            assert {row.status for row in rows} == {"added"}
            assert exported(storage) == copy
            assert storage.find() == full.find()
            assert storage.find(Criteria(text="title 3")) == full.find(Criteria(text="title 3"))
            for row in rows:
                assert same(storage.load(row.id).episode, full.load(row.id).episode), number
            assert {row.status for row in imported(storage, copy)} == {"present"}
            assert exported(storage) == copy


def test_a_public_copy_holds_only_settled_episodes(storage):
    over = storage.create(finished())
    storage.create(played(random.Random(1), 0))
    lines = [json.loads(line) for line in storage.export_all(settled=True)]
    assert [line["id"] for line in lines] == [over]
    assert len(list(storage.export_all())) == 2


def test_moves_allowed_by_older_rules_are_kept(storage):
    """A verdict before its time, which was a way to be silent."""
    text = (DATA / "early_verdict.json").read_text("utf-8")
    kept = storage.create(load(text))
    copy = exported(storage)
    assert same(storage.load(kept).episode, load(text))
    storage.delete(kept)
    storage.purge(kept)
    assert [row.status for row in imported(storage, copy)] == ["added"]
    assert same(storage.load(kept).episode, load(text))


def test_between_two_lines_no_transaction_is_open(full):
    """An export or import may take all day; a database ends idle transactions."""
    held = full._engine.pool.checkedout
    copy = []
    for line in full.export_all():
        copy.append(line)
        assert held() == 0
    for row in full.import_all(io.BytesIO(b"".join(copy))):
        assert row.status == "present"
        assert held() == 0


def test_an_import_changes_no_existing_episode(full):
    copy = exported(full)
    first, second = full.find(limit=2)
    full.describe(first.id, title="Changed since")
    full.delete(second.id)
    before = full.find()
    assert {row.status for row in imported(full, copy)} == {"present"}
    assert full.find() == before


def test_each_line_is_exported_and_imported_on_demand(full, tmp_path):
    copy = exported(full)
    with SqlitePlace(tmp_path / "other").open() as storage:
        rows = storage.import_all(io.BytesIO(copy))
        assert storage.count() == 0
        next(rows), next(rows)
        assert storage.count() == 2


@pytest.fixture
def line(storage) -> dict:
    """Return a line that can be imported, as an object."""
    episode_id = storage.create(finished(), title="T", tags=["t"])
    found = json.loads(exported(storage))
    storage.delete(episode_id)
    storage.purge(episode_id)
    return found


def changed(line, **values) -> bytes:
    return json.dumps({**line, **values}).encode()


def test_lines_from_a_stranger(storage, line):
    events, setup = line["events"], line["setup"]
    bad = {
        "not JSON": b"{",
        "no JSON number": changed(line, title=float("nan")),
        "is a list": b"[]",
        "more than": b"[" * 100_000,
        "not text in UTF-8": b"\xff\xfe",
        "lacks the key 'id'": json.dumps({"format": line["format"]}).encode(),
        "has a key 'more'": changed(line, more=1),
        "twice": b'{"format": 1, "format": 2}',
        "the number 1e999": changed(line, title="BIG").replace(b'"BIG"', b"1e999"),
        "over 4,300 digits": changed(line, title="BIG").replace(b'"BIG"', b"1" * 5_000),
        "payoff's prover_reward": changed(
            line,
            setup={**setup, "protocol": {**setup["protocol"], "payoff": {"prover_reward": 1e300}}},
        ),
        "format is 'other'": changed(line, format="other"),
        "id is 'x'": changed(line, id="x"),
        "id is 7": changed(line, id=7),
        "The title must be": changed(line, title="\0"),
        "title must be a text of at most": changed(line, title="x" * 1_000),
        "A tag must be": changed(line, tags=[{}]),
        "tags is 'abc'": changed(line, tags="abc"),
        "created is 'now'": changed(line, created="now"),
        "updated is '0001": changed(line, updated="0001-01-01T00:00:00+23:00"),
        "updated is None": changed(line, updated=None),
        "setup cannot be used": changed(line, setup={**setup, "seed": -1}),
        "setup is a list": changed(line, setup=[]),
        "events is None": changed(line, events=None),
        "at most 20,000": changed(line, events=[1] * 20_001),
        "Event 0 is not possible": changed(line, events=[None, *events]),
        "Event 1 is not possible": changed(line, events=[events[0], *events]),
    }
    good = changed(line)
    data = b"\n".join([*bad.values(), b"", b"  ", good, good])
    rows = imported(storage, data)
    assert [row.line for row in rows] == [*range(1, len(bad) + 1), len(bad) + 3, len(bad) + 4]
    for row, reason in zip(rows, bad, strict=False):
        assert row.status == "refused", reason
        assert reason in row.reason
        assert len(row.reason) < 500
    assert [row.status for row in rows[len(bad) :]] == ["added", "present"]
    assert storage.count() == 1


def test_episodes_of_a_training_run_are_imported(storage):
    there = training_samples.record(4, training_samples.played())
    empty = {**there, "traces": []}
    lines = b"\n".join(json.dumps(each).encode() for each in (there, empty, there))
    results = imported(storage, lines)
    assert [each.status for each in results] == ["added", "refused", "present"]
    assert "It contains no transcript" in results[1].reason
    (entry,) = storage.find(Criteria(tag="training"))
    assert entry.title.endswith(", step 4")
    assert set(entry.tags) == {"imported", "training"}


def test_a_line_of_any_length_is_refused_in_bounded_memory(storage, line):
    long = b'{"a": "' + b"x" * (2 * MAX_BYTES + 1_500_000)
    rows = imported(storage, b"\n".join([long, changed(line), long]))
    assert [(row.line, row.status) for row in rows] == [
        (1, "refused"),
        (2, "added"),
        (3, "refused"),
    ]
    assert "at most 20 MB" in rows[0].reason


@settings(max_examples=cases(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_changed_line_gets_in_that_cannot_be_loaded(storage, line, data):
    text = bytearray(changed(line))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    for row in imported(storage, bytes(text)):
        if row.status == "added":
            storage.load(row.id)
            storage.delete(row.id)
            storage.purge(row.id)


def test_an_import_holds_only_so_many_events(storage, monkeypatch):
    storage.create(finished())
    copy = exported(storage)
    events = len(json.loads(copy)["events"])
    for most, reason in ((events - 1, f"{events} events; at most {events - 1}"), (events, None)):
        monkeypatch.setattr(exchange, "MAX_EVENTS", most)
        (row,) = imported(storage, copy)
        assert (reason in row.reason) if reason else (row.status != "refused")
