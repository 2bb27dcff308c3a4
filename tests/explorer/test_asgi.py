"""What the server answers by itself, and what it imports when."""

import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import nip_core
from explorer import asgi as server
from tests.depth import each, exhaustive

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def client():
    with TestClient(server.make_app(), base_url="http://localhost") as opened:
        yield opened


def test_the_health_route(client):
    answer = client.get("/healthz")
    assert answer.json().items() >= {"status": "ok", "version": nip_core.__version__}.items()


@each(
    ("former", "now"),
    [
        ("", "?protocol=mnip"),
        ("?compare=true", "?protocol=mnip&compare=true"),
        (
            "?protocol=jury&set.rounds=3&view=Who%20reads%20what&round=2",
            "?protocol=jury&set.rounds=3&view=Who%20reads%20what&round=2",
        ),
        ("?protocol=own&spec=a%2Bb%26c", "?protocol=own&spec=a%2Bb%26c"),
    ],
)
def test_a_link_to_the_former_schedule_leads_to_the_same_view(client, former, now):
    answer = client.get(f"/schedule{former}", follow_redirects=False)
    assert answer.status_code == 308
    assert answer.headers["location"] == f"/protocols{now}"


def test_large_answers_are_compressed(client):
    answer = client.get("/", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"


@exhaustive
def test_a_server_starts_bare_and_warms_up_without_torch():
    code = (
        "import sys, explorer.asgi as server; server.make_app();"
        "print('torch' in sys.modules, 'pandas' in sys.modules);"
        "server.warm_up(); print('torch' in sys.modules, server._warm.is_set())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.split() == ["False", "False", "False", "True"]


@exhaustive
def test_the_settings_are_found_from_any_folder(tmp_path):
    """In a process of its own: the first script of a process decides which settings it reads."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r});"
        "import explorer.asgi as server; server.make_app();"
        "from streamlit import config;"
        "print(*map(config.get_option, ('runner.postScriptGC', 'client.showErrorDetails',"
        "'browser.gatherUsageStats', 'client.allowedOrigins', 'theme.light.primaryColor')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.split() == ["False", "none", "False", "[]", "#1A1C22"]


def test_the_first_paint_has_the_look(client):
    page = client.get("/learn")
    head = page.text.partition('<div id="root">')[0]
    assert "--nip-paper: light-dark(" in head
    assert int(page.headers["content-length"]) > 0
