"""Browsers, and the connections of their windows."""

import json
import secrets
import time
import urllib.error
import urllib.request

from websockets.sync.client import connect

from explorer.visitors import COOKIE, visitor_name
from tests.explorer.connections import leading

TIMEOUT = 120


class Browser:
    """A browser with a cookie, as the server has set it on an earlier visit."""

    def __init__(self, server, opened):
        self.server = server
        self.opened = opened
        self.token = secrets.token_hex(32)
        self.visitor = visitor_name(self.token)
        self.headers = {"Cookie": f"{COOKIE}={self.token}"}

    def open_window(self, code, watcher, **headers):
        """Open a window onto a room, as one of its watchers."""
        address = f"ws://127.0.0.1:{self.server.port}/news?code={code}&as={watcher}"
        connection = connect(address, additional_headers={**self.headers, **headers}, proxy=None)
        return Window(self.opened.enter_context(connection))

    def fetch(self, path):
        """Fetch an address; return the status, where it redirects, and the body."""
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
    """A connection to the server, and what its window shows after the messages so far.

        Attributes
        ----------
        frames : list of str
    Every message, as text.
        mark : str
            The digest of what the page draws; ``"lost"`` while the database cannot be reached.
        seat : dict, optional
            The screen of a person at a table.
        answer : dict, optional
            The answer to the last act.
    """

    def __init__(self, connection):
        self.connection = connection
        self.frames = []
        self.mark = self.seat = self.answer = None
        self.receive()

    @property
    def shown(self):
        return self.mark, self.seat

    def receive(self):
        """Handle the next message, as the browser does."""
        self.frames.append(self.connection.recv(timeout=TIMEOUT))
        message = json.loads(self.frames[-1])
        self.mark = "lost" if message.get("lost") else message.get("mark", self.mark)
        self.answer = message.get("answer", self.answer)
        if "seat" in message:
            seat = message["seat"]
            if seat and "place" not in seat:
                table = {**self.seat["table"], **seat.get("table", {})}
                seat = {**self.seat, **seat, "table": table}
            self.seat = seat

    def receive_until(self, wanted):
        """Handle messages until `wanted` accepts the mark."""
        self.receive()
        while not wanted(self.mark):
            self.receive()

    def ask(self):
        """Ping the server; return what is shown after its answer."""
        self.connection.send("?")
        self.receive()
        return self.shown

    def changes(self):
        """Wait until what is shown changes."""
        before = self.shown
        self.receive()
        assert self.shown != before

    def act(self, **act):
        """Make a move, with defaults for what is left out; return why it was refused, or None."""
        self.send(**act)
        self.answer = None
        while self.answer is None:
            self.receive()
        return self.answer["refused"]

    def send(self, **act):
        """Send a move like `act`, without waiting for the answer."""
        table = self.seat["table"]
        move = {"messages": {}, "decision": 2, "confidence": None, "mark": "1"}
        place = {"round": table["round"], "seat": table["seat"], "place": self.seat["place"]}
        self.connection.send(json.dumps({**move, **place, **act}))


def sit_at_a_table(server, code, opened):
    """Let two people join a room, and start it; return their windows, by seat."""
    people = [Browser(server, opened) for _ in range(2)]
    numbers = [server.call(leading.join, code, each.visitor) for each in people]
    server.call(leading.start, code)
    return {
        server.call(leading.seat, code, number, each.visitor): each.open_window(
            code, f"person:{number}"
        )
        for number, each in zip(numbers, people, strict=True)
    }


def wait_for(read, wanted):
    end = time.monotonic() + TIMEOUT
    while (found := read()) != wanted:
        assert time.monotonic() < end, (found, wanted)
        time.sleep(0.05)
