"""HTTP requests to a service, with limits on headers, addresses and answers.

Connections are kept for a while and shared by all requests to the same machine. Keys belong to
requests, never to connections. Everything here runs on the network's thread.
"""

from __future__ import annotations

import asyncio
import functools
import ssl
import time
import urllib.request
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import httpx2

from explorer.players.models.keys import public_address
from explorer.players.models.replies import HTTPAnswer, HTTPRequest

# Seconds after which an unused connection is closed.
IDLE = 30.0
# A failure within this many seconds means that the server had closed the idle connection.
STALE = 1.0


@asynccontextmanager
async def answer_to(asked: HTTPRequest) -> AsyncGenerator[HTTPAnswer]:
    """Send a request with exactly these headers, and read the answer while the context is open.

    Leaving the context early, or cancelling it, closes the connection at once. For a public
    machine, the name is resolved here for every request, and the connection uses the address that
    was checked.
    """
    url = httpx2.URL(asked.address)
    headers = {
        "host": url.netloc.decode("ascii"),
        # A small compressed body may unpack to a huge one.
        "accept-encoding": "identity",
        "user-agent": "nip-explorer",
        **asked.headers,
    }
    limits = httpx2.Timeout(asked.timeout)
    extensions: dict[str, object] = {"timeout": limits.as_dict()}
    number = None
    if asked.public_only:
        port = url.port or (443 if url.scheme == "https" else 80)
        number = await asyncio.to_thread(public_address, url.host, port)
        extensions["sni_hostname"] = url.host
    way = _Way(url.scheme, url.host, url.port, number, None if asked.public_only else _proxy(url))
    request = httpx2.Request(
        asked.method,
        url if number is None else url.copy_with(host=number),
        headers=headers,
        content=asked.body,
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
    return httpx2.create_ssl_context()


def _proxy(url: httpx2.URL) -> str | None:
    """Return the proxy that the machine's own settings name for an address."""
    loopback = url.host in ("localhost", "127.0.0.1", "::1")
    if loopback or urllib.request.proxy_bypass(url.host):
        return None
    return urllib.request.getproxies().get(url.scheme)
