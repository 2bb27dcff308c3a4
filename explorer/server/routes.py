"""The routes for change notifications and for entering rooms.

The modules behind them are imported with the first request, so that the server starts quickly.

"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from explorer.access import neighbourhood, read_token, visitor_name
from explorer.server.windows import INVITATION, INVITED, JOIN, LEAD, NEWS, WATCH

if TYPE_CHECKING:
    from explorer.storage import Storage

__all__ = ["NewsServer", "serves_news"]

# Concurrent readers; more of them would only compete for the processor.
LOOKERS = 4
REFUSED = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Not opened</title>
<body style="font: 1.1rem/1.5 sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem">
<p>{why}</p><p><a href="/room">To the rooms</a></p></body></html>
"""

_served = False


def serves_news() -> bool:
    """Return whether this process notifies windows; only the app's own server has the routes."""
    return _served


class NewsServer:
    """The routes that notify windows of changes and let people into rooms.

    Parameters
    ----------
    storage : callable
        Returns the storage, opening it if necessary.

    Attributes
    ----------
    routes : list
    """

    def __init__(self, storage: Callable[[], Storage]) -> None:
        global _served
        _served = True
        self._storage = storage
        self._lookers = CapacityLimiter(LOOKERS)
        self._doors = CapacityLimiter(LOOKERS)
        self._lines = 0
        self._present: set[Storage] = set()
        self.routes = [
            WebSocketRoute(NEWS, self._news),
            Route(JOIN, self._join, methods=["GET"]),
            Route(INVITED, self._join, methods=["GET"]),
            Route(LEAD, partial(self._come_by, "lead"), methods=["GET"]),
            Route(WATCH, partial(self._come_by, "watch"), methods=["GET"]),
        ]

    def beat(self) -> None:
        """Record every few seconds that this process is running, if windows are connected to it."""
        for storage in list(self._present):
            storage.presence.beat()
        if not self._lines:
            self._present.clear()

    def close(self) -> None:
        """Remove this process's presence records when it ends."""
        while self._present:
            self._present.pop().presence.go()

    async def _news(self, socket: WebSocket) -> None:
        # The guard has checked host and origin already.
        token = read_token(socket.headers.getlist("cookie"))
        if token is None:
            await socket.close()
            return
        # The import takes a moment; other requests are served meanwhile.
        await run_sync(import_module, "explorer.server.connection")
        from explorer.server.connection import Connection
        from explorer.server.windows import place_of
        from explorer.storage import StorageError, Writer, writing_as

        place = place_of(socket.query_params, visitor_name(token))
        if place is None:
            await socket.close()
            return
        try:
            storage = await run_sync(self._storage)
        except StorageError:
            await socket.close()
            return
        self._lines += 1
        if place.presence is not None:
            self._present.add(storage)
        try:
            client = socket.client.host if socket.client else ""
            with writing_as(Writer(visitor_name(token), neighbourhood(client))):
                await Connection(socket, storage, place, self._lookers).hold()
        finally:
            self._lines -= 1

    async def _join(self, request: Request) -> Response:
        """Redirect the short address given to people. The page says if there is no such room."""
        invited = {INVITATION: key} if (key := request.path_params.get("key")) else {}
        return _go_to(code=request.path_params["code"], **invited)

    async def _come_by(self, act: str, request: Request) -> Response:
        """Handle a link with a key: let the browser lead or watch, and redirect without the key."""
        code, key = request.path_params["code"], request.path_params["key"]
        token = read_token(request.headers.getlist("cookie"))
        if request.method == "HEAD" or token is None:
            # A HEAD request, as from link previews, grants nothing.
            return Response(status_code=400)
        # A limiter of its own, so that a flood of wrong links leaves threads to others.
        let_in = partial(self._let_in, act, code, key, visitor_name(token))
        return await run_sync(let_in, limiter=self._doors)

    def _let_in(self, act: str, code: str, key: str, visitor: str) -> Response:
        from explorer.rooms import RoomError, lead, watch
        from explorer.storage import StorageError

        try:
            (lead if act == "lead" else watch)(self._storage(), code, key, visitor)
        except RoomError as error:
            return _refused(str(error), 403)
        except StorageError as error:
            return _refused(str(error), 503)
        return _go_to(code=code, **{"as": "lead" if act == "lead" else "gallery"})


def _go_to(**query: str) -> Response:
    headers = {"cache-control": "no-store"}
    return RedirectResponse(f"/room?{urlencode(query)}", status_code=303, headers=headers)


def _refused(why: str, status: int) -> Response:
    page = REFUSED.format(why=escape(why))
    return HTMLResponse(page, status, {"cache-control": "no-store"})
