"""Uvicorn's websocket protocol with limits on what one socket can make the server do.

Nothing is compressed: a few bytes would stand for megabytes, and all that arrives in one read is
unpacked before the app sees any of it. A read can also contain tens of thousands of frames. So it
is parsed in pieces, and others are served in between.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request

from explorer.server.connection import ACT
from explorer.server.windows import FEED

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveEvent

# The largest message on our own connection in bytes. A character has at most four.
MOST_OF_AN_ACT = 4 * ACT.size
# Seconds in which a browser whose message was refused can read why.
LINGER = 1.0
# Bytes that are parsed before others are served: at most about a thousand frames.
PIECE = 8 << 10
# Frames that a socket may send at once, and then per second. Browsers send a few.
BURST_OF_FRAMES, FRAMES_PER_SECOND = 500, 100
# Seconds from the first byte of a message to its last.
MESSAGE_TIMEOUT = 60.0
# Bytes of incomplete messages, of all sockets together.
MOST_UNFINISHED = 64 << 20
# Close codes: a rule was broken; try again later.
POLICY, TRY_LATER = 1008, 1013


class UnfinishedMessages:
    """Counts the bytes of incomplete messages; if there are too many, the oldest is given up."""

    def __init__(self, most: int = MOST_UNFINISHED) -> None:
        self.most = most
        self.total = 0
        # The one that began first in front.
        self._sizes: dict[WebSocketProtocol, int] = {}

    def note(self, socket: WebSocketProtocol, size: int) -> None:
        """Record how many bytes of an incomplete message a socket holds; 0 if it has none."""
        self.total += size - self._sizes.get(socket, 0)
        if size:
            self._sizes[socket] = size
        else:
            self._sizes.pop(socket, None)
        while self.total > self.most:
            oldest = next(iter(self._sizes))
            oldest.give_up(TRY_LATER, "The server has no room for this message now.")


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """A websocket that cannot occupy the server: see the top of this file.

    A message may be as large as Uvicorn's setting says; on our own connection, as an act.
    """

    unfinished = UnfinishedMessages()

    def __init__(self, config: Config, *arguments: Any, **more: Any) -> None:
        super().__init__(config, *arguments, **more)
        self._rest = b""
        self._refused = False
        self._next_piece: asyncio.TimerHandle | None = None
        self._frames_left, self._counted = float(BURST_OF_FRAMES), self.loop.time()
        self._message_timer: asyncio.TimerHandle | None = None

    # -- what arrives --------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Receive data, and parse as much of it as may be parsed now."""
        if self._refused:
            return
        self._rest += data
        self._go_on()

    async def receive(self) -> Any:
        """Return the next event for the app; when it has taken all, more is parsed."""
        event = await self.queue.get()
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self._go_on()
        return event

    async def send(self, message: Any) -> None:
        """Send an event of the app; after a close, what is left of a read is parsed at once."""
        await super().send(message)
        if message["type"] == "websocket.close":
            self._go_on()

    def _go_on(self) -> None:
        if self._refused or self.transport.is_closing():
            self._rest = b""
        if self._rest and not self.read_paused and self._next_piece is None:
            piece, self._rest = self._rest[:PIECE], self._rest[PIECE:]
            super().data_received(piece)
            self._note_unfinished()
            if wait := self._seconds_over():
                self._next_piece = self.loop.call_later(wait, self._parse_next)
            elif self._rest:
                self._next_piece = self.loop.call_later(0, self._parse_next)
        if self._rest or self.read_paused or self._next_piece is not None:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def _parse_next(self) -> None:
        self._next_piece = None
        self._go_on()

    def _seconds_over(self) -> float:
        """Return for how many seconds a socket that sends many frames has to wait."""
        now = self.loop.time()
        earned = (now - self._counted) * FRAMES_PER_SECOND
        self._frames_left = min(self._frames_left + earned, BURST_OF_FRAMES)
        self._counted = now
        return max(0.0, -self._frames_left / FRAMES_PER_SECOND)

    def handle_events(self) -> None:
        """Handle the frames of a piece, and count them."""
        self._frames_left -= sum(isinstance(event, Frame) for event in self.conn.events)
        super().handle_events()

    def handle_connect(self, event: Request) -> None:
        """Accept the handshake, with the largest message that its path takes."""
        if unquote(event.path.partition("?")[0]) == FEED:
            self.conn.max_message_size = MOST_OF_AN_ACT
        super().handle_connect(event)

    def handle_ping(self) -> None:
        """Answer a ping, unless the other end does not read its answers."""
        answer = self.conn.data_to_send()
        if self.writable.is_set():
            self.transport.write(b"".join(answer))

    # -- incomplete messages -------------------------------------------------------------------

    def send_receive_event_to_app(self) -> None:
        """Pass on a message, which is complete."""
        self._stop_message_timer()
        super().send_receive_event_to_app()

    def _note_unfinished(self) -> None:
        size = len(self.conn.reader.buffer) + (self.conn.current_size or 0)
        if self._refused or self.transport.is_closing():
            size = 0
        self.unfinished.note(self, size)
        if not size:
            self._stop_message_timer()
        elif self._message_timer is None and self.handshake_complete:
            self._message_timer = self.loop.call_later(MESSAGE_TIMEOUT, self._take_too_long)

    def _take_too_long(self) -> None:
        self._message_timer = None
        self.give_up(POLICY, "This message took too long.")

    def _stop_message_timer(self) -> None:
        if self._message_timer is not None:
            self._message_timer.cancel()
            self._message_timer = None

    def give_up(self, code: int, reason: str) -> None:
        """Close the connection, with what it has sent of a message."""
        self.unfinished.note(self, 0)
        if self.close_sent or self.transport.is_closing():
            return
        self.conn.fail(code, reason)
        self.handle_parser_exception()

    def handle_parser_exception(self) -> None:
        """Close the connection after what it sent was refused, so that the browser gets the reason.

        Closed at once, with more of it unread, the system would reset the connection.
        """
        sent = self.conn.close_sent
        assert sent is not None
        event = {"type": "websocket.disconnect", "code": sent.code, "reason": sent.reason}
        self.queue.put_nowait(cast("ASGIReceiveEvent", event))
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = self._refused = True
        self.close_timer = self.loop.call_later(LINGER, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what the connection had sent."""
        self._rest = b""
        self.unfinished.note(self, 0)
        self._stop_message_timer()
        if self._next_piece is not None:
            self._next_piece.cancel()
        super().connection_lost(exc)
