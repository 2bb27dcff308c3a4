"""Connections that are slow, large or many."""

import asyncio
import logging

import pytest
import uvicorn
from starlette.exceptions import HTTPException
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

import explorer.asgi
from explorer.server import connection_limiter
from explorer.server.connection_limiter import Capacity, ConnectionLimiter
from explorer.server.logs import Seldom
from explorer.server.uploads import UploadGate, UploadLedger, UploadLimits
from explorer.visitors import COOKIE
from tests import virtual_time
from tests.depth import each
from tests.explorer.server.log_lines import LogLines

TOKEN = "0123456789abcdef" * 4
OTHER = "f" * 64


def scope(kind, path, token=TOKEN, **more):
    return {
        "type": kind,
        "path": path,
        "headers": [(b"cookie", f"{COOKIE}={token}".encode())],
        "extensions": {"websocket.http.response": {}},
        **more,
    }


SESSION = "/_stcore/stream"


class Crowd:
    """A gate before an app whose websockets last until `leave` is set."""

    def __init__(self, *, pages, near):
        self.leave = asyncio.Event()
        self.responses = []
        self.gate = ConnectionLimiter(self.app, Capacity(1024, 99, pages, near), "/play".__eq__)

    async def app(self, scope, receive, send):
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            return
        ends = [asyncio.ensure_future(receive()), asyncio.ensure_future(self.leave.wait())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        # The app's clean-up after the browser has left takes a while.
        await self.leave.wait()

    async def send(self, message):
        if "status" in message:
            headers = {name.decode(): value.decode() for name, value in message["headers"]}
            self.responses.append((message["status"], headers))

    async def come(self, token, path=SESSION, **more):
        """Open a websocket; return a function with which its browser disconnects."""
        gone = asyncio.Event()

        async def receive():
            await gone.wait()
            return {"type": "websocket.disconnect"}

        self.task = asyncio.create_task(
            self.gate(scope("websocket", path, token, **more), receive, self.send)
        )
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return gone

    async def empty(self):
        """Wait until nobody has a page open."""
        async with asyncio.timeout(60):
            while self.gate.open:
                await asyncio.sleep(0.01)

    async def ask(self, path, token):
        await self.gate(scope("http", path, token, method="GET"), None, self.send)
        return self.responses.pop()

    @property
    def refused(self):
        return [status for status, _ in self.responses]


def test_sessions_are_counted_while_they_are_open(monkeypatch):
    monkeypatch.setattr(connection_limiter, "MOST_EACH", 2)

    async def drive():
        some = Crowd(pages=3, near=3)
        for _ in range(3):
            await some.come(TOKEN)
        assert some.refused == [429]
        await some.come(OTHER)
        await some.come(OTHER)
        assert some.refused == [429, 503]
        assert all(int(headers["retry-after"]) > 0 for _, headers in some.responses)
        # A page has our connection in addition to its session.
        await some.come(TOKEN, "/news")
        assert len(some.responses) == 2
        some.leave.set()
        await some.empty()
        # Browsers without an identity are counted apart, and those at one network address leave
        # room for others, under any name.
        some = Crowd(pages=9, near=4)
        for _ in range(5):
            await some.come("none")
        assert some.refused == [429]
        await some.come("none", client=("192.0.2.1", 1))
        assert some.refused == [429]
        some.leave.set()
        await some.task

    asyncio.run(drive())


def test_a_browser_that_has_left_takes_no_place_during_clean_up():
    async def drive():
        school = Crowd(pages=9, near=3)
        for _ in range(4):
            phones = [await school.come("none") for _ in range(3)]
            assert school.refused == []
            for gone in phones:
                gone.set()
            await school.empty()
        school.leave.set()
        await school.task

    asyncio.run(drive())


def test_a_page_that_could_not_be_served_says_so_before_it_is_opened():
    async def drive():
        some = Crowd(pages=1, near=1)
        gone = await some.come(TOKEN)
        status, headers = await some.ask("/play", OTHER)
        assert status == 503
        assert int(headers["retry-after"]) > 0
        assert headers["content-type"].startswith("text/html")
        # An open page may reload; what is not a page gets an answer.
        assert (await some.ask("/play", TOKEN))[0] == 200
        assert (await some.ask("/healthz", OTHER))[0] == 200
        gone.set()
        await some.empty()
        assert (await some.ask("/play", OTHER))[0] == 200
        some.leave.set()
        await some.task

    asyncio.run(drive())


@each("files", [64, 256, 1_024, 4_096, 1_000_000])
def test_the_limits_fit_into_the_files_that_may_be_open(files):
    found = Capacity.of(files)
    assert 2 * found.pages <= found.connections < files
    assert 1 <= found.near <= found.pages <= 1_000


def test_a_school_fits_behind_one_address():
    assert Capacity.of(1_024).near >= 300
    assert Capacity.of(4_096).near >= 600
    assert "1,024 files" in Capacity.of(1_024).summary()
    assert "files" not in Capacity.of(4_096).summary()


async def read_all(receive):
    while (await receive())["more_body"]:
        pass


@pytest.mark.parametrize(
    ("limits", "pause"),
    [(UploadLimits(pause=0.05), 60.0), (UploadLimits(pause=60.0, whole=0.3), 0.02)],
    ids=["stands still", "takes for ever"],
)
def test_an_upload_that_is_too_slow_is_given_up(limits, pause):
    events = []

    async def app(scope, receive, send):
        with pytest.raises(HTTPException, match="upload was too slow"):
            await read_all(receive)
        events.append("given up")

    async def receive():
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": b"x", "more_body": True}

    ledger = UploadLedger(limits)
    ledger.give("A", "1")
    gate = UploadGate(app, ledger, lambda session: TOKEN)
    put = scope("http", "/_stcore/upload_file/A/1", method="PUT")
    asyncio.run(gate(put, receive, None))
    assert events == ["given up"]
    assert ledger.size == 0


class FakeTransport(asyncio.Transport):
    """A connection that only records whether it was closed."""

    def __init__(self):
        super().__init__()
        self.closed = False
        self.written = b""

    def write(self, data):
        self.written += data

    def close(self):
        self.closed = True

    is_closing = pause_reading = resume_reading = lambda self: False

    def set_protocol(self, protocol):
        self.protocol = protocol

    def get_protocol(self):
        return self.protocol


@pytest.mark.parametrize(
    ("sent", "closed"),
    [
        ([], True),
        ([b"GET / HTTP/1.1\r\n", b"Host: localhost\r\n", b"X-Slow: "], True),
        ([b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"], False),
        ([b"GET / HTTP/1.1\r\n", b"Host: localhost\r\n\r\n"], False),
        ([b"PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n", b"x"], False),
    ],
)
def test_a_connection_without_a_complete_request_is_closed(sent, closed):
    async def drive():
        done = asyncio.Event()

        async def app(scope, receive, send):
            await done.wait()

        config = uvicorn.Config(app, http=connection_limiter.HeaderTimeoutProtocol, lifespan="off")
        config.load()
        protocol = connection_limiter.HeaderTimeoutProtocol(config, ServerState(), {})
        transport = FakeTransport()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        for piece in sent:
            protocol.data_received(piece)
            await asyncio.sleep(0.01)
        await asyncio.sleep(connection_limiter.HEADER_TIMEOUT)
        assert transport.closed == closed
        done.set()
        await asyncio.sleep(0.05)
        protocol.connection_lost(None)

    virtual_time.run(drive())


def test_a_repeated_error_is_logged_a_few_times():
    now = 0.0
    seldom = Seldom(lambda: now)

    def write(line, text):
        record = logging.LogRecord("asyncio", logging.ERROR, "file.py", line, text, (), None)
        return record.getMessage() if seldom.filter(record) else None

    written = [write(1, "No more files") for _ in range(5_000)]
    assert written[:10] == ["No more files"] * 10
    assert set(written[10:]) == {None}
    assert write(2, "Something else") == "Something else"
    now = 61.0
    assert write(1, "No more files") == "No more files (4,990 lines like this left out)"
    assert write(1, "No more files") == "No more files"


def test_headers_have_a_size(server):
    host = f"Host: 127.0.0.1:{server.port}"
    assert server.ask("GET", "/healthz", host, "X-Large: " + "x" * 20_000)[0] == 200
    assert server.ask("GET", "/healthz", host, "X-Large: " + "x" * 200_000)[0] in (400, 431)


def test_messages_have_a_size(server):
    address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], proxy=None) as connection:
        connection.send(b"\0" * (explorer.asgi.WEBSOCKET_BYTES + 1))
        with pytest.raises(ConnectionClosedError) as closed:
            connection.recv(timeout=120)
    assert closed.value.rcvd.code == 1009


def test_text_is_refused_without_a_word_in_the_log(server):
    address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    logged = LogLines(server)
    with connect(address, subprotocols=["streamlit"], proxy=None) as connection:
        connection.send("text")
        with pytest.raises(ConnectionClosedError) as closed:
            connection.recv(timeout=120)
    assert closed.value.rcvd.code == 1003
    assert logged.lines == []


def test_the_server_is_started_with_these_bounds(monkeypatch):
    started = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: started.append(self.config))
    explorer.asgi.serve(None)
    assert started[0].http is connection_limiter.HeaderTimeoutProtocol
    assert started[0].ws_max_size == explorer.asgi.WEBSOCKET_BYTES < 5_000_000
