"""How many websockets there may be."""

from __future__ import annotations

from collections import Counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from explorer.serving.guard import Refusal, refuse
from explorer.serving.identity import read_token

__all__ = ["CrowdGate"]

# A person has a few tabs; a lecture hall has a few hundred people. A page has one of each kind.
MOST_EACH = 30
MOST = 1000

FULL = Refusal(503, "This server is full. Try again later.\n", {})
ENOUGH = Refusal(
    429, f"This browser already has {MOST_EACH} pages open, the most allowed. Close some.\n", {}
)


class CrowdGate:
    """Counts the websockets of each kind that are open, for each browser and in all.

    Parameters
    ----------
    app : ASGIApp
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        # By the path, then by the browser. Other paths than our own do not come here.
        self.open: dict[str, Counter[str | None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        token = read_token(Headers(scope=scope).getlist("cookie"))
        there = self.open.setdefault(scope["path"], Counter())
        if there.total() >= MOST:
            await refuse(FULL, scope, send)
            return
        if token is not None and there[token] >= MOST_EACH:
            await refuse(ENOUGH, scope, send)
            return
        there[token] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            there[token] -= 1
            if not there[token]:
                del there[token]
            if not there:
                self.open.pop(scope["path"], None)
