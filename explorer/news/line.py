"""One window's line: it is told when its screen has changed, and of nothing else."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.news.marks import GONE
from explorer.news.places import Place
from explorer.rooms import RoomError
from explorer.storage import NoSuchEpisodeError, Storage, StorageError
from nip_core.errors import NipError

__all__ = ["Line"]

# After a look a line rests for so many times as long as the look took, and for so many seconds at
# least and at most: when much happens, all are told less often, and nobody waits for what happens
# alone.
REST, LEAST_REST, MOST_REST = 4, 0.05, 1.0
# Until a database is looked for again, where nobody tells that it is back.
AGAIN = 2.0
# How long a window that has gone may take to come back before others are told.
GRACE = 3.0
OVER = 4000  # the code that the browser knows: this line will not be opened again

log = logging.getLogger("explorer")
Result = TypeVar("Result")


class Line:
    """The server's end of a line.

    Parameters
    ----------
    socket : WebSocket
    storage : Storage
    place : Place
        What the window shows.
    lookers : CapacityLimiter
        Shared by all lines.
    """

    def __init__(
        self, socket: WebSocket, storage: Storage, place: Place, lookers: CapacityLimiter
    ) -> None:
        self._socket = socket
        self._storage = storage
        self._place = place
        self._lookers = lookers
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._heard: dict[str, Callable[[], None]] = {}
        self._told: str | None = None
        self._window: str | None = None
        self._took = 0.0

    async def hold(self) -> None:
        """Hold the line until the window lets go."""
        await self._socket.accept()
        watching = asyncio.create_task(self._watch())
        try:
            while not watching.done():
                asked = asyncio.ensure_future(self._socket.receive_text())
                await asyncio.wait({asked, watching}, return_when=asyncio.FIRST_COMPLETED)
                if not asked.done():
                    asked.cancel()
                    break
                asked.result()
                # Whatever it says, it wants to know whether anybody is there.
                self._told = None
                self._changed.set()
        except (WebSocketDisconnect, KeyError):
            pass
        finally:
            watching.cancel()
            for end in self._heard.values():
                end()
            await asyncio.gather(watching, return_exceptions=True)
            await self._leave()

    async def _watch(self) -> None:
        self._changed.set()
        while True:
            await self._changed.wait()
            self._changed.clear()
            mark = await self._look()
            if mark is None:
                await self._say(lost=True)
                self._told = None
                self._loop.call_later(AGAIN, self._changed.set)
            elif mark != self._told:
                self._told = mark
                await self._say(mark=mark)
                if mark == GONE:
                    await self._socket.close(OVER)
                    return
                await self._enter()
            await asyncio.sleep(min(MOST_REST, max(LEAST_REST, REST * self._took)))

    async def _look(self) -> str | None:
        """The mark of what the window shows now; None if the database is not there."""
        if self._storage.news.lost:
            return None
        try:
            # Listened to before it is looked at, so that nothing happens in between.
            self._listen(await self._in_thread(partial(self._place.topics, self._storage)))
            return await self._in_thread(self._mark)
        except (NoSuchEpisodeError, NipError, RoomError):
            return GONE
        except StorageError:
            return None
        except Exception:
            log.exception("What a window shows could not be looked at")
            return None

    def _mark(self) -> str:
        start = time.perf_counter()
        mark = self._place.mark(self._storage)
        # Without the time for which it had to wait for others who look.
        self._took = time.perf_counter() - start
        return mark

    async def _enter(self) -> None:
        """Be counted as one that is there, now that the window is known to be allowed to look."""
        if self._place.presence is not None and self._window is None:
            self._window = secrets.token_hex(16)
            await self._note(self._storage.presence.enter, *self._place.presence, self._window)

    async def _leave(self) -> None:
        if self._place.presence is not None and self._window is not None:
            try:
                await asyncio.sleep(GRACE)
            except asyncio.CancelledError:
                return  # the process ends, and with it all that is noted of it
            await self._note(self._storage.presence.leave, self._place.presence[0], self._window)

    async def _note(self, note: Callable[..., None], *words: str) -> None:
        try:
            await self._in_thread(partial(note, *words))
        except StorageError as error:
            # Others are told too little then; whoever clears up after processes mends it.
            log.warning("Who is there could not be written (%s)", type(error).__name__)

    async def _in_thread(self, act: Callable[[], Result]) -> Result:
        return await run_sync(act, limiter=self._lookers)

    def _listen(self, topics: set[str]) -> None:
        for topic in self._heard.keys() - topics:
            self._heard.pop(topic)()
        for topic in topics - self._heard.keys():
            self._heard[topic] = self._storage.news.subscribe(topic, self._wake)

    def _wake(self) -> None:
        # The loop may have ended since.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed.set)

    async def _say(self, **said: object) -> None:
        await self._socket.send_text(json.dumps(said))
