"""Browsers, and the lines on which their windows hear of changes."""

from __future__ import annotations

import json
import secrets
import time
import urllib.error
import urllib.request

from websockets.sync.client import connect

from explorer.visitors import COOKIE, visitor_name

TIMEOUT = 120


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
    """A line to the server, and what stands on its screen by its messages.

    Attributes
    ----------
    frames : list of str
        All that was told.
    mark : str
        Of what the page draws; ``"lost"`` while the database is.
    seat : dict, optional
        The screen of a person at a table.
    answer : dict, optional
        To what was asked for last.
    """

    def __init__(self, line):
        self.line = line
        self.frames = []
        self.mark = self.seat = self.answer = None
        self.hear()

    @property
    def shown(self):
        return self.mark, self.seat

    def hear(self):
        """Handle the next message, as the browser does."""
        self.frames.append(self.line.recv(timeout=TIMEOUT))
        message = json.loads(self.frames[-1])
        self.mark = "lost" if message.get("lost") else message.get("mark", self.mark)
        self.answer = message.get("answer", self.answer)
        if "seat" in message:
            seat = message["seat"]
            if seat and "place" not in seat:
                table = {**self.seat["table"], **seat.get("table", {})}
                seat = {**self.seat, **seat, "table": table}
            self.seat = seat

    def hear_of(self, wanted):
        """Listen until the mark is wanted."""
        self.hear()
        while not wanted(self.mark):
            self.hear()

    def ask(self):
        """Ask whether anybody is there: what is shown now."""
        self.line.send("?")
        self.hear()
        return self.shown

    def changes(self):
        """Wait for a change."""
        before = self.shown
        self.hear()
        assert self.shown != before

    def act(self, **act):
        """Make a move, of which what is left out is filled in: why it was refused, if it was."""
        self.send(**act)
        self.answer = None
        while self.answer is None:
            self.hear()
        return self.answer["refused"]

    def send(self, **act):
        """The same, without waiting for the answer."""
        table = self.seat["table"]
        move = {"messages": {}, "decision": 2, "confidence": None, "mark": "1"}
        place = {"round": table["round"], "seat": table["seat"], "place": self.seat["place"]}
        self.line.send(json.dumps({**move, **place, **act}))


def wait_for(read, wanted):
    end = time.monotonic() + TIMEOUT
    while (found := read()) != wanted:
        assert time.monotonic() < end, (found, wanted)
        time.sleep(0.05)
