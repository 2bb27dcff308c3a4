"""Every address that Streamlit opens is either needed or closed."""

import subprocess
import sys
from pathlib import Path

import streamlit
from hypothesis import given
from hypothesis import strategies as st

from explorer.server.guard import OPEN, SIGN_IN, Paths
from explorer.ui.shell import PAGES
from tests.depth import each

ROOT = Path(__file__).parent.parent.parent.parent
PATHS = Paths(["play", "learn"], ["/healthz"])
ANYTHING = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "WEBSOCKET"]

# Streamlit's routes that the app does not need.
CLOSED = frozenset(
    {
        # The number of sessions and their memory use.
        "/_stcore/metrics",
        # Runs the whole script for anyone who asks.
        "/_stcore/script-health-check",
        # Streamlit's API for programs. The Python package serves that purpose here.
        "/_stcore/agent/interact",
        "/_stcore/agent/openapi.json",
        "/_stcore/agent/mcp",
        # Files of components: ours are sent through the session.
        "/component/{path:path}",
        "/_stcore/bidi-components/{path:path}",
        # Files beside the app's script: only the fonts are there.
        "/app/static/{path:path}",
    }
)
LIST_ROUTES = """
import streamlit as st
from streamlit import config
app = st.App("explorer/app.py")
for optional in ("server.enableStaticServing", "server.scriptHealthCheckEnabled",
                 "server.enableAgentApi"):
    config.set_option(optional, True)
for route in app._build_starlette_app().routes:
    kind = type(route).__name__
    print(kind, route.path)
"""


def test_each_route_of_the_installed_streamlit_was_decided_upon():
    """With every option turned on. A new route has to be reviewed and listed."""
    said = subprocess.run(
        [sys.executable, "-c", LIST_ROUTES], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout
    routes = [line.split() for line in said.splitlines()]
    assert ["Mount"] in routes, "what belongs to Streamlit's page is mounted at the root"
    assert {
        path for _, *named in routes for path in named[:1]
    } == OPEN.keys() | SIGN_IN.keys() | CLOSED


def filled(route: str) -> str:
    return (
        route.replace("{path:path}", "x/y.js")
        .replace("{file_id:path}", "ab.json")
        .format(session_id="12-34", file_id="56-78")
    )


@each("route", sorted(OPEN))
def test_open_routes_answer_only_needed_methods(route):
    assert {m for m in ANYTHING if m in PATHS.methods(filled(route))} == OPEN[route]


@each("route", sorted(CLOSED | SIGN_IN.keys()))
@each("method", ANYTHING)
def test_what_is_closed_does_not_answer(route, method):
    assert method not in PATHS.methods(filled(route))
    assert method not in PATHS.methods(filled(route) + "/")


def test_pages_and_assets_are_read():
    static = Path(streamlit.__file__).parent / "static"
    assets = [f"/{file.relative_to(static).as_posix()}" for file in static.rglob("*.*")]
    assert len(assets) > 300
    assets += [
        f"/app/static/{file.name}" for file in (ROOT / "explorer" / "static").glob("*.woff2")
    ]
    assert len(assets) > 303
    for path in ("/", "/play", "/play/", "/learn", "/healthz", *assets):
        if path != "/index.html":
            assert "GET" in PATHS.methods(path), path
            assert "POST" not in PATHS.methods(path)
    assert PATHS.is_page("/")
    assert PATHS.is_page("/play")
    assert not PATHS.is_page("/static/js/play")


@each(
    "path",
    [
        *("", "//", "//evil.example", "/play/x", "/Play", "/playful", "/play//", "/schedule", "*"),
        *("/play/_stcore/health", "/_stcore", "/_stcore/", "/_stcore/health/", "/_stcore//health"),
        *("/_stcore/../_stcore/metrics", "/media/../_stcore/metrics", "/media/..", "/media/"),
        *("/media/a/b", "/static/../app.py", "/static/..", "/static/js/.hidden", "/static/js/"),
        *(
            "/play\\",
            "/play\n",
            "/play\x00",
            "/_stcore/upload_file/a",
            "/_stcore/upload_file/a/b/c",
        ),
        *("/_stcore/upload_file//b", "/_stcore/upload_file/../b", "http://evil.example/play"),
        *("/.git/config", "/.env", "/app/static/x", "/~/+/", "/media/" + "a" * 200),
    ],
)
def test_nothing_else_answers(path):
    assert not any(method in PATHS.methods(path) for method in ANYTHING)


@given(st.text(max_size=80), st.sampled_from(ANYTHING))
def test_no_other_path_reaches_streamlit(path, method):
    known = {"/", "/play", "/play/", "/learn", "/learn/", "/healthz", "/favicon.png"}
    if method in PATHS.methods(path):
        assert path in known or path.startswith(("/static/", "/media/", "/_stcore/"))


def test_names_of_pages_are_not_patterns():
    assert not Paths([entry.file for entry in PAGES], ["/a.b"]).methods("/a-b")
