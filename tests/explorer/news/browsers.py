"""Browsers, and the lines on which their windows hear of changes."""

from __future__ import annotations

import json
import secrets
import time
import urllib.error
import urllib.request

from websockets.sync.client import connect

from explorer.serving.identity import COOKIE, visitor_name

PATIENCE = 30


class Browser:
    """A browser that has been here before."""

    def __init__(self, server, opened):
        self.server = server
        self.opened = opened
        self.token = secrets.token_hex(32)
        self.visitor = visitor_name(self.token)
        self.headers = {"Cookie": f"{COOKIE}={self.token}"}

    def look(self, code, watcher, **headers):
        """Open a line."""
        address = f"ws://127.0.0.1:{self.server.port}/news?code={code}&as={watcher}"
        line = connect(address, additional_headers={**self.headers, **headers}, proxy=None)
        return Window(self.opened.enter_context(line))

    def fetch(self, path):
        """Ask for an address: the status, where it leads, and what it says."""
        url = f"http://127.0.0.1:{self.server.port}{path}"
        opener = urllib.request.build_opener(NoRedirects)
        try:
            answer = opener.open(urllib.request.Request(url, headers=self.headers), timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.headers.get("location"), answer.read().decode()


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Window:
    """A line to the server."""

    def __init__(self, line):
        self.line = line
        self.mark = self.hear()

    def hear(self):
        """What is told next: a mark, or that the database is lost."""
        told = json.loads(self.line.recv(timeout=PATIENCE))
        return "lost" if told.get("lost") else told["mark"]

    def hear_of(self, wanted):
        """Listen until what is told is wanted."""
        while not wanted(mark := self.hear()):
            pass
        self.mark = mark

    def ask(self):
        """Ask whether anybody is there: what is shown now."""
        self.line.send("?")
        self.mark = self.hear()
        return self.mark

    def changes(self):
        """Wait for a change."""
        before, self.mark = self.mark, self.hear()
        assert self.mark != before


def wait_for(told, wanted):
    for _ in range(200):
        if told() == wanted:
            return
        time.sleep(0.05)
    assert told() == wanted
