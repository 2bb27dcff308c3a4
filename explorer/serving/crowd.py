"""How many sessions there may be, and in which words they speak."""

from __future__ import annotations

from collections import Counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.serving.guard import Refusal, refuse
from explorer.serving.identity import read_token

__all__ = ["CrowdGate"]

# A person has a few tabs; a lecture hall has a few hundred people.
MOST_EACH = 30
MOST = 1000
UNSUPPORTED = 1003

FULL = Refusal(503, "This server is full. Try again later.\n", {})
ENOUGH = Refusal(
    429, f"This browser already has {MOST_EACH} pages open, the most allowed. Close some.\n", {}
)


class CrowdGate:
    """Counts the websockets that are open, for each browser and in all, and lets in no text.

    Streamlit speaks in bytes, and answers text with a page of its own code in the log.

    Parameters
    ----------
    app : ASGIApp
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.open: Counter[str | None] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        token = read_token(Headers(scope=scope).getlist("cookie"))
        if self.open.total() >= MOST:
            await refuse(FULL, scope, send)
            return
        if token is not None and self.open[token] >= MOST_EACH:
            await refuse(ENOUGH, scope, send)
            return

        async def receive_bytes() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and message.get("bytes") is None:
                await send({"type": "websocket.close", "code": UNSUPPORTED})
                return {"type": "websocket.disconnect", "code": UNSUPPORTED}
            return message

        self.open[token] += 1
        try:
            await self.app(scope, receive_bytes, send)
        finally:
            self.open[token] -= 1
            if not self.open[token]:
                del self.open[token]
