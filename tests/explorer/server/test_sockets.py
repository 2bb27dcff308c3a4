"""Tests of sockets.py and wire.py.

Frames that no browser sends: compressed, large, tiny, never complete, or never answered.
"""

import asyncio
from contextlib import closing

import uvicorn
from uvicorn.server import ServerState

from explorer.server import sockets
from explorer.server.connection_limiter import MOST_HEADERS, MOST_VALUES, NO_CHUNKS, TOO_MANY
from explorer.server.sockets import MOST_OF_AN_ACT, PIECE, UnfinishedMessages, WebSocketProtocol
from tests import virtual_time
from tests.depth import each
from tests.explorer.server.raw import (
    BINARY,
    CONTINUED,
    DEFLATE,
    NEWS,
    PING,
    STREAM,
    TEXT,
    RawSocket,
    compressed,
    frame,
)
from tests.explorer.server.test_connection_limiter import FakeTransport


@each("path, code", [(NEWS, TEXT), (STREAM, BINARY)])
def test_nothing_is_unpacked(server, path, code):
    with closing(RawSocket(server.port, path, DEFLATE)) as opened:
        assert opened.head.startswith(b"HTTP/1.1 101")
        assert b"extensions" not in opened.head.lower()
        opened.send(compressed(code, 4_000_000) * 62)
        assert opened.close_code() == 1002


def test_a_message_on_our_connection_is_at_most_an_act(server):
    # The path may be written in another way.
    for path in (NEWS, NEWS.replace("news", "%6eews")):
        with closing(RawSocket(server.port, path)) as opened:
            opened.send(frame(TEXT, b"?" * MOST_OF_AN_ACT) + frame(TEXT, b"?"))
            opened.send(frame(TEXT, b"?" * (MOST_OF_AN_ACT + 1)))
            assert opened.close_code() == 1009


@each(
    "lines, body, why",
    [
        (["Transfer-Encoding: chunked"], b"1\r\nx\r\n" * 40_000, NO_CHUNKS),
        (["a: b"] * MOST_HEADERS, b"", TOO_MANY),
        (["Cookie: " + "a=b;" * (MOST_VALUES + 1)], b"", TOO_MANY),
    ],
    ids=lambda item: item[0][0][:30],
)
def test_requests_that_cost_more_than_they_weigh_are_refused(server, lines, body, why):
    lines = ("POST /healthz HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *lines, "", "")
    answer = server.send("\r\n".join(lines).encode() + body)
    assert answer.startswith(b"HTTP/1.1 400")
    assert why.encode() in answer


def test_an_address_has_few_parameters(server):
    host = f"Host: 127.0.0.1:{server.port}"
    address = "/healthz?" + "&".join(["a"] * MOST_VALUES)
    assert server.ask("GET", address, host)[0] == 200
    assert TOO_MANY in server.ask("GET", f"{address}&a&a", host)[2]


def test_a_body_is_never_unpacked(server):
    host = (f"Host: 127.0.0.1:{server.port}", "Content-Encoding: gzip", "Content-Length: 9")
    assert server.ask("PUT", "/_stcore/upload_file/a/b", *host)[0] == 403


class Driven:
    """A websocket without a network: what its app gets, and whether it reads."""

    def __init__(self, app, path="/_stcore/stream"):
        config = uvicorn.Config(app, ws_max_size=4 << 20, lifespan="off")
        config.load()
        self.protocol = WebSocketProtocol(config, ServerState(), {})
        self.transport = Transport()
        self.transport.set_protocol(self.protocol)
        self.protocol.connection_made(self.transport)
        key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"
        head = f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        self.send(f"{head}{key}\r\n\r\n".encode())

    def send(self, data):
        self.protocol.data_received(data)


class Transport(FakeTransport):
    reads = True

    def pause_reading(self):
        self.reads = False

    def resume_reading(self):
        self.reads = True

    def is_closing(self):
        return self.closed

    def get_extra_info(self, name, default=None):
        return default


async def listen(scope, receive, send):
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


def drive(act, app=listen):
    async def run():
        driven = Driven(app)
        await asyncio.sleep(0.01)
        driven.transport.written = b""
        await act(driven)
        driven.protocol.connection_lost(None)
        await asyncio.sleep(0.01)

    virtual_time.run(run())


@each(
    "name, data",
    [
        ("pings", frame(PING) * 40_000),
        ("messages", frame(BINARY) * 40_000),
        ("parts", frame(TEXT, b"", 0) + frame(CONTINUED, b"", 0) * 40_000),
    ],
)
def test_thousands_of_frames_leave_time_for_others(name, data):
    async def act(driven):
        counted, handle = [], driven.protocol.handle_events

        def handle_counted():
            counted.append(len(driven.protocol.conn.events))
            handle()

        driven.protocol.handle_events = handle_counted
        driven.send(data)
        assert sum(counted) <= PIECE / 6 + 1
        assert not driven.transport.reads
        await asyncio.sleep(0.3)
        # The next piece is parsed when the socket has waited for the first.
        assert len(counted) == 1

    drive(act)


def test_a_browser_never_waits():
    async def act(driven):
        for _ in range(20):
            driven.send(frame(BINARY, b"x" * 40) + frame(PING))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert driven.transport.reads

    drive(act)


def test_a_large_message_arrives_whole():
    got = []

    async def app(scope, receive, send):
        await send({"type": "websocket.accept"})
        await receive()
        for _ in range(2):
            got.append((await receive())["bytes"])

    async def act(driven):
        large = frame(BINARY, b"x" * 3_000_000)
        for place in range(0, len(large), 1_000_000):
            driven.send(large[place : place + 1_000_000])
        driven.send(frame(BINARY, b"last"))
        for _ in range(1_000):
            await asyncio.sleep(0)
        assert [len(each) for each in got] == [3_000_000, 4]
        assert driven.protocol.unfinished.total == 0

    drive(act, app)


def test_pings_are_not_answered_to_somebody_who_reads_nothing():
    async def act(driven):
        driven.send(frame(PING, b"a"))
        assert b"a" in driven.transport.written
        driven.protocol.pause_writing()
        driven.send(frame(PING, b"b") * 100)
        assert b"b" not in driven.transport.written

    drive(act)


@each(
    "cut, then", [(frame(BINARY, b"x" * 99, 0), frame(PING)), (frame(BINARY, b"x" * 99)[:50], b"x")]
)
def test_a_message_that_never_ends_is_given_up(monkeypatch, cut, then):
    monkeypatch.setattr(sockets, "MESSAGE_TIMEOUT", 0.1)
    monkeypatch.setattr(sockets, "LINGER", 0.1)

    async def act(driven):
        driven.send(cut)
        for _ in range(20):
            await asyncio.sleep(0.02)
            driven.send(then)
        assert driven.transport.closed
        assert b"took too long" in driven.transport.written

    drive(act)


def test_the_oldest_unfinished_message_makes_room(monkeypatch):
    monkeypatch.setattr(WebSocketProtocol, "unfinished", UnfinishedMessages(most=25_000))

    async def run():
        crowd = [Driven(listen) for _ in range(4)]
        await asyncio.sleep(0.01)
        for each_ in crowd:
            each_.send(frame(BINARY, b"x" * 20_000)[:8_000])
        assert [each_.protocol.close_sent for each_ in crowd] == [True, False, False, False]
        crowd.pop(1).protocol.connection_lost(None)
        assert WebSocketProtocol.unfinished.total < 20_000
        for each_ in crowd:
            each_.protocol.connection_lost(None)
        assert WebSocketProtocol.unfinished.total == 0
        await asyncio.sleep(0.01)

    asyncio.run(run())
