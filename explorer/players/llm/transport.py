"""The way to a service and back: what leaves, where to, and how much comes back."""

from __future__ import annotations

import functools
import ssl
import threading
import urllib.request
from collections.abc import Iterable, Iterator
from typing import cast

import httpx2

from explorer.players.llm.keys import Secret
from explorer.players.llm.policy import public_address

__all__ = ["MAX_BYTES", "GuardedTransport", "StoppedError", "TooMuchError"]

# An answer as it comes over the wire, with some hundred bytes around each token.
MAX_BYTES = 8 * 2**20
MAX_ERROR_BYTES = 64 * 2**10

# The SDK adds more (what runs here; organisations and headers from the environment), which is
# nobody's business at an address that a visitor has typed.
SENT = ("host", "content-type", "content-length", "accept", "user-agent")


class TooMuchError(Exception):
    """The answer does not end."""


class StoppedError(Exception):
    """Nobody waits for the answer any more."""


class GuardedTransport(httpx2.BaseTransport):
    """HTTP with a leash.

    Parameters
    ----------
    key : Secret, optional
    stop : threading.Event
        Ends the reading once set.
    public_only : bool
        Connect to machines in the public internet only. The name is resolved here, once, and the
        connection goes to the number that was looked at.
    """

    def __init__(self, key: Secret | None, stop: threading.Event, *, public_only: bool) -> None:
        self._key = key
        self._stop = stop
        self._public_only = public_only
        self._inner: httpx2.HTTPTransport | None = None

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, with these headers and no others."""
        headers = {name: request.headers[name] for name in SENT if name in request.headers}
        headers["accept-encoding"] = "identity"
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key.reveal()}"
        url, extensions = request.url, dict(request.extensions)
        if self._public_only:
            number = public_address(url.host, url.port or (443 if url.scheme == "https" else 80))
            extensions["sni_hostname"] = url.host
            url = url.copy_with(host=number)
        proxy = None if self._public_only else _proxy(request.url)
        self._inner = httpx2.HTTPTransport(verify=_trusted(), proxy=proxy)
        response = self._inner.handle_request(
            httpx2.Request(
                request.method,
                url,
                headers=headers,
                stream=request.stream,
                extensions=extensions,
            )
        )
        # A small body may unpack to a large one; we have asked for none that is packed.
        response.headers.pop("content-encoding", None)
        body = _Leashed(response, self._stop)
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=body,
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Let go of the connection."""
        if self._inner is not None:
            self._inner.close()


class _Leashed(httpx2.SyncByteStream):
    """The body of a response, as long as somebody waits for it and it is not too long."""

    def __init__(self, response: httpx2.Response, stop: threading.Event) -> None:
        self._response = response
        self._stop = stop

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in cast("Iterable[bytes]", self._response.stream):
            size += len(part)
            if self._stop.is_set():
                raise StoppedError
            if self._response.is_error and size > MAX_ERROR_BYTES:
                return
            if size > MAX_BYTES:
                raise TooMuchError
            yield part

    def close(self) -> None:
        self._response.close()


@functools.cache
def _trusted() -> ssl.SSLContext:
    """Whose certificates we believe; reading them takes longer than a short request."""
    return httpx2.create_ssl_context()


def _proxy(url: httpx2.URL) -> str | None:
    """The proxy that the machine's own settings name for an address."""
    loopback = url.host in ("localhost", "127.0.0.1", "::1")
    if loopback or urllib.request.proxy_bypass(url.host):
        return None
    return urllib.request.getproxies().get(url.scheme)
