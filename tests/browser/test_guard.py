"""The effect of the server's rules in a browser: frames stay empty.

That the app works under them is checked on each visit of `test_pages.py`.
"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.browser.conftest import App
from tests.browser.waiting import becomes
from tests.depth import exhaustive


@pytest.fixture
def stranger():
    """Another site, whose page frames the address that its own address names."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = f'<h1>You won!</h1><iframe src="{self.path[1:]}" width="900"></iframe>'.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://localhost:{served.server_port}"
    served.shutdown()


def framed(page):
    """Return the content of the frame on a stranger's page."""
    page.get_by_role("heading", name="You won!").wait_for()
    page.wait_for_load_state("networkidle")
    return page.frames[1]


def test_no_other_site_shows_the_app_in_a_frame(open_page, app, stranger):
    """`tests/explorer/server` checks the rule in every kind of answer; the browser obeys it."""
    page = open_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(f"{stranger}/{app.url}/transcripts")
    inside = framed(page)
    becomes(lambda: inside.url, "chrome-error://chromewebdata/", page=page)
    becomes(lambda: any("frame-ancestors 'none'" in text for text in refused), page=page)


# `tests/explorer/server` checks what the server says.
@exhaustive
def test_an_operator_may_have_it_shown_in_theirs(open_page, stranger, tmp_path):
    served = App(tmp_path, "--allow-embedding", stranger)
    try:
        page = open_page(f"{stranger}/{served.url}/learn")
        inside = framed(page)
        inside.get_by_role("heading").first.wait_for()
        becomes(lambda: inside.url, f"{served.url}/learn", page=page)
        other = stranger.replace("localhost", "127.0.0.1")
        page.goto(f"{other}/{served.url}/learn")
        becomes(lambda: framed(page).url, "chrome-error://chromewebdata/", page=page)
    finally:
        served.kill()
