"""What every answer of the server carries, and what is loaded when."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import nip_core
from explorer import server

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def client():
    with TestClient(server.make_app()) as opened:
        yield opened


def test_the_health_route(client):
    answer = client.get("/healthz")
    assert answer.json().items() >= {"status": "ok", "version": nip_core.__version__}.items()


def test_every_answer_has_the_headers(client):
    for path in ("/", "/healthz", "/_stcore/health", "/nothing/here"):
        answer = client.get(path)
        for name, value in server.HEADERS.items():
            assert answer.headers[name] == value, path


def test_the_policy_keeps_other_hosts_out():
    rules = dict(
        rule.split(" ", 1) for rule in server.CONTENT_SECURITY_POLICY.split("; ") if " " in rule
    )
    for kind in ("default-src", "script-src", "style-src", "img-src", "connect-src", "form-action"):
        assert "*" not in rules[kind]
        assert "http" not in rules[kind]
    assert rules["frame-src"] == rules["object-src"] == "'none'"


def test_large_answers_are_compressed(client):
    answer = client.get("/", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"


def test_a_server_starts_without_torch_and_warms_up_later():
    code = (
        "import sys, explorer.server as server; server.make_app();"
        "print('torch' in sys.modules, 'pandas' in sys.modules);"
        "server.warm_up(); print('torch' in sys.modules, server._warm.is_set())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.split() == ["False", "False", "True", "True"]


def test_the_settings_are_found_from_any_folder(tmp_path):
    """In a process of its own: the first script of a process decides which settings it reads."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r});"
        "import explorer.server as server; server.make_app();"
        "from streamlit import config;"
        "print(*map(config.get_option, ('runner.postScriptGC', 'client.showErrorDetails',"
        "'browser.gatherUsageStats', 'theme.light.primaryColor')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.split() == ["False", "none", "False", "#C2185B"]
