"""A connection that takes for ever to say what it wants is closed."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["ImpatientProtocol"]

# Seconds from a request's first byte to the end of its headers, and from an answer that did not
# wait for a request's body to the end of that body. On a slow line both take a few.
PATIENCE = 20.0


class ImpatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, for those who come to the point.

    While a request is answered the app itself says how long it waits for the body.
    """

    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Somebody has come: they have to say something soon."""
        super().connection_made(transport)
        self._listen()

    def data_received(self, data: bytes) -> None:
        """They have said something: was that a whole request?"""
        super().data_received(data)
        self._listen()

    def connection_lost(self, exc: Exception | None) -> None:
        """They have gone."""
        self._silence()
        super().connection_lost(exc)

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
