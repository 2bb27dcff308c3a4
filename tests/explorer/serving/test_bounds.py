"""Connections that are slow, large or many."""

from __future__ import annotations

import asyncio

import pytest
import uvicorn
from starlette.exceptions import HTTPException
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

import explorer.server
from explorer.serving import crowd, patience
from explorer.serving.crowd import CrowdGate
from explorer.serving.identity import COOKIE
from explorer.serving.uploads import Ledger, Limits, UploadGate

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


def test_sessions_are_counted_while_they_are_open(monkeypatch):
    monkeypatch.setattr(crowd, "MOST_EACH", 2)
    monkeypatch.setattr(crowd, "MOST", 3)

    async def drive():
        leave, told = asyncio.Event(), []

        async def app(scope, receive, send):
            await leave.wait()

        async def send(message):
            told.append(message.get("status"))

        gate = CrowdGate(app)

        async def come(token):
            task = asyncio.create_task(gate(scope("websocket", "/", token), None, send))
            await asyncio.sleep(0)
            return task

        inside = [await come(TOKEN), await come(TOKEN)]
        await come(TOKEN)
        assert told == [429, None]
        inside.append(await come(OTHER))
        await come(OTHER)
        assert told == [429, None, 503, None]
        # Those without an identity are not one browser.
        monkeypatch.setattr(crowd, "MOST", 9)
        inside += [await come("none") for _ in range(3)]
        assert len(told) == 4
        # Those at one network address leave room for others, whoever they say they are.
        monkeypatch.setattr(crowd, "MOST_NEAR", 6)
        await come("none")
        assert told[4:] == [429, None]
        far = scope("websocket", "/", "none", client=("192.0.2.1", 1))
        inside.append(asyncio.create_task(gate(far, None, send)))
        await asyncio.sleep(0)
        assert len(told) == 6
        # A page has a line for its news beside its session.
        news = asyncio.create_task(gate(scope("websocket", "/news"), None, send))
        await asyncio.sleep(0)
        assert len(told) == 6
        leave.set()
        await asyncio.gather(*inside, news)
        assert not gate.open

    asyncio.run(drive())


async def read_all(receive):
    while (await receive())["more_body"]:
        pass


@pytest.mark.parametrize(
    ("limits", "pause"),
    [(Limits(pause=0.05), 60.0), (Limits(pause=60.0, whole=0.3), 0.02)],
    ids=["stands still", "takes for ever"],
)
def test_an_upload_that_is_too_slow_is_given_up(limits, pause):
    told = []

    async def app(scope, receive, send):
        with pytest.raises(HTTPException, match="upload was too slow"):
            await read_all(receive)
        told.append("given up")

    async def receive():
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": b"x", "more_body": True}

    ledger = Ledger(limits)
    ledger.give("A", "1")
    gate = UploadGate(app, ledger, lambda session: TOKEN)
    put = scope("http", "/_stcore/upload_file/A/1", method="PUT")
    asyncio.run(gate(put, receive, None))
    assert told == ["given up"]
    assert ledger.size == 0


class Line(asyncio.Transport):
    """A connection that only knows whether it was closed."""

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
def test_who_does_not_come_to_the_point_is_sent_away(monkeypatch, sent, closed):
    monkeypatch.setattr(patience, "PATIENCE", 0.2)

    async def drive():
        done = asyncio.Event()

        async def app(scope, receive, send):
            await done.wait()

        config = uvicorn.Config(app, http=patience.ImpatientProtocol, lifespan="off")
        config.load()
        protocol = patience.ImpatientProtocol(config, ServerState(), {})
        line = Line()
        line.set_protocol(protocol)
        protocol.connection_made(line)
        for piece in sent:
            protocol.data_received(piece)
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        assert line.closed == closed
        done.set()
        await asyncio.sleep(0.05)
        protocol.connection_lost(None)

    asyncio.run(drive())


def test_headers_have_a_size(server):
    host = f"Host: 127.0.0.1:{server.port}"
    assert server.ask("GET", "/healthz", host, "X-Large: " + "x" * 20_000)[0] == 200
    assert server.ask("GET", "/healthz", host, "X-Large: " + "x" * 200_000)[0] in (400, 431)


def test_messages_have_a_size(server):
    address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], proxy=None) as line:
        line.send(b"\0" * (explorer.server.WEBSOCKET_BYTES + 1))
        with pytest.raises(ConnectionClosedError) as told:
            line.recv(timeout=120)
    assert told.value.rcvd.code == 1009


def test_text_is_refused_without_a_word_in_the_log(server):
    address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], proxy=None) as line:
        line.send("text")
        with pytest.raises(ConnectionClosedError) as told:
            line.recv(timeout=120)
    assert told.value.rcvd.code == 1003
    assert "Traceback" not in server.log


def test_the_server_is_started_with_these_bounds(monkeypatch):
    started = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: started.append(self.config))
    explorer.server.serve(None)
    assert started[0].http is patience.ImpatientProtocol
    assert started[0].ws_max_size == explorer.server.WEBSOCKET_BYTES < 5_000_000
