"""HTTP to a service: headers and addresses that are allowed, and limits on answers.

Connections are kept for a while and used again, by all who ask the same machine in the same way. A
key is put into a request, never into a connection. All of it happens on the network's thread.
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

from explorer.players.models.keys import Secret, public_address
from explorer.players.models.replies import HTTPAnswer

# Seconds after which a connection that nobody uses is closed.
IDLE = 30.0
# A connection that the server has closed while nobody used it fails as soon as it is used; seconds.
STALE = 1.0


@asynccontextmanager
async def answer_to(
    method: str,
    address: str,
    *,
    key: Secret | None,
    timeout: float,
    public_only: bool,
    body: bytes = b"",
) -> AsyncGenerator[HTTPAnswer]:
    """Send a request with these headers and no others, and listen as long as the context is open.

    A context that is left early, or cancelled, closes the connection at once.

    Parameters
    ----------
    timeout : float
        Seconds of silence.
    public_only : bool
        Connect to machines in the public internet only. The name is resolved here, for every
        request, and the connection goes to the number that was looked at.
    body : bytes
        JSON.
    """
    url = httpx2.URL(address)
    headers = {
        "host": url.netloc.decode("ascii"),
        "accept": "application/json, text/event-stream",
        # A small body may unpack to a large one.
        "accept-encoding": "identity",
        "user-agent": "nip-explorer",
    }
    if body:
        headers["content-type"] = "application/json"
    if key is not None:
        headers["authorization"] = f"Bearer {key.reveal()}"
    limits = httpx2.Timeout(timeout)
    extensions: dict[str, object] = {"timeout": limits.as_dict()}
    number = None
    if public_only:
        port = url.port or (443 if url.scheme == "https" else 80)
        number = await asyncio.to_thread(public_address, url.host, port)
        extensions["sni_hostname"] = url.host
    way = _Way(url.scheme, url.host, url.port, number, None if public_only else _proxy(url))
    request = httpx2.Request(
        method,
        url if number is None else url.copy_with(host=number),
        headers=headers,
        content=body,
        extensions=extensions,
    )
    async with _kept(way) as kept:
        begun, fresh = time.monotonic(), not kept.served
        try:
            response = await kept.transport.handle_async_request(request)
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            if fresh or time.monotonic() - begun > STALE:
                raise
            # The server has not seen it: once more, over a connection of its own.
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
    """Who may share a connection: those who reach the same name at the same number.

    Many names share a number, and a certificate was looked at for one of them. A name that points
    elsewhere now is another way.
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
        """Use none of the connections again; those in use go on."""
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
    """Return whose certificates we believe; reading them takes longer than a short request."""
    return httpx2.create_ssl_context()


def _proxy(url: httpx2.URL) -> str | None:
    """Return the proxy that the machine's own settings name for an address."""
    loopback = url.host in ("localhost", "127.0.0.1", "::1")
    if loopback or urllib.request.proxy_bypass(url.host):
        return None
    return urllib.request.getproxies().get(url.scheme)
