"""The effect of the server's rules in a browser: frames stay empty, and the app works."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.browser.acting import click
from tests.browser.conftest import App
from tests.browser.waiting import becomes, expect, settled


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
        # Without its server, a page says so in a line, and nothing covers it.
        page.goto(f"{served.url}/learn")
        page.get_by_role("heading").first.wait_for()
        served.kill()
        expect(page.get_by_text("The server does not answer.")).to_be_visible()
        expect(page.get_by_test_id("stDialog")).to_have_count(0)
        # A server that is down settles nothing.
        click(page.get_by_role("heading").first, now=True)
        served.start()
        expect(page.get_by_text("The server does not answer.")).to_be_hidden()
    finally:
        served.kill()


# Every test checks that pages keep the rules about scripts: see `open_page`.
@pytest.mark.parametrize("name", ["", "rewards"])
def test_pages_work_under_the_rules_without_a_complaint(open_page, app, name):
    page = open_page()
    said, refused, asked = [], [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: message.type == "error" and said.append(message.text))
    page.on("response", lambda answer: answer.status >= 400 and refused.append(answer.url))
    page.goto(f"{app.url}/{name}")
    page.get_by_role("heading").first.wait_for()
    settled(page)
    page.wait_for_load_state("networkidle")
    assert refused == []
    assert said == []
    # Streamlit's page asks for a typeface that no page shows.
    assert [url for url in asked if "SourceSans" in url] == []


def test_an_unknown_page_leads_back_to_the_start(open_page, app):
    page = open_page(f"{app.url}/nowhere")
    click(page, "Back to the start", role="link")
    page.get_by_role("heading").first.wait_for()
    page.wait_for_url(f"{app.url}/")
