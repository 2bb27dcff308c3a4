"""The websocket of a window, which reports changes and takes a person's acts; entering rooms.

A person at a table gets the screen itself over the websocket and makes moves there, so no page
script has to run. Messages to a window are JSON objects with some of these keys:

- ``mark``: of what the page shows; another mark means that the page has to run again.
- ``seat``: the table screen, or what of it has changed.
- ``live``: new values for the live parts of a lesson's page.
- ``answer``: whether an act was refused, and why.
- ``lost``: the database cannot be reached.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from typing import Any, TypeVar
from urllib.parse import urlencode

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.rooms import Access, RoomError, lead, mark_of, watch, with_clock
from explorer.server.windows import (
    FEED,
    GONE,
    INVITATION,
    INVITED,
    JOIN,
    LEAD,
    WATCH,
    Snapshot,
    WindowContent,
    place_of,
)
from explorer.storage import NoSuchEpisodeError, Storage, StorageError, Writer, writing_as
from explorer.visitors import neighbourhood, read_token, visitor_name
from nip_core.documents import Limits, parse_json
from nip_core.errors import NipError

# After each read or act, a connection pauses for this multiple of the time that it took, within
# these limits in seconds. So updates become rarer under load, and a single change is shown at once.
REST, LEAST_REST, MOST_REST = 4, 0.01, 1.0
# Seconds between checks of a database that sends no notification when it is back.
AGAIN = 2.0
# Seconds that a closed window has to come back before others see the person as absent.
GRACE = 3.0
OVER = 4000  # close code for the browser: do not reconnect
UNSUPPORTED = 1003
ASK = "?"
# More than one move can contain.
ACT = Limits(size=200_000, values=1_000, depth=6)
UNFORESEEN = "This could not be done. Try it again."

log = logging.getLogger("explorer")
Result = TypeVar("Result")


class Connection:
    """The server's end of the websocket of a window, which shows a `place`.

    All connections share the limiter `readers`: so many threads read the database at once.
    """

    def __init__(self, socket: WebSocket, place: WindowContent, readers: CapacityLimiter) -> None:
        self._socket = socket
        self._place = place
        self._storage = place.storage
        self._readers = readers
        self._changed = asyncio.Event()
        # Serialises messages, so that an older snapshot never follows a newer one.
        self._sending = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._topics: dict[str, Callable[[], None]] = {}
        self._sent: Snapshot | None = None
        self._window: str | None = None
        self._took = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def hold(self) -> None:
        """Serve the connection until the window closes it."""
        await self._socket.accept()
        watching = asyncio.create_task(self._watch())
        try:
            while not watching.done():
                received = asyncio.ensure_future(self._socket.receive())
                await asyncio.wait({received, watching}, return_when=asyncio.FIRST_COMPLETED)
                if not received.done():
                    received.cancel()
                    break
                message = received.result()
                if message["type"] != "websocket.receive" or not await self._take(message):
                    break
        except WebSocketDisconnect:
            pass
        finally:
            watching.cancel()
            self._look_again(None)
            await asyncio.gather(watching, return_exceptions=True)
            for end in self._topics.values():
                end()
            await self._leave()

    # -- messages from the window ------------------------------------------------------------

    async def _take(self, message: Any) -> bool:
        """Handle a message, which may be anything; return False if it is invalid."""
        text = message.get("text")
        if text == ASK or (text and not self._place.takes_acts):
            # A ping: answer with everything that is shown.
            self._sent = None
            self._changed.set()
            return True
        try:
            act = parse_json(text or "", ACT, NipError, "The message")
        except NipError:
            log.info("A window sent a message that its connection does not take.")
            await self._socket.close(UNSUPPORTED)
            return False
        start = time.perf_counter()
        async with self._sending:
            refused = await self._act(act)
            answer = {"mark": mark_of(act), "refused": refused}
            sent = await self._send_changes(await self._snapshot(), answer=answer)
        # A window that sends much has to wait longer between its messages.
        await asyncio.sleep(rest(time.perf_counter() - start))
        return sent

    async def _act(self, act: Any) -> dict[str, Any] | None:
        try:
            return await self._in_thread(partial(self._place.act, act))
        except Exception as error:
            # The error's text is not logged: it may quote what the person wrote.
            log.error("An act in a window failed (%s)", type(error).__name__)
            return {"message": UNFORESEEN, "channel": None}

    # -- messages to the window --------------------------------------------------------------

    async def _watch(self) -> None:
        self._changed.set()
        there = True
        while there:
            await self._changed.wait()
            self._changed.clear()
            async with self._sending:
                shown = await self._snapshot()
                there = await self._send_changes(shown)
            if there and shown is not None:
                await self._enter()
            await asyncio.sleep(rest(self._took))

    async def _snapshot(self) -> Snapshot | None:
        """Return what the window shows now; None if the database cannot be reached."""
        if self._storage.change_feed.lost:
            return None
        try:
            return await self._in_thread(self._read_snapshot)
        except (NoSuchEpisodeError, NipError):
            return Snapshot(GONE)
        except StorageError:
            return None
        except Exception:
            log.exception("A snapshot for a window failed")
            return None

    def _read_snapshot(self) -> Snapshot:
        start = time.perf_counter()
        # Subscribe before reading, so that no change in between is missed.
        while (topics := self._place.topics()) != self._topics.keys():
            self._subscribe(topics)
        # After a ping or a new subscription, send everything, whatever was sent before.
        shown = self._place.snapshot(subscribed=self._sent is not None)
        # Measured without the time spent waiting for other readers.
        self._took = time.perf_counter() - start
        return shown

    async def _send_changes(self, shown: Snapshot | None, **message: object) -> bool:
        """Send what has changed since the last message; return False to end the connection."""
        before, self._sent = self._sent, shown
        if shown is None:
            self._loop.call_later(AGAIN, self._changed.set)
            message["lost"] = True
        else:
            self._look_again(shown.again)
            message |= changes(before, shown)
        mark = message.pop("mark", None) if before is not None and "live" in message else None
        if message:
            await self._send(message)
        if mark is not None:
            # The page is about to run. Windows that are waiting already are served first: they
            # queue for the same limiter, and this connection queues once more.
            async with self._readers:
                pass
            await self._send({"mark": mark})
        if shown is None or shown.mark != GONE:
            return True
        await self._socket.close(OVER)
        return False

    def _look_again(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        later = self._loop.call_later
        self._timer = None if seconds is None else later(seconds, self._changed.set)

    async def _send(self, message: Mapping[str, object]) -> None:
        await self._socket.send_text(json.dumps(message, separators=(",", ":")))

    # -- presence --------------------------------------------------------------------------------

    async def _enter(self) -> None:
        """Count the window as present, now that its right to look has been checked."""
        if self._place.presence is not None and self._window is None:
            self._window = secrets.token_hex(16)
            await self._note(self._storage.presence.enter, *self._place.presence, self._window)

    async def _leave(self) -> None:
        if self._place.presence is not None and self._window is not None:
            try:
                await asyncio.sleep(GRACE)
            except asyncio.CancelledError:
                return  # the process is ending, and its presence records are removed
            await self._note(self._storage.presence.leave, self._place.presence[0], self._window)

    async def _note(self, note: Callable[..., None], *words: str) -> None:
        try:
            await self._in_thread(partial(note, *words))
        except StorageError as error:
            # Presence is then out of date until the clean-up after ended processes corrects it. The
            # change feed reports once that the database is lost.
            if not self._storage.change_feed.lost:
                log.warning("Presence could not be recorded (%s)", type(error).__name__)

    async def _in_thread(self, act: Callable[[], Result]) -> Result:
        return await run_sync(act, limiter=self._readers)

    def _subscribe(self, topics: set[str]) -> None:
        for topic in self._topics.keys() - topics:
            self._topics.pop(topic)()
        for topic in topics - self._topics.keys():
            self._topics[topic] = self._storage.change_feed.subscribe(topic, self._wake)

    def _wake(self) -> None:
        # The event loop may have ended by now.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed.set)


def rest(took: float) -> float:
    """Return for how many seconds a connection pauses."""
    return min(MOST_REST, max(LEAST_REST, REST * took))


def changes(before: Snapshot | None, now: Snapshot) -> dict[str, Any]:
    """Return what a window that knows ``before`` must be sent to show ``now``."""
    message: dict[str, object] = {}
    if before is None or before.mark != now.mark:
        message["mark"] = now.mark
    known = None if before is None else before.seat
    # An empty change is not sent: a table that ends in two steps, of which the second one changes
    # nothing on its screen, would tell that there were two.
    if now.seat is None:
        message |= {} if known is None else {"seat": None}
    elif seat := _another(known, now.seat):
        message["seat"] = seat
    moved = {} if before is None else before.live
    if live := {name: now.live[name] for name in now.live if now.live[name] != moved.get(name)}:
        message["live"] = with_clock(live)
    return message


def _another(before: dict[str, Any] | None, now: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of a screen that differ from the one before."""
    if before is None or before["place"] != now["place"]:
        return with_clock(now)
    entries = _changed(before, now)
    if entries.pop("table", None) and (table := _changed(before["table"], now["table"])):
        entries["table"] = table
    return with_clock(entries)


def _changed(before: Mapping[str, object], now: Mapping[str, object]) -> dict[str, object]:
    """Return the entries that differ; one that is there no more is None, and the same as None."""
    names = [*now, *(name for name in before if name not in now)]
    return {name: now.get(name) for name in names if now.get(name) != before.get(name)}


# -- routes --------------------------------------------------------------------------------------

# Concurrent readers; more of them would only compete for the processor.
READERS = 4
REFUSED = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Not opened</title>
<body style="font: 1.1rem/1.5 sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem">
<p>{why}</p><p><a href="/room">To the rooms</a></p></body></html>
"""


class ChangeFeedRoutes:
    """The routes that notify windows of changes and let people into rooms.

    `storage` returns the storage, opening it if necessary.
    """

    def __init__(self, storage: Callable[[], Storage]) -> None:
        self._storage = storage
        self._readers = CapacityLimiter(READERS)
        self._doors = CapacityLimiter(READERS)
        self._connections = 0
        self._present: set[Storage] = set()
        self.routes = [
            WebSocketRoute(FEED, self._follow),
            Route(JOIN, self._join, methods=["GET"]),
            Route(INVITED, self._join, methods=["GET"]),
            Route(LEAD, partial(self._come_by, "lead"), methods=["GET"]),
            Route(WATCH, partial(self._come_by, "watch"), methods=["GET"]),
        ]

    def beat(self) -> None:
        """Record every few seconds that this process is running, if windows are connected to it."""
        for storage in list(self._present):
            if not storage.change_feed.lost:
                storage.presence.beat()
        if not self._connections:
            self._present.clear()

    def close(self) -> None:
        """Remove this process's presence records when it ends."""
        while self._present:
            self._present.pop().presence.go()

    async def _follow(self, socket: WebSocket) -> None:
        # The guard has checked host and origin already.
        token = read_token(socket.headers.getlist("cookie"))
        if token is None:
            await socket.close()
            return
        try:
            place = place_of(socket.query_params, token, await run_sync(self._storage))
        except StorageError:
            place = None
        if place is None:
            await socket.close()
            return
        self._connections += 1
        if place.presence is not None:
            self._present.add(place.storage)
        try:
            client = socket.client.host if socket.client else ""
            with writing_as(Writer(visitor_name(token), neighbourhood(client))):
                await Connection(socket, place, self._readers).hold()
        finally:
            self._connections -= 1

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
        try:
            (lead if act == "lead" else watch)(Access(self._storage(), code, visitor), key)
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
