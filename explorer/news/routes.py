"""The routes by which windows hear of changes."""

from __future__ import annotations

from collections.abc import Callable

from anyio import CapacityLimiter
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from explorer.news.line import LOOKERS, Line
from explorer.news.places import ROUTE, place_of
from explorer.serving.identity import read_token, visitor_name
from explorer.storage import Storage, StorageError

__all__ = ["news_routes", "serves_news"]

_served = False


def serves_news() -> bool:
    """Does this process tell windows of changes? Only our own server has the routes for it."""
    return _served


def news_routes(storage: Callable[[], Storage]) -> tuple[WebSocketRoute, ...]:
    """The routes, for a server that will have them.

    Parameters
    ----------
    storage : callable
        Opens the storage, or gives the one that is open.
    """
    global _served
    _served = True
    lookers = CapacityLimiter(LOOKERS)

    async def news(socket: WebSocket) -> None:
        # Host and origin have been looked at by the guard.
        token = read_token(socket.headers.getlist("cookie"))
        place = place_of(socket.query_params, visitor_name(token)) if token else None
        if place is None:
            await socket.close()
            return
        try:
            kept = storage()
        except StorageError:
            await socket.close()
            return
        await Line(socket, kept, place, lookers).hold()

    return (WebSocketRoute(ROUTE, news),)
