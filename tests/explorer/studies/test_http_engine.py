"""Studies whose models our own client asks: the same file, without Inspect."""

import sys
from collections import Counter

import pytest

from explorer.studies import Record, StudyError, models, read_study, run_study
from explorer.studies import run as running
from explorer.studies.http_engine import client_of
from explorer.studies.study import PlayerChoice
from nip_core.play import Moved
from tests.depth import each
from tests.explorer.studies.inspect.server import Server
from tests.explorer.studies.test_run import ROOT, keep_nothing_of, key, study_file

__all__ = ["key"]


@pytest.fixture(autouse=True)
def _without_inspect(monkeypatch):
    for module in (running, models):
        monkeypatch.setattr(module, "has_inspect", lambda: False)
    # An import fails.
    for name in [name for name in sys.modules if name.partition(".")[0] == "inspect_ai"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)


def run(server, folder, text=None, **more):
    study = read_study(text or study_file(server.url, **more), ROOT)
    record = Record(folder / "record")
    return study, record, run_study(study, record)


def test_a_file_for_inspect_is_played_without_it(tmp_path, key):
    with Server() as server:
        study, record, stage = run(server, tmp_path, problems=2, protocols=("nip", "debate"))
        asked = len(server.requests)
        assert stage.done == sum(Counter(row.condition for row in record.results()).values()) > 8
        assert (stage.failed, stage.left, stage.why_stopped) == (0, 0, "")
        # Finished episodes are not asked for again.
        assert run_study(study, record).done == 0
        assert len(server.requests) == asked
    rows = record.results()
    assert {row.engine for row in rows} == {"http"}
    assert sum(row.used.calls for row in rows) == stage.used.calls == asked
    assert stage.used.money == pytest.approx(asked * (100 * 1.0 + 9 * 10.0) / 1e6)
    for _, episode in record.episodes():
        origins = [event.origin for event in episode.events if isinstance(event, Moved)]
        assert any(origin["model"] == "one" for origin in origins if origin["kind"] == "llm")
    assert {request["model"] for request in server.requests} == {"one"}
    keep_nothing_of(key, tmp_path)


def test_a_refused_key_costs_one_request(tmp_path, key):
    with Server(statuses=[401] * 50) as server:
        with pytest.raises(StudyError, match="does not accept the key"):
            run(server, tmp_path)
        assert len(server.requests) == 1
        record = Record(tmp_path / "record")
        assert (record.results(), record.failures()) == ([], [])


def test_one_failure_leaves_the_other_episodes(tmp_path, key):
    with Server(statuses=[200, 200, 500]) as server:
        _, record, stage = run(server, tmp_path)
    assert stage.failed == 1
    assert stage.done == len(record.results()) > 1
    (failure,) = record.failures()
    assert "HTTP 500" in failure.message
    assert failure.engine == "http"


def test_a_budget_ends_the_run(tmp_path, key):
    with Server() as server:
        _, _, stage = run(server, tmp_path, problems=4, more="[budget]\ncalls = 3")
    assert "calls" in stage.why_stopped
    assert stage.left > 0


@each(
    ("changes", "words"),
    [
        ({"model": "anthropic/claude"}, "anthropic"),
        ({"model": "openai-api/local/one"}, "base_url is missing"),
        ({"settings": {"top_k": 3}}, "no 'top_k'"),
        ({"settings": {"temperature": 3.5}}, "from 0 to 2"),
        ({"settings": {"max_retries": "many"}}, "max_retries"),
        ({"settings": {"max_connections": 0}}, "max_connections"),
        ({"arguments": {"device": "cpu"}}, "arguments"),
        ({"model": "openai/gpt-4o-mini"}, "OPENAI_API_KEY"),
        ({"model": "openai/gpt-4o-mini", "base_url": "https://elsewhere.example/v1"}, "key"),
    ],
)
def test_settings_that_our_client_lacks_are_reported_before_any_request(
    changes, words, monkeypatch
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("LOCAL_BASE_URL", raising=False)
    if "base_url" in changes:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-for-openai")
    fields = {"model": "ollama/llama3.2", **changes}
    with pytest.raises(StudyError, match=words) as caught:
        client_of(PlayerChoice("one", "model", **fields))
    assert str(caught.value).startswith("players.one")
    assert "sk-planted" not in str(caught.value)


def test_models_are_asked_at_the_addresses_that_inspect_would_use(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-for-openai")
    for model, address, name in [
        ("openai/gpt-4o-mini", None, "gpt-4o-mini"),
        ("ollama/llama3.2", "http://localhost:11434/v1", "llama3.2"),
        ("vllm/org/model", "http://localhost:8000/v1", "org/model"),
    ]:
        settings = client_of(PlayerChoice("one", "model", model=model)).settings
        assert (settings.base_url, settings.model) == (address, name)
