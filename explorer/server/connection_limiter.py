"""Limits on how many connections a process holds, and which are closed when there are more."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import h11
from h11._connection import DEFAULT_MAX_INCOMPLETE_EVENT_SIZE
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from explorer.server.guard import STREAM, refusal, refuse
from explorer.visitors import neighbourhood, read_token
from nip_core.displays import displayed

# A processor can serve a few hundred people, about a lecture hall.
MOST_PAGES = 1000
# A page has a session and a connection for changes. Browsers load files over further ones.
LINES = 2
MOST_CONNECTIONS = LINES * MOST_PAGES + 1000
# Files that the app opens itself: database, log, programs, requests to models.
OWN = 100
# Connections that are accepted at once, before the limit is checked.
BURST = 64
# Connections beyond the limit that get an answer: health checks, and 503 for all others.
SPARE = 50
# The limit per address. Several classes may share an address, and others must still get in.
NEAR_SHARE = 0.7
SCHOOL = 320


@displayed
@dataclass(frozen=True, slots=True)
class Capacity:
    """How many connections and files one process can have open."""

    files: int
    connections: int  # of all kinds
    pages: int
    near: int  # open pages of one IP address

    @classmethod
    def of(cls, files: int) -> Capacity:
        """Return the capacity that this many open files allow."""
        free = max(files - OWN - BURST - SPARE, files // 2)
        connections = min(free, MOST_CONNECTIONS)
        pages = max(1, min((connections - connections // 8) // LINES, MOST_PAGES))
        near = max(int(pages * NEAR_SHARE), min(pages, SCHOOL))
        return cls(files, connections, pages, near)

    def summary(self) -> str:
        """Return a line for the operator."""
        line = f"Up to {self.pages:,} pages can be open at a time."
        if self.pages == MOST_PAGES:
            return line
        return (
            f"{line} For more, let this process have more than {self.files:,} files open "
            "(ulimit -n, or LimitNOFILE of systemd)."
        )


# The process cannot use more open files than this.
WANTED = MOST_CONNECTIONS + OWN + BURST + SPARE


def raise_limit() -> int:
    """Raise this process's limit of open files as far as useful, and return the limit."""
    if sys.platform == "win32":
        return WANTED
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft == unlimited or soft >= WANTED:
        return WANTED
    raised = WANTED if hard == unlimited else min(hard, WANTED)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    except (OSError, ValueError):
        # Some systems have a lower limit than the one they report.
        return soft
    return raised


@cache
def capacity() -> Capacity:
    """Return the capacity of this process. The first call raises its limit of open files."""
    return Capacity.of(raise_limit())


# One person has a few tabs.
MOST_EACH = 30
# Seconds after which a page that could not be opened reloads itself.
LATER = 20

WAITING = f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Please wait</title>
<meta http-equiv="refresh" content="{LATER}">
<body style="font: 1.1rem/1.5 sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem">
<h1 style="font-size: 1.4rem">Please wait</h1><p>{{why}}</p>
<p>This page tries again every {LATER} seconds, so you can leave it open.</p></body></html>
"""
RETRY = {"retry-after": str(LATER)}


def full(text: str, status: int = 503, more: Mapping[str, str] | None = None) -> Response:
    """Return a refusal because the server is full, which says when to come back."""
    text = f"{text} Try again in {LATER} seconds.\n"
    return refusal(status, text, {**RETRY, **(more or {})})


FULL = "This server is full: as many pages are open as it can serve."
MANY = "Too many pages are open at your network address. Other people need room, too."
ENOUGH = refusal(
    429,
    f"This browser already has {MOST_EACH} pages open, the most allowed. Close some.\n",
    RETRY,
)


class ConnectionLimiter:
    """Limits the open websockets of each kind: per browser, per address and in total.

    A page whose session would be refused is not opened: people get a page that says so and reloads
    itself. A browser that has open pages may reload them, however full the server is.
    """

    def __init__(self, app: ASGIApp, capacity: Capacity, is_page: Callable[[str], bool]) -> None:
        self.app = app
        self.capacity = capacity
        self.is_page = is_page
        # By path, then by browser and address. Only the app's own paths reach this class.
        self.open: dict[str, Counter[tuple[str, str]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "websocket":
            await self._hold(scope, receive, send)
        elif (
            scope["type"] == "http"
            and self.is_page(scope["path"])
            and (refused := self._page_refused(scope))
        ):
            await refuse(refused, scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _hold(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, here = scope["path"], _who(scope)
        if refused := self._refused(path, here):
            await refuse(refused, scope, receive, send)
            return
        self.open.setdefault(path, Counter()).update(here)
        inside = True

        def leave() -> None:
            nonlocal inside
            if inside:
                inside = False
                self._release(path, here)

        # The app may still be busy after the browser has gone, for example waiting for it to come
        # back. That must not count against the browser.
        async def receive_watched() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                leave()
            return message

        async def send_watched(message: Message) -> None:
            if message["type"] == "websocket.close":
                leave()
            await send(message)

        try:
            await self.app(scope, receive_watched, send_watched)
        finally:
            leave()

    def _release(self, path: str, here: dict[tuple[str, str], int]) -> None:
        there = self.open[path]
        there.subtract(here)
        for whose in here:
            if not there[whose]:
                del there[whose]
        if not there:
            del self.open[path]

    def _refused(self, path: str, here: dict[tuple[str, str], int]) -> Response | None:
        """Return a refusal if there may be no more connections of this kind."""
        there = self.open.get(path, Counter[tuple[str, str]]())
        full_for = {
            "all": (self.capacity.pages, full(FULL)),
            "near": (self.capacity.near, full(MANY, 429)),
            "browser": (MOST_EACH, ENOUGH),
        }
        for whose in here:
            most, refused = full_for[whose[0]]
            if there[whose] >= most:
                return refused
        return None

    def _page_refused(self, scope: Scope) -> Response | None:
        """Return a refusal, worded for people, if a page cannot be opened now."""
        here = _who(scope)
        there = self.open.get(STREAM, Counter[tuple[str, str]]())
        if any(there[whose] for whose in here if whose[0] == "browser"):
            # A page that is reloaded ends its old session only after the new one has begun.
            return None
        refused = self._refused(STREAM, here)
        if refused is None:
            return None
        why = FULL if refused.status_code == 503 else MANY
        headers = {**RETRY, "cache-control": "no-store"}
        return HTMLResponse(WAITING.format(why=why), refused.status_code, headers)


def _who(scope: Scope) -> dict[tuple[str, str], int]:
    """Return the keys under which a request is counted."""
    token = read_token(Headers(scope=scope).getlist("cookie"))
    near = neighbourhood((scope.get("client") or ("", 0))[0])
    here = {("all", ""): 1, ("near", near): 1}
    return {**here, ("browser", token): 1} if token else here


# Seconds from the first byte of a request to the end of its headers, and from an early answer to
# the end of the request's body. Both take a few on a slow network.
HEADER_TIMEOUT = 20.0
# Seconds after which a slow request (a large upload, a slow reader) may be closed to make room for
# others.
LONG = 60.0
HEALTH = "/healthz"
CLOSE = {"connection": "close"}
BUSY = full("This server has too many connections now.", more=CLOSE)


async def turn_away(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a request because the server is full; only health checks are answered."""
    if scope["path"] == HEALTH:
        await JSONResponse({"status": "ok", "full": True}, headers=CLOSE)(scope, receive, send)
    else:
        await refuse(BUSY, scope, receive, send)


# A body in chunks can consist of tens of thousands of them in one read, and a few bytes of headers
# can stand for many times their size in memory. Browsers and proxies send neither.
MOST_HEADERS, MOST_VALUES = 200, 200
NO_CHUNKS = "Send the length of the body (Content-Length), not chunks."
TOO_MANY = "There are too many headers, cookies or parameters in the address."


class CheapRequests(h11.Connection):
    """Refuses requests that would take far more time or memory than their size suggests."""

    refused: str | None = None

    def next_event(self) -> Any:
        """Return what comes next of a request."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self.refused = _why_refused(event)
            if self.refused is not None:
                raise h11.RemoteProtocolError(self.refused)
        return event


def _why_refused(request: h11.Request) -> str | None:
    values = request.target.count(b"&")
    for name, value in request.headers:
        if name == b"transfer-encoding":
            return NO_CHUNKS
        if name in (b"cookie", b"x-forwarded-for"):
            values += value.count(b";") + value.count(b",")
    return TOO_MANY if len(request.headers) > MOST_HEADERS or values > MOST_VALUES else None


class HeaderTimeoutProtocol(H11Protocol):
    """Uvicorn's HTTP protocol with a timeout for headers and a limit on connections.

    While a request is being answered, the app itself limits how long it waits for the body. When
    the process has as many connections as it can hold, the one that has been idle longest is
    closed.
    """

    _alarm: asyncio.TimerHandle | None = None
    _since = 0.0

    def __init__(self, config: Config, *arguments: Any, **more: Any) -> None:
        super().__init__(config, *arguments, **more)
        most = config.h11_max_incomplete_event_size or DEFAULT_MAX_INCOMPLETE_EVENT_SIZE
        self.conn = CheapRequests(h11.SERVER, most)

    def send_400_response(self, msg: str) -> None:
        """Refuse an invalid request, and say why."""
        super().send_400_response(f"{self.conn.refused or msg}\n")

    def connection_made(self, transport: Any) -> None:
        """Start the timeout of a new connection."""
        super().connection_made(transport)
        self._since = self.loop.time()
        at_most = capacity()
        if len(self.connections) > at_most.connections:
            self._come_in_last(at_most)
        self._listen()

    def data_received(self, data: bytes) -> None:
        """Receive data, and restart the timeout if a request is complete."""
        super().data_received(data)
        self._listen()

    def on_response_complete(self) -> None:
        """Wait for the next request after an answer."""
        self._since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        self._silence()
        super().connection_lost(exc)

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _come_in_last(self, at_most: Capacity) -> None:
        """Accept a connection beyond the limit: close an idle one, or refuse this one."""
        here = [
            connection for connection in self.connections if not connection.transport.is_closing()
        ]
        if len(here) <= at_most.connections:
            return
        others = [
            connection
            for connection in here
            if isinstance(connection, HeaderTimeoutProtocol) and connection is not self
        ]
        idle = [other for other in others if other._idle]
        long = [other for other in others if self.loop.time() - other._since > LONG]
        if leaves := min(idle or long, key=lambda connection: connection._since, default=None):
            leaves.transport.abort()
        elif len(here) <= at_most.connections + SPARE:
            self.app = turn_away
        else:
            # There is no capacity even to read the request.
            self.transport.write(
                b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n"
                b"retry-after: %b\r\ncontent-length: %d\r\n\r\n%b"
                % (BUSY.headers["retry-after"].encode(), len(BUSY.body), bytes(BUSY.body))
            )
            self.transport.close()

    def _listen(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._silence()
        elif self._alarm is None:
            self._alarm = self.loop.call_later(HEADER_TIMEOUT, self._give_up)

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _give_up(self) -> None:
        self._alarm = None
        # A websocket has its own protocol and its own pings.
        if self.transport.get_protocol() is self:
            self.transport.close()
