"""HTTP requests to a service, with limits on headers, addresses and answers.

Connections are kept for a while and shared by all requests to the same machine. Keys belong to
requests, never to connections. In a browser, another transport sends the requests, and the HTTP
library, which does not exist there, is never imported.
"""

from __future__ import annotations

import asyncio
import functools
import ssl
import threading
import time
import urllib.request
import zlib
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Coroutine,
    Mapping,
)
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from explorer.players.models.limits import Secret, public_address
from nip_core.displays import displayed
from nip_core.documents import Limits, parse_json
from nip_core.errors import NipError

if TYPE_CHECKING:
    import httpx2

# The most bytes of an answer on the wire; each token takes some hundred.
MAX_BYTES = 8 * 2**20
MAX_ERROR_BYTES = 64 * 2**10
PACKED = ("gzip", "x-gzip", "deflate")
BODY = Limits(size=MAX_BYTES, values=200_000)


class AnswerTooLargeError(Exception):
    """The answer is longer than any that we accept."""


@displayed
@dataclass(frozen=True, slots=True)
class HTTPRequest:
    """A request to a service, as it is sent."""

    method: str
    address: str
    key: Secret | None
    timeout: float  # seconds of silence
    public_only: bool  # whether the service must be in the public internet
    body: bytes = b""  # JSON

    @property
    def headers(self) -> dict[str, str]:
        """The headers that every transport sends."""
        headers = {"accept": "application/json, text/event-stream"}
        if self.body:
            headers["content-type"] = "application/json"
        if self.key is not None:
            headers["authorization"] = f"Bearer {self.key.reveal()}"
        return headers


@displayed
@dataclass(frozen=True, slots=True)
class HTTPAnswer:
    """A service's response, as it arrives."""

    status: int
    headers: Mapping[str, str]
    _body: AsyncIterable[bytes]

    async def parts(self) -> AsyncIterator[bytes]:
        """Yield the body; only the beginning, if it reports an error."""
        size = 0
        packed = self.headers.get("content-encoding", "").strip().lower() in PACKED
        unpack = zlib.decompressobj(47) if packed else None
        async for part in self._body:
            if unpack is not None:
                # We request no compression, and a small compressed body may unpack to a huge one.
                part = unpack.decompress(part, MAX_BYTES + 1 - size)
            size += len(part)
            if self.status >= 300 and size > MAX_ERROR_BYTES:
                return
            if size > MAX_BYTES:
                raise AnswerTooLargeError
            yield part

    async def whole(self) -> bytes:
        """Return all parts in one."""
        return b"".join([part async for part in self.parts()])


# Sends a request, and returns a context in which the answer is read.
Transport = Callable[[HTTPRequest], AbstractAsyncContextManager[HTTPAnswer]]


def read_json(body: bytes) -> Any:
    """Parse a JSON text; invalid bytes are replaced."""
    return parse_json(body.decode("utf-8-sig", "replace"), BODY, NipError)


def shows_a_page(body: bytes, kind: str = "") -> bool:
    """Return whether a response is a web page."""
    head = body[:500].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "html" in kind.lower() or head.startswith((b"<!doctype", b"<html", b"<head", b"<body"))


# -- the network's thread -----------------------------------------------------------------------

# Resolving a name takes a thread; a slow one must not hold up the others.
LOOKUPS = 64

T = TypeVar("T")

_lock = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []


def on_network(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Start work on the network's thread, and return its future, which cancels it."""
    return asyncio.run_coroutine_threadsafe(work, _loop())


def _loop() -> asyncio.AbstractEventLoop:
    with _lock:
        if not _loops:
            loop = asyncio.new_event_loop()
            loop.set_default_executor(ThreadPoolExecutor(LOOKUPS, "llm-lookup"))
            threading.Thread(target=loop.run_forever, name="llm", daemon=True).start()
            _loops.append(loop)
        return _loops[0]


# -- our own transport --------------------------------------------------------------------------

# Seconds after which an unused connection is closed.
IDLE = 30.0
# A failure within this many seconds means that the server had closed the idle connection.
STALE = 1.0


@asynccontextmanager
async def answer_to(message: HTTPRequest) -> AsyncGenerator[HTTPAnswer]:
    """Send a request with exactly these headers, and read the answer while the context is open.

    Leaving the context early, or cancelling it, closes the connection at once. For a public
    machine, the name is resolved here for every request, and the connection uses the address that
    was checked.
    """
    import httpx2

    url = httpx2.URL(message.address)
    headers = {
        "host": url.netloc.decode("ascii"),
        # A small compressed body may unpack to a huge one.
        "accept-encoding": "identity",
        "user-agent": "nip-explorer",
        **message.headers,
    }
    limits = httpx2.Timeout(message.timeout)
    extensions: dict[str, object] = {"timeout": limits.as_dict()}
    number = None
    if message.public_only:
        port = url.port or (443 if url.scheme == "https" else 80)
        number = await asyncio.to_thread(public_address, url.host, port)
        extensions["sni_hostname"] = url.host
    way = _Way(url.scheme, url.host, url.port, number, None if message.public_only else _proxy(url))
    request = httpx2.Request(
        message.method,
        url if number is None else url.copy_with(host=number),
        headers=headers,
        content=message.body,
        extensions=extensions,
    )
    async with _kept(way) as kept:
        begun, fresh = time.monotonic(), not kept.served
        try:
            response = await kept.transport.handle_async_request(request)
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            if fresh or time.monotonic() - begun > STALE:
                raise
            # The server has not received the request, so it is sent again over a new connection.
            kept.renew()
            response = await kept.transport.handle_async_request(request)
        kept.served = True
        try:
            stream = cast("AsyncIterable[bytes]", response.stream)
            yield HTTPAnswer(response.status_code, response.headers, stream)
        finally:
            await response.aclose()


# -- connections that are kept ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Way:
    """What requests must have in common to share a connection: the host's name and IP address.

    Many names share an address, but the certificate was checked for one of them. When a name
    points to a new address, its old connections are not used.
    """

    scheme: str
    host: str
    port: int | None
    number: str | None
    proxy: str | None


class _Kept:
    def __init__(self, way: _Way) -> None:
        self.way = way
        self.transport = _transport(way)
        self.served = False
        self.old: list[httpx2.AsyncHTTPTransport] = []
        self.users = 0
        self.timer: asyncio.TimerHandle | None = None

    def renew(self) -> None:
        """Stop reusing the present connections; requests that are running continue."""
        self.old.append(self.transport)
        self.transport, self.served = _transport(self.way), False


def _transport(way: _Way) -> httpx2.AsyncHTTPTransport:
    import httpx2

    return httpx2.AsyncHTTPTransport(
        verify=_trusted(),
        proxy=way.proxy,
        limits=httpx2.Limits(
            max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE
        ),
    )


_ways: dict[_Way, _Kept] = {}


@asynccontextmanager
async def _kept(way: _Way) -> AsyncGenerator[_Kept]:
    kept = _ways.get(way)
    if kept is None:
        kept = _ways[way] = _Kept(way)
    if kept.timer is not None:
        kept.timer.cancel()
    kept.users += 1
    try:
        yield kept
    finally:
        kept.users -= 1
        if not kept.users:
            loop = asyncio.get_running_loop()
            kept.timer = loop.call_later(IDLE, lambda: loop.create_task(_let_go(way, kept)))


async def _let_go(way: _Way, kept: _Kept) -> None:
    if not kept.users and _ways.get(way) is kept:
        del _ways[way]
        for transport in (kept.transport, *kept.old):
            await transport.aclose()


@functools.cache
def _trusted() -> ssl.SSLContext:
    """Return the trusted certificates; reading them takes longer than a short request."""
    import httpx2

    return httpx2.create_ssl_context()


def _proxy(url: httpx2.URL) -> str | None:
    """Return the proxy that the machine's own settings name for an address."""
    loopback = url.host in ("localhost", "127.0.0.1", "::1")
    if loopback or urllib.request.proxy_bypass(url.host):
        return None
    return urllib.request.getproxies().get(url.scheme)
