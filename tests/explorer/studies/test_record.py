"""Running a study: what is stored, what is continued, and what no failure can destroy."""

import copy
import gzip
import json
import shutil
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

import pytest

from explorer.studies import (
    Record,
    RecordBusyError,
    RecordError,
    StudyError,
    points,
    read_study,
    run_study,
)
from explorer.studies import record as record_module
from explorer.studies.statistics import frame, summarize
from nip_core.errors import NipError
from tests.explorer.studies.files import SMALL, with_lines


class Here(Executor):
    """Runs everything at once, in this process; some calls can be made to fail."""

    def __init__(self, fail=lambda call: None):
        self.calls, self._fail = 0, fail

    def submit(self, fn, /, *args, **kwargs):
        self.calls += 1
        future: Future = Future()
        error = self._fail(self.calls)
        if error is None:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(error)
        return future


def run(record, text=SMALL, executor=None, **kwargs):
    return run_study(read_study(text), record, executor=lambda: executor or Here(), **kwargs)


FEWER = SMALL.replace("problems = 4", "problems = 2")


def kept(record):
    """Return what is the same for every engine, in the study's order."""
    return sorted((result.key, result) for result in record.results())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The record of the small study, played once; tests that change it get a copy."""
    record = Record(tmp_path_factory.mktemp("record") / "whole")
    run(record)
    return record


@pytest.fixture
def record(whole, tmp_path):
    return Record(shutil.copytree(whole.folder, tmp_path / "copy"))


def test_a_study_is_played_once_and_its_transcripts_are_the_record(tmp_path, monkeypatch):
    record, seen = Record(tmp_path / "a"), []
    stage = run(record, watch=seen.append)
    assert (stage.total, stage.done, stage.failed, stage.left) == (16, 16, 0, 0)
    counts = [each.done for each in seen]
    assert counts == sorted(set(counts))
    assert counts[-1] == 16
    # The first few allow no conclusion about the others.
    early = replace(seen[-1], done=3, left=200, seconds=9.0)
    assert early.seconds_left is None
    assert replace(early, done=100).seconds_left == 18
    study = read_study(SMALL)
    by_key = {point.key: point for point in points(study)}
    for result, episode in record.episodes():
        point = by_key[result.key]
        assert (episode.task, episode.setup.seed) == (point.task, point.seed)
        ended = episode.result()
        assert result.verdict == {None: "none", True: "right", False: "wrong"}[ended.right]
        assert result.rewards == dict(ended.totals)
        assert episode.players["verifier"]["player"] == result.verifier == result.seats["verifier"]
        assert result.rounds == len(episode.path()) - 1
    # Reading episode after episode goes through the rows once.
    gone_through = []
    rows = Record._rows
    monkeypatch.setattr(Record, "_rows", lambda self: gone_through.append(1) or rows(self))
    reader = Record(record.folder)
    assert {reader.episode(key).task for key in by_key} == {p.task for p in by_key.values()}
    assert len(gone_through) == 1
    executor = Here()
    again = run(record, executor=executor)
    assert (again.done, again.before, executor.calls) == (0, 16, 0)
    # New episodes are played; the earlier ones are unchanged.
    before = kept(record)
    longer = run(record, FEWER.replace("seed = 3", "seed = 3\nepochs = 2"))
    assert (longer.before, longer.done) == (8, 8)
    assert [row for row in kept(record) if row in before] == before


def test_episodes_of_another_study_are_not_mixed_into_one_table(record):
    before, noted = kept(record), record.text()
    for old, new in (
        ('level = "hard"', 'level = "medium"'),
        ("sequential = true", "sequential = false"),
        ("seed = 3", "seed = 4"),
        ("[protocols.nip]", "[protocols.nip]\nmax_response_words = 20"),
    ):
        assert old in SMALL
        with pytest.raises(StudyError, match="--to"):
            run(record, SMALL.replace(old, new, 1))
        assert (kept(record), record.text()) == (before, noted)
    # Under another name it is another study, and fewer tasks are no change.
    renamed = FEWER.replace("players.hard", "players.sly").replace(
        'provers = "hard"', 'provers = "sly"'
    )
    assert run(record, renamed.replace('level = "hard"', 'level = "medium"', 1)).done == 8
    assert run(record, FEWER).done == 0


def test_a_half_written_row_is_cut_off_and_played_again(whole, record):
    torn = record
    for name in ("results.jsonl", "transcripts.jsonl.gz"):
        path = torn.folder / name
        path.write_bytes(path.read_bytes()[:-40])
    assert len(torn.results()) == 15
    # The row of the last is gone, and another's transcript may be, too.
    assert run(torn).done == 1
    assert kept(torn) == kept(whole)
    for key, result in kept(torn):
        assert torn.episode(key).result().decision == result.decision
    lines = (torn.folder / "results.jsonl").read_bytes().splitlines(keepends=True)
    (torn.folder / "results.jsonl").write_bytes(b"".join([*lines[:3], b"{}\n", *lines[3:]]))
    with pytest.raises(RecordError, match=r"line 4 is damaged.*Take the line out"):
        torn.results()


def test_failures_are_kept_counted_apart_and_run_again_alone(tmp_path):
    record = Record(tmp_path)

    # The first chunk is lost, and played again one at a time; two of those fail for good.
    lost = {1: ValueError(), 5: OSError(), 6: OSError()}
    stage = run(record, executor=Here(lost.get))
    failures = record.failures()
    assert (stage.done, stage.failed, len(failures)) == (14, 2, 2)
    assert all("died" in failure.message for failure in failures)
    assert run(record).left == 0
    assert len(record.results()) == 14
    assert run(record, failed=True).done == 2
    assert not record.failures()
    assert len(kept(record)) == 16


def test_an_episode_that_kills_its_worker_is_found_and_the_others_are_played(tmp_path):
    record, killer = Record(tmp_path), points(read_study(SMALL))[5].key

    class Dies(Here):
        def submit(self, fn, /, *args, **kwargs):
            if any(point.key == killer for point in args[0]):
                future: Future = Future()
                future.set_exception(BrokenProcessPool("died"))
                return future
            return super().submit(fn, *args, **kwargs)

    stage = run_study(read_study(SMALL), record, executor=Dies)
    assert (stage.done, stage.failed) == (15, 1)
    assert [failure.key for failure in record.failures()] == [killer]


def test_two_runs_of_one_study_do_not_double(tmp_path):
    record = Record(tmp_path)
    with record.writing(read_study(SMALL)), pytest.raises(RecordBusyError, match="Another run"):
        run(Record(tmp_path))
    assert run(Record(tmp_path), FEWER).done == 8


@pytest.mark.parametrize("name", ["results.jsonl", "transcripts.jsonl.gz"])
def test_a_full_disk_loses_nothing_that_was_finished(whole, tmp_path, monkeypatch, name):
    record, real, calls = Record(tmp_path), record_module.os.fsync, []

    def full(descriptor):
        real(descriptor)
        path = record_module.os.readlink(f"/proc/self/fd/{descriptor}")
        calls.append(path)
        if path.endswith(name) and len(calls) > 4:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(record_module.os, "fsync", full)
    with pytest.raises(RecordError, match=r"full.*is kept.*make room"):
        run(record)
    monkeypatch.undo()
    assert 0 < len(record.results()) < 16
    assert run(record).left == 0
    assert kept(record) == kept(whole)


def test_a_run_that_is_stopped_goes_on_where_it_was(tmp_path):
    record = Record(tmp_path)
    held = []

    def watch(stage):
        if stage.done >= 3:
            held[0].stop("Enough.")

    stage = run(record, watch=watch, progress_made=held.append)
    assert stage.why_stopped == "Enough."
    assert stage.left > 0
    assert run(record).left == 0
    over = run(Record(tmp_path / "b"), with_lines("[budget]", "minutes = 0"))
    assert over.done == 0
    assert "minutes" in over.why_stopped


def test_a_strangers_record_is_read_or_refused(record):
    lines = (record.folder / "results.jsonl").read_text().splitlines()
    whole = json.loads(lines[0])
    odd = ["", "x", -1, 7, 1.5, True, None, [], {}, {"a": 1}, {"a": "b"}, {"a": {"calls": "x"}}]
    refused = 0
    for place in [("at",), ("size",), ("row",), *(("row", key) for key in whole["row"])]:
        for value in odd:
            document = copy.deepcopy(whole)
            holder = document if len(place) == 1 else document["row"]
            holder[place[-1]] = value
            text = "\n".join([json.dumps(document), *lines[1:], ""])
            (record.folder / "results.jsonl").write_text(text)
            try:
                frame(summarize(record.results()))
            except RecordError:
                refused += 1
    assert refused > 200
    (record.folder / "results.jsonl").write_text("\n".join([*lines, ""]))
    # A transcript that was changed, or that unpacks to more than any transcript has.
    for packed, words in (
        (b"no gzip", "A transcript of the record is damaged"),
        (gzip.compress(b"{}"), "The format is None"),
        (gzip.compress(b" " * 30_000_000), "at most 20 MB are read"),
    ):
        at = {**whole, "at": 0, "size": len(packed)}
        (record.folder / "transcripts.jsonl.gz").write_bytes(packed)
        (record.folder / "results.jsonl").write_text(json.dumps(at) + "\n")
        # One that has read its rows reads only what is added.
        with pytest.raises(NipError, match=words):
            Record(record.folder).episode(whole["row"]["key"])
