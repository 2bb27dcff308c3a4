"""Somebody who answers on the page for `nip/person`, by its HTTP requests."""

import json
import threading
import time
from concurrent.futures import Future
from http.client import HTTPConnection
from urllib.parse import urlsplit

import anyio


def asked(page, question):
    """Ask a question as an evaluation does, in a thread; return the future of its answer.

    The thread does not keep a test that fails from ending.
    """
    future = Future()

    def go():
        future.set_result(anyio.run(page.ask, question))

    threading.Thread(target=go, daemon=True).start()
    return future


class Somebody:
    """A browser at the address that the page has printed."""

    def __init__(self, address):
        parts = urlsplit(address)
        self.host, self.path = parts.netloc, parts.path

    def request(self, method, path, body=None, host=None):
        """Return the status, headers and body of the answer to a request."""
        connection = HTTPConnection(self.host, timeout=60)
        try:
            connection.request(method, path, body, {"Host": host or self.host})
            found = connection.getresponse()
            return found.status, found.headers, found.read()
        finally:
            connection.close()

    def look(self, seen=""):
        """Return what the page asks for every second."""
        return json.loads(self.request("GET", f"{self.path}question?seen={seen}")[2])

    def question(self):
        """Wait for a question; return it."""
        end = time.monotonic() + 60
        while (found := self.look()["question"]) is None:
            assert time.monotonic() < end
            time.sleep(0.02)
        return found

    def send(self, name, text="", tool="", arguments=None, **more):
        """Send an answer; return the status, and the problem if there is one."""
        given = {"name": name, "text": text, "tool": tool, "arguments": arguments or {}, **more}
        status, _, body = self.request("POST", f"{self.path}answer", json.dumps(given))
        return status, json.loads(body).get("problem", "")

    def answer_all(self, answer):
        """Answer all questions in a thread; `answer` makes the fields of an answer of each."""

        def go():
            # Ends with the last answer, which `answer` marks by returning `last`.
            last = False
            while not last:
                question = self.question()
                fields = answer(question)
                last = fields.pop("last", False)
                assert self.send(question["name"], **fields) == (200, "")

        thread = threading.Thread(target=go, daemon=True)
        thread.start()
        return thread
