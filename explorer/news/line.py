"""One window's line: it is told when its screen has changed, and of nothing else.

A person at a table gets their screen itself over it, and makes their moves there: then no page has
to run. Messages to a window are JSON objects with some of these:

- ``lost``: the database cannot be reached.
- ``mark``: of what the page draws, when that is another one.
- ``seat``: of the person's screen, what is another than before; all of it, with its ``place``, at
  first, and None when there is none any more.
- ``live``: of what stands on the page of a lesson and moves by itself, what is another than before.
- ``answer``: to what the window has asked for: its ``mark``, and why it was ``refused``, if it was.
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

from explorer.news.marks import GONE
from explorer.news.places import Look, Place
from explorer.rooms import RoomError, mark_of, with_clock
from explorer.storage import NoSuchEpisodeError, Storage, StorageError
from nip_core.documents import Limits, parse_json
from nip_core.errors import NipError

__all__ = ["Line"]

# After a look, or an act, a line rests for so many times as long as that took, and for so many
# seconds at least and at most: when much happens, all are told less often, and nobody waits for
# what happens alone.
REST, LEAST_REST, MOST_REST = 4, 0.01, 1.0
# Until a database is looked for again, where nobody tells that it is back.
AGAIN = 2.0
# How long a window that has gone may take to come back before others are told.
GRACE = 3.0
OVER = 4000  # the code that the browser knows: this line will not be opened again
UNSUPPORTED = 1003
ASK = "?"
# More than anybody writes in one move.
ACT = Limits(size=200_000, values=1_000, depth=6)
UNFORESEEN = "This could not be done. What you typed is kept; try it again."

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
        # What is told is never older than what was told before.
        self._telling = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._heard: dict[str, Callable[[], None]] = {}
        self._told: Look | None = None
        self._window: str | None = None
        self._took = 0.0

    async def hold(self) -> None:
        """Hold the line until the window lets go."""
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

    # -- what the window says ------------------------------------------------------------------

    async def _take(self, message: Any) -> bool:
        """Take up what the window says, which may be anything; False if it makes no sense."""
        text = message.get("text")
        if text == ASK or (text and not self._place.takes_acts):
            # It wants to know whether anybody is there, and gets all that is shown.
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
            told = await self._tell(await self._look(), answer=answer)
        # Whoever says much is heard less often.
        await asyncio.sleep(rest(time.perf_counter() - start))
        return told

    async def _act(self, act: Any) -> dict[str, str | None] | None:
        try:
            return await self._in_thread(partial(self._place.act, self._storage, act))
        except Exception as error:
            # Its words may be those of whoever has asked.
            log.error("What a window asked for could not be done (%s)", type(error).__name__)
            return {"message": UNFORESEEN, "channel": None}

    # -- what the window is told ---------------------------------------------------------------

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

    async def _look(self) -> Look | None:
        """What the window shows now; None if the database is not there."""
        if self._storage.news.lost:
            return None
        try:
            return await self._in_thread(self._looked)
        except (NoSuchEpisodeError, NipError, RoomError):
            return Look(GONE)
        except StorageError:
            return None
        except Exception:
            log.exception("What a window shows could not be looked at")
            return None

    def _looked(self) -> Look:
        start = time.perf_counter()
        # Listened to before it is looked at, so that nothing happens in between.
        while (topics := self._place.topics(self._storage)) != self._heard.keys():
            self._listen(topics)
        # Whoever asks, or begins to listen, is told what is there, whatever was told before.
        look = self._place.look(self._storage, listens=self._told is not None)
        # Without the time for which it had to wait for others who look.
        self._took = time.perf_counter() - start
        return look

    async def _tell(self, look: Look | None, **said: object) -> bool:
        """Tell what is another than before; False if there is nothing more to tell, ever."""
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
            # The page will run. Before any does, all who wait by now are told what to do: they
            # look in turn, and this line takes its turn once more.
            async with self._lookers:
                pass
            await self._send({"mark": mark})
        if look is None or look.mark != GONE:
            return True
        await self._socket.close(OVER)
        return False

    async def _send(self, said: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(said, separators=(",", ":")))

    # -- who is there --------------------------------------------------------------------------

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


def rest(took: float) -> float:
    """For how many seconds a line rests."""
    return min(MOST_REST, max(LEAST_REST, REST * took))


def news(before: Look | None, now: Look) -> dict[str, Any]:
    """What a window has to be told that knows what was shown before."""
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
    """Of a screen, what is another than on the one before."""
    if before is None or before["place"] != now["place"]:
        return with_clock(now)
    found = {name: now[name] for name in now if now[name] != before[name]}
    if "table" in found:
        table, known = now["table"], before["table"]
        found["table"] = {name: table[name] for name in table if table[name] != known[name]}
    return with_clock(found)
