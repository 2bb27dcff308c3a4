"""The button that asks a server for its models: whatever it answers, the form stays usable."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.depth import first
from tests.explorer.ui.play.test_page import opened
from tests.hostile_texts import HOSTILE

KEY = "sk-secret-of-mine"
NAMES = ["llama", *HOSTILE, "a" * 300, 5, None, "two\nlines", "‮abc", "llama"]


@contextmanager
def service(status, body, kind="application/json"):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            assert self.path == "/v1/models"
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def labelled(elements, label):
    (found,) = (element for element in elements if element.label == label)
    return found


def asked(url):
    app = opened(**{"protocol": "nip", "sits.prover": "llm"})
    where = labelled(app.selectbox, "Where")
    where.set_value(next(place for place in where.options if "Another" in place)).run()
    labelled(app.text_input, "Address").set_value(url).run()
    labelled(app.text_input, "Key").set_value(KEY).run()
    labelled(app.button, "List its models").click().run()
    assert not app.exception
    return app


def listed(*names):
    return json.dumps({"data": [{"id": name} for name in names]}).encode()


def test_untrusted_names_are_offered_unchanged():
    with service(200, listed(*NAMES)) as url:
        app = asked(url)
    options = labelled(app.selectbox, "Model for the prover").options
    assert options[:2] == ["llama", HOSTILE[0]]
    assert set(options) <= {name for name in NAMES if isinstance(name, str)}
    assert all(len(name) <= 200 and name.isprintable() for name in options)
    labelled(app.selectbox, "Model for the prover").set_value(HOSTILE[3]).run()
    assert not app.exception


WRONG = [
    (200, b"<!doctype html><p>Log in", "page"),
    (200, b'{"data": {"id": "x"}}', "not the answer of a chat service"),
    (200, listed(), "lists no models"),
    (200, listed(f"echo {KEY}"), "lists no models"),
    (200, b"[" * 100_000, "chat service"),
    (200, b'{"data": [' + b"1," * 5_000_000 + b"1]}", "127.0.0.1"),
    (404, b"not found", "ends in /v1"),
    (401, b"{}", "does not accept the key"),
    (500, b"{}", "an internal error"),
]


@pytest.mark.parametrize("number", first(3, range(len(WRONG))))
def test_an_error_is_shown(number):
    status, body, words = WRONG[number]
    with service(status, body) as url:
        app = asked(url)
    assert any(words in box.value.replace("\\", "") for box in app.warning), [
        box.value for box in app.warning
    ]
    # The name can still be typed.
    assert labelled(app.text_input, "Model for the prover")
    shown = "".join(str(element.proto) for element in app.main if hasattr(element, "proto"))
    assert KEY not in shown
