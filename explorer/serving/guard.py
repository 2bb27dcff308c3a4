"""The middleware that every request passes first."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.serving.identity import (
    COOKIE,
    cookie_line,
    new_token,
    read_token,
    without_token,
)

__all__ = ["Guard"]


class Guard:
    """Knows browsers again.

    Parameters
    ----------
    app : ASGIApp
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        sent = Headers(scope=scope).getlist("cookie")
        known = read_token(sent)
        token = known or new_token()
        line = cookie_line(token, secure=scope["scheme"] in ("https", "wss"))

        async def send_with_identity(message: Message) -> None:
            if known is None and gives_identity(message):
                MutableHeaders(scope=message).append("set-cookie", line)
            await send(message)

        await self.app(with_token(scope, sent, token), receive, send_with_identity)


def gives_identity(message: Message) -> bool:
    """Is it an answer after which a browser opens a session: a page, or the session itself?"""
    if message["type"] == "websocket.accept":
        return True
    if message["type"] != "http.response.start":
        return False
    return Headers(scope=message).get("content-type", "").startswith("text/html")


def with_token(scope: Scope, sent: list[str], token: str) -> Scope:
    """The request with this token and no other one, so that all that follows can rely on it."""
    cookies = "; ".join([*without_token(sent), f"{COOKIE}={token}"])
    others = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
    return {**scope, "headers": [*others, (b"cookie", cookies.encode("latin-1"))]}
