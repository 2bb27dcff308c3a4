"""Connections that take for ever are closed, and so are idle ones when others need the room."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from explorer.serving.capacity import SPARE, Capacity, capacity
from explorer.serving.crowd import full
from explorer.serving.guard import refuse

__all__ = ["HEALTH", "ImpatientProtocol"]

# Seconds from a request's first byte to the end of its headers, and from an answer that did not
# wait for a request's body to the end of that body. On a slow line both take a few.
PATIENCE = 20.0
# Seconds after which a request that is still being answered makes room for others, if there is
# none: whoever reads slowly, or sends a large file.
LONG = 60.0
HEALTH = "/healthz"
CLOSE = {"connection": "close"}
BUSY = full("This server has too many connections now.", more=CLOSE)


async def turn_away(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer while there is no room: the process is there, and everything else has to wait."""
    if scope["path"] == HEALTH:
        await JSONResponse({"status": "ok", "full": True}, headers=CLOSE)(scope, receive, send)
    else:
        await refuse(BUSY, scope, send)


class ImpatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, for those who come to the point.

    While a request is answered the app itself says how long it waits for the body. When there are
    as many connections as the process can have, the one that has been idle longest makes room.
    """

    _alarm: asyncio.TimerHandle | None = None
    _since = 0.0

    def connection_made(self, transport: Any) -> None:
        """Somebody has come: they have to say something soon."""
        super().connection_made(transport)
        self._since = self.loop.time()
        at_most = capacity()
        if len(self.connections) > at_most.connections:
            self._come_in_last(at_most)
        self._listen()

    def data_received(self, data: bytes) -> None:
        """They have said something: was that a whole request?"""
        super().data_received(data)
        self._listen()

    def on_response_complete(self) -> None:
        """They have their answer, and may ask for more."""
        self._since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """They have gone."""
        self._silence()
        super().connection_lost(exc)

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _come_in_last(self, at_most: Capacity) -> None:
        """Come in although there is no room: in the place of somebody else, or to be told so."""
        here = [each for each in self.connections if not each.transport.is_closing()]
        if len(here) <= at_most.connections:
            return
        others = [each for each in here if isinstance(each, ImpatientProtocol) and each is not self]
        idle = [each for each in others if each._idle]
        long = [each for each in others if self.loop.time() - each._since > LONG]
        if leaves := min(idle or long, key=lambda each: each._since, default=None):
            leaves.transport.abort()
        elif len(here) <= at_most.connections + SPARE:
            self.app = turn_away
        else:
            # There is not even room to hear what they want.
            self.transport.write(
                b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n"
                b"retry-after: %b\r\ncontent-length: %d\r\n\r\n%b"
                % (BUSY.headers["retry-after"].encode(), len(BUSY.text), BUSY.text.encode())
            )
            self.transport.close()

    def _listen(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._silence()
        elif self._alarm is None:
            self._alarm = self.loop.call_later(PATIENCE, self._give_up)

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _give_up(self) -> None:
        self._alarm = None
        # A websocket has a protocol of its own, and its own pings.
        if self.transport.get_protocol() is self:
            self.transport.close()
