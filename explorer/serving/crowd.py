"""How many websockets there may be."""

from __future__ import annotations

from collections import Counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from explorer.serving.addresses import neighbourhood
from explorer.serving.guard import Refusal, refuse
from explorer.serving.identity import read_token

__all__ = ["CrowdGate"]

# A person has a few tabs; a lecture hall has a few hundred people. A page has one of each kind.
MOST_EACH = 30
# Who makes up browsers, or comes without being one, leaves room for people elsewhere.
MOST_NEAR = 600
MOST = 1000

FULL = Refusal(503, "This server is full. Try again later.\n", {})
ENOUGH = Refusal(
    429, f"This browser already has {MOST_EACH} pages open, the most allowed. Close some.\n", {}
)
MANY = Refusal(
    429, "Too many pages are open at your network address. Close some, or try again later.\n", {}
)


class CrowdGate:
    """Counts the websockets of each kind that are open, for each browser, address and in all.

    Parameters
    ----------
    app : ASGIApp
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        # By the path, then by the browser and the address. Other paths than our own do not come
        # here.
        self.open: dict[str, Counter[tuple[str, str]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        token = read_token(Headers(scope=scope).getlist("cookie"))
        near = neighbourhood((scope.get("client") or ("", 0))[0])
        here = [("all", ""), ("near", near), *([("browser", token)] if token else [])]
        there = self.open.setdefault(scope["path"], Counter())
        full = {"all": (MOST, FULL), "near": (MOST_NEAR, MANY), "browser": (MOST_EACH, ENOUGH)}
        for whose in here:
            most, refusal = full[whose[0]]
            if there[whose] >= most:
                await refuse(refusal, scope, send)
                return
        there.update(here)
        try:
            await self.app(scope, receive, send)
        finally:
            there.subtract(here)
            for whose in here:
                if not there[whose]:
                    del there[whose]
            if not there:
                self.open.pop(scope["path"], None)
