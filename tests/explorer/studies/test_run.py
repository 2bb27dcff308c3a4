"""Tests of run.py and inspecting.py. Conditions with models, played by Inspect into our record."""

import asyncio
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer.studies import Record, StudyError, read_study, run_study
from explorer.studies.inspect import read_log
from nip_core.play import Moved
from tests.depth import exhaustive, first
from tests.explorer.studies.inspect.server import Server

ROOT = Path(__file__).parents[3]
KEY = "sk-a-secret-key-of-forty-characters-1234567"


def study_file(url, *, problems=2, epochs=1, more="", protocols=("nip",)):
    # The user's own server, to which the key belongs.
    os.environ["LOCAL_BASE_URL"] = url
    tables = "\n".join(f"[protocols.{name}]" for name in protocols)
    return f"""
format = "nip-study/1"
name = "models"
seed = 3
epochs = {epochs}
{more}

[[tasks]]
source = "bundled"
difficulty = ["easy", "medium"]
problems = {problems}

{tables}
[players.one]
kind = "model"
model = "openai-api/local/one"
base_url = "{url}"
settings = {{ max_connections = 4, max_retries = 0 }}
prices = {{ input = 1.0, output = 10.0 }}

[players.careful]
kind = "scripted"
strategy = "careful"

[[conditions]]
verifiers = ["one", "careful"]
provers = "one"
"""


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", KEY)
    monkeypatch.setenv("LOCAL_BASE_URL", "")
    return KEY


def run(server, folder, **more):
    study = read_study(study_file(server.url, **more), ROOT)
    record = Record(folder / "record")
    return study, record, run_study(study, record)


@exhaustive
def test_a_study_with_models(tmp_path, key):
    with Server() as server:
        # Protocols with different seats; Inspect runs one evaluation for all of them.
        study, record, stage = run(server, tmp_path, problems=1, protocols=("nip", "debate"))
        assert (stage.done, stage.failed, stage.left) == (8, 0, 0)
        asked = len(server.requests)
        again = run_study(study, record)
        assert again.done == 0
        assert len(server.requests) == asked
    rows = record.results()
    assert {row.engine for row in rows} == {"inspect"}
    assert sum(row.used.calls for row in rows) == asked
    assert stage.used.money == pytest.approx(asked * (100 * 1.0 + 9 * 10.0) / 1e6)
    # The record names an episode's log, which holds the same transcript.
    (log,) = {row.log for row in rows}
    paid = scores(record.folder / log)
    for row in rows:
        mine = {name for name, groups in paid.items() if row.condition in groups}
        assert mine == {"verdict", *(f"reward_{agent}" for agent in row.rewards)}
    for agent in ("verifier", "prover", "prover1"):
        shares = [row for row in rows if agent in row.rewards]
        for condition in {row.condition for row in shares}:
            all_paid = [row.rewards[agent] for row in shares if row.condition == condition]
            mean = sum(all_paid) / len(all_paid)
            assert paid[f"reward_{agent}"][condition] == pytest.approx(mean)
    _, samples = read_log((record.folder / log).read_bytes())
    found = {sample.id: sample for sample in samples}
    assert found.keys() == {row.key for row in rows}
    for row, episode in record.episodes():
        other = found[row.key].episode
        assert other is not None
        assert other.events == episode.events
        origins = [e.origin for e in episode.events if isinstance(e, Moved)]
        assert any(origin["kind"] == "llm" for origin in origins)
    keep_nothing_of(key, tmp_path)


def scores(log):
    """Return what Inspect's own viewer shows: the mean of each score by its group."""
    from inspect_ai.log import read_eval_log

    read = read_eval_log(str(log), header_only=True)
    assert read.status == "success", read.error
    return {
        score.name: {
            each.name: each.value for each in score.metrics.values() if each.group != "stderr"
        }
        for score in read.results.scores
    }


def keep_nothing_of(key, folder):
    import zipfile

    import zipfile_zstd  # noqa: F401

    for path in folder.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    assert key.encode() not in archive.read(name), (path, name)


@pytest.mark.parametrize("status", first(1, [401, 404]))
def test_a_wrong_key_stops_a_study_at_its_first_call(tmp_path, key, status):
    with Server([status] * 100) as server:
        study = read_study(study_file(server.url), ROOT)
        record = Record(tmp_path / "record")
        with pytest.raises(StudyError, match=f"HTTP {status}") as refused:
            run_study(study, record)
        assert len(server.requests) == 1
        assert key not in str(refused.value)
        assert record.results() == record.failures() == []
        # With the right key it continues.
        server.statuses.clear()
        assert run_study(study, record).done == 8
    keep_nothing_of(key, tmp_path)


def test_only_failures_are_played_again(tmp_path, key):
    with Server([200] * 6 + [400] * 2) as server:
        study, record, stage = run(server, tmp_path)
        assert stage.done + stage.failed == 8
        failures = record.failures()
        assert len(failures) == stage.failed > 0
        assert "HTTP 400" in failures[0].message
        assert failures[0].log
        before = len(server.requests)
        assert run_study(study, record).done == 0
        assert len(server.requests) == before
        again = run_study(study, record, failed=True)
        assert again.done == len(failures)
    assert len(record.results()) == 8
    assert record.failures() == []
    keep_nothing_of(key, tmp_path)


@pytest.mark.parametrize("budget", first(1, ["calls = 5", "tokens = 500", "money = 0.0009"]))
def test_after_a_budget_is_used_up_no_episode_begins(tmp_path, key, budget):
    more = f"[budget]\n{budget}\n"
    with Server() as server:
        run(server, tmp_path, problems=4)
        full = len(server.requests)
        study = read_study(study_file(server.url, problems=4) + more, ROOT)
        other = Record(tmp_path / "other")
        stage = run_study(study, other)
        assert budget.split()[0] in stage.why_stopped
        # Running episodes were finished, and no other was begun.
        assert 0 < stage.done <= 10
        assert stage.left == 16 - stage.done
        assert len(server.requests) - full < full
        assert other.failures() == []


def test_no_episode_begins_after_a_stop_or_with_a_service_that_was_given_up():
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    from explorer.studies.inspecting import _Stopping

    run = SimpleNamespace(progress=SimpleNamespace(stopped=""))
    services = SimpleNamespace(given_up=lambda point: "It is dead." if point == "p" else "")
    evaluation = SimpleNamespace(run=run, services=services, points={"1": "p", "2": "q"})

    def why(episode):
        stop = asyncio.run(_Stopping(evaluation).schedule_sample(episode, 1))
        return stop and stop.reason

    assert (why(1), why(2)) == ("It is dead.", None)
    run.progress.stopped = "by hand"
    assert why(2) == "The run was stopped."
