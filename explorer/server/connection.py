"""The websocket of one window: it reports changes of the screen and takes a person's acts.

A person at a table gets the screen itself over the websocket and makes moves there, so no page
script has to run. Messages to a window are JSON objects with some of these keys:

- ``lost``: the database cannot be reached.

"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.rooms import RoomError, mark_of, with_clock
from explorer.server.windows import GONE, Place, Snapshot
from explorer.storage import NoSuchEpisodeError, Storage, StorageError
from nip_core.documents import Limits, parse_json
from nip_core.errors import NipError

__all__ = ["Connection"]

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
UNFORESEEN = "This could not be done. What you typed is kept; try it again."

log = logging.getLogger("explorer")
Result = TypeVar("Result")


class Connection:
    """The server's end of a window's websocket.

    Parameters
    ----------
    socket : WebSocket
    storage : Storage
    place : Place
        What the window shows.
    lookers : CapacityLimiter
        Shared by all connections: how many threads read the database at once.
    """

    def __init__(
        self, socket: WebSocket, storage: Storage, place: Place, lookers: CapacityLimiter
    ) -> None:
        self._socket = socket
        self._storage = storage
        self._place = place
        self._lookers = lookers
        self._changed = asyncio.Event()
        # Serialises messages, so that an older snapshot never follows a newer one.
        self._telling = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._heard: dict[str, Callable[[], None]] = {}
        self._told: Snapshot | None = None
        self._window: str | None = None
        self._took = 0.0

    async def hold(self) -> None:
        """Serve the connection until the window closes it."""
        await self._socket.accept()
        watching = asyncio.create_task(self._watch())
        try:
            while not watching.done():
                heard = asyncio.ensure_future(self._socket.receive())
                await asyncio.wait({heard, watching}, return_when=asyncio.FIRST_COMPLETED)
                if not heard.done():
                    heard.cancel()
                    break
                message = heard.result()
                if message["type"] != "websocket.receive" or not await self._take(message):
                    break
        except WebSocketDisconnect:
            pass
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            for end in self._heard.values():
                end()
            await self._leave()

    # -- messages from the window ------------------------------------------------------------

    async def _take(self, message: Any) -> bool:
        """Handle a message, which may be anything; return False if it is invalid."""
        text = message.get("text")
        if text == ASK or (text and not self._place.takes_acts):
            # A ping: answer with everything that is shown.
            self._told = None
            self._changed.set()
            return True
        try:
            act = parse_json(text or "", ACT, NipError, "The message")
        except NipError:
            log.info("A window said what its line does not take.")
            await self._socket.close(UNSUPPORTED)
            return False
        start = time.perf_counter()
        async with self._telling:
            refused = await self._act(act)
            answer = {"mark": mark_of(act), "refused": refused}
            sent = await self._tell(await self._look(), answer=answer)
        # A window that sends much has to wait longer between its messages.
        await asyncio.sleep(rest(time.perf_counter() - start))
        return sent

    async def _act(self, act: Any) -> dict[str, str | None] | None:
        try:
            return await self._in_thread(partial(self._place.act, self._storage, act))
        except Exception as error:
            # The error's text is not logged: it may quote what the person wrote.
            log.error("What a window asked for could not be done (%s)", type(error).__name__)
            return {"message": UNFORESEEN, "channel": None}

    # -- messages to the window --------------------------------------------------------------

    async def _watch(self) -> None:
        self._changed.set()
        there = True
        while there:
            await self._changed.wait()
            self._changed.clear()
            async with self._telling:
                look = await self._look()
                there = await self._tell(look)
            if there and look is not None:
                await self._enter()
            await asyncio.sleep(rest(self._took))

    async def _look(self) -> Snapshot | None:
        """Return what the window shows now; None if the database cannot be reached."""
        if self._storage.news.lost:
            return None
        try:
            return await self._in_thread(self._looked)
        except (NoSuchEpisodeError, NipError, RoomError):
            return Snapshot(GONE)
        except StorageError:
            return None
        except Exception:
            log.exception("What a window shows could not be looked at")
            return None

    def _looked(self) -> Snapshot:
        start = time.perf_counter()
        # Subscribe before reading, so that no change in between is missed.
        while (topics := self._place.topics(self._storage)) != self._heard.keys():
            self._listen(topics)
        # After a ping or a new subscription, send everything, whatever was sent before.
        look = self._place.look(self._storage, listens=self._told is not None)
        # Measured without the time spent waiting for other readers.
        self._took = time.perf_counter() - start
        return look

    async def _tell(self, look: Snapshot | None, **said: object) -> bool:
        """Send what has changed since the last message; return False to end the connection."""
        before, self._told = self._told, look
        if look is None:
            self._loop.call_later(AGAIN, self._changed.set)
            said["lost"] = True
        else:
            said |= news(before, look)
        mark = said.pop("mark", None) if before is not None and "live" in said else None
        if said:
            await self._send(said)
        if mark is not None:
            # The page is about to run. Windows that are waiting already are served first: they
            # queue for the same limiter, and this connection queues once more.
            async with self._lookers:
                pass
            await self._send({"mark": mark})
        if look is None or look.mark != GONE:
            return True
        await self._socket.close(OVER)
        return False

    async def _send(self, said: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(said, separators=(",", ":")))

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
            # Presence is then out of date until the clean-up after ended processes corrects it.
            log.warning("Who is there could not be written (%s)", type(error).__name__)

    async def _in_thread(self, act: Callable[[], Result]) -> Result:
        return await run_sync(act, limiter=self._lookers)

    def _listen(self, topics: set[str]) -> None:
        for topic in self._heard.keys() - topics:
            self._heard.pop(topic)()
        for topic in topics - self._heard.keys():
            self._heard[topic] = self._storage.news.subscribe(topic, self._wake)

    def _wake(self) -> None:
        # The event loop may have ended by now.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed.set)


def rest(took: float) -> float:
    """Return for how many seconds a connection pauses."""
    return min(MOST_REST, max(LEAST_REST, REST * took))


def news(before: Snapshot | None, now: Snapshot) -> dict[str, Any]:
    """Return what a window that knows ``before`` must be sent to show ``now``."""
    said: dict[str, Any] = {}
    if before is None or before.mark != now.mark:
        said["mark"] = now.mark
    known = None if before is None else before.seat
    if now.seat != known:
        said["seat"] = None if now.seat is None else _another(known, now.seat)
    moved = {} if before is None else before.live
    if live := {name: now.live[name] for name in now.live if now.live[name] != moved.get(name)}:
        said["live"] = with_clock(live)
    return said


def _another(before: dict[str, Any] | None, now: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of a screen that differ from the one before."""
    if before is None or before["place"] != now["place"]:
        return with_clock(now)
    found = {name: now[name] for name in now if now[name] != before[name]}
    if "table" in found:
        table, known = now["table"], before["table"]
        found["table"] = {name: table[name] for name in table if table[name] != known[name]}
    return with_clock(found)
