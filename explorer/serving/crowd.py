"""How many pages there may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.serving.addresses import neighbourhood
from explorer.serving.capacity import Capacity
from explorer.serving.guard import Refusal, refuse
from explorer.serving.identity import read_token

__all__ = ["CrowdGate", "full"]

# A person has a few tabs.
MOST_EACH = 30
# The websocket of a page's session. A page in a room has another one, for news.
SESSION = "/_stcore/stream"
# Seconds until a page that was not opened tries again by itself.
LATER = 20

WAITING = f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Please wait</title>
<meta http-equiv="refresh" content="{LATER}">
<body style="font: 1.1rem/1.5 sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem">
<h1 style="font-size: 1.4rem">Please wait</h1><p>{{why}}</p>
<p>This page tries again every {LATER} seconds, so you can leave it open.</p></body></html>
"""
RETRY = {"retry-after": str(LATER)}


def full(text: str, status: int = 503, more: Mapping[str, str] | None = None) -> Refusal:
    """A refusal for want of room, which says when to come back."""
    text = f"{text} Try again in {LATER} seconds.\n"
    return Refusal(status, text, {**RETRY, **(more or {})})


FULL = "This server is full: as many pages are open as it can serve."
MANY = "Too many pages are open at your network address. Other people need room, too."
ENOUGH = Refusal(
    429,
    f"This browser already has {MOST_EACH} pages open, the most allowed. Close some.\n",
    RETRY,
)


class CrowdGate:
    """Counts the websockets of each kind that are open, for each browser, address and in all.

    A page whose session would be refused is not opened: people get one that says so and tries
    again. A browser that has pages open may reload them, however full the server is.

    Parameters
    ----------
    app : ASGIApp
    capacity : Capacity
    is_page : callable
        Does a page of the app begin at a path?
    """

    def __init__(self, app: ASGIApp, capacity: Capacity, is_page: Callable[[str], bool]) -> None:
        self.app = app
        self.capacity = capacity
        self.is_page = is_page
        # By the path, then by the browser and the address. Other paths than our own do not come
        # here.
        self.open: dict[str, Counter[tuple[str, str]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "websocket":
            await self._hold(scope, receive, send)
        elif (
            scope["type"] == "http"
            and self.is_page(scope["path"])
            and (refusal := self._page_refused(scope))
        ):
            await refuse(refusal, scope, send)
        else:
            await self.app(scope, receive, send)

    async def _hold(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, here = scope["path"], _who(scope)
        if refusal := self._refused(path, here):
            await refuse(refusal, scope, send)
            return
        self.open.setdefault(path, Counter()).update(here)
        inside = True

        def leave() -> None:
            nonlocal inside
            if inside:
                inside = False
                self._release(path, here)

        # What the app does once the browser has gone, such as waiting for it to come back, must
        # not keep the browser itself out.
        async def receive_watched() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                leave()
            return message

        async def send_watched(message: Message) -> None:
            if message["type"] == "websocket.close":
                leave()
            await send(message)

        try:
            await self.app(scope, receive_watched, send_watched)
        finally:
            leave()

    def _release(self, path: str, here: dict[tuple[str, str], int]) -> None:
        there = self.open[path]
        there.subtract(here)
        for whose in here:
            if not there[whose]:
                del there[whose]
        if not there:
            del self.open[path]

    def _refused(self, path: str, here: dict[tuple[str, str], int]) -> Refusal | None:
        """Why there may be no more of a kind, if so."""
        there = self.open.get(path, Counter[tuple[str, str]]())
        full_for = {
            "all": (self.capacity.pages, full(FULL)),
            "near": (self.capacity.near, full(MANY, 429)),
            "browser": (MOST_EACH, ENOUGH),
        }
        for whose in here:
            most, refusal = full_for[whose[0]]
            if there[whose] >= most:
                return refusal
        return None

    def _page_refused(self, scope: Scope) -> Refusal | None:
        """Why a page cannot be opened now, in words for people."""
        here = _who(scope)
        there = self.open.get(SESSION, Counter[tuple[str, str]]())
        if any(there[whose] for whose in here if whose[0] == "browser"):
            # A page that is reloaded lets go of its session only when the new one has come.
            return None
        refusal = self._refused(SESSION, here)
        if refusal is None:
            return None
        why = FULL if refusal.status == 503 else MANY
        headers = {**RETRY, "content-type": "text/html; charset=utf-8"}
        return Refusal(refusal.status, WAITING.format(why=why), headers)


def _who(scope: Scope) -> dict[tuple[str, str], int]:
    """Under which names a request counts."""
    token = read_token(Headers(scope=scope).getlist("cookie"))
    near = neighbourhood((scope.get("client") or ("", 0))[0])
    here = {("all", ""): 1, ("near", near): 1}
    return {**here, ("browser", token): 1} if token else here
