"""The app's style and the script of the first paint, put into the page itself.

Streamlit sends styles with the elements of a page, one by one, after the page itself: the page
would appear unstyled first, and jump. Here they stand at the beginning of the body, after all rules
that Streamlit puts into the head: of two rules of equal weight, the later one counts.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.server.guard import Paths

__all__ = ["InlineStyleMiddleware"]

BODY = b"<body>"


class InlineStyleMiddleware:
    """Puts the app's style and script into every page.

    Parameters
    ----------
    app : ASGIApp
    paths : Paths
    opening : str
        HTML, for the beginning of the body.
    """

    def __init__(self, app: ASGIApp, paths: Paths, opening: str) -> None:
        self.app = app
        self.paths = paths
        self.opening = opening.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        is_page = scope["type"] == "http" and self.paths.is_page(scope["path"])
        if not is_page or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        # A compressed page cannot be changed here, so none is requested; it is compressed
        # afterwards.
        asked = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        start: Message | None = None
        body = b""

        async def send_dressed(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None or message["type"] != "http.response.body":
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await self._send(start, body, send)

        await self.app({**scope, "headers": asked}, receive, send_dressed)

    async def _send(self, start: Message, body: bytes, send: Send) -> None:
        dressed = body.replace(BODY, BODY + self.opening, 1)
        headers = MutableHeaders(scope=start)
        headers["content-length"] = str(len(dressed))
        # These headers describe the page without the style.
        for name in ("etag", "last-modified"):
            if name in headers:
                del headers[name]
        await send(start)
        await send({"type": "http.response.body", "body": dressed})


def _is_page(start: Message) -> bool:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")
