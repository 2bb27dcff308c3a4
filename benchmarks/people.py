"""Simulated people: the browser's side of a session and its connection, many in one thread."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from explorer.visitors import COOKIE, visitor_name

__all__ = ["Person", "Seated", "now"]

now = time.perf_counter
EVENTS = "$$STREAMLIT_INTERNAL_KEY_{}__events"


class Person:
    """A person with a phone, who looks at one page and acts on it.

    Parameters
    ----------
    ports : list of int
        The ports of servers; another one is used after a connection is lost.
    page : str
        Its address.
    query : str
    shows : str
        The end of the name of the component whose data is `shown`.
    changed : callable
        Called with the person when that data arrives.
    """

    # The end of the name of the component that has the connection.
    hears = "updates"

    def __init__(
        self,
        ports: list[int],
        page: str,
        query: str,
        shows: str,
        changed: Callable[[Person], None],
    ) -> None:
        self.ports = ports
        self.page, self.query, self.shows = page, query, shows
        self.changed = changed
        self.token = secrets.token_hex(32)
        self.visitor = visitor_name(self.token)
        self.shown: Any = None
        self.ready = asyncio.Event()
        self.reconnections = 0
        self._line: Any = None

    async def look(self) -> None:
        """Keep the page open, until cancelled."""
        while True:
            with suppress(OSError, WebSocketException):
                await self._session(random.choice(self.ports))
            self.ready.clear()
            self.reconnections += 1
            await asyncio.sleep(random.uniform(0.3, 1.0))

    async def act(self, event: str, value: Any) -> None:
        """Do something; it is lost if the connection is lost."""
        await self.ready.wait()
        with suppress(OSError, WebSocketException):
            await self._send(self.shows, event, value)

    async def _session(self, port: int) -> None:
        self._parts: dict[str, tuple[str, str, Any]] = {}
        self._known: dict[str, ForwardMsg] = {}
        self._hash = ""
        self._updates: asyncio.Task[None] | None = None
        async with connect(
            f"ws://127.0.0.1:{port}/_stcore/stream",
            subprotocols=["streamlit"],  # pyright: ignore[reportArgumentType]
            additional_headers={"Cookie": f"{COOKIE}={self.token}"},
            max_size=None,
            proxy=None,
        ) as self._line:
            await self._run()
            try:
                async for data in self._line:
                    self._take(data, port)
            finally:
                if self._updates is not None:
                    self._updates.cancel()

    async def _run(self, fragment: str = "", *states: tuple[str, str, str]) -> None:
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.fragment_id = self.query, fragment
        run.context_info.url = f"http://127.0.0.1/{self.page}"
        if self._hash:
            run.page_script_hash = self._hash
        else:
            run.page_name = self.page
        for name, field, value in states:
            setattr(run.widget_states.widgets.add(id=name), field, value)
        await self._line.send(message.SerializeToString())

    async def _send(self, component: str, event: str, value: Any) -> None:
        name, fragment, _ = self._parts[component]
        said = json.dumps([{"event": event, "value": value}])
        state = (name, "json_value", "{}")
        await self._run(fragment, state, (EVENTS.format(name), "json_trigger_value", said))

    def _take(self, data: bytes, port: int) -> None:
        message = ForwardMsg.FromString(data)
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            meant = ForwardMsg()
            meant.CopyFrom(self._known[message.ref_hash])
            meant.metadata.CopyFrom(message.metadata)
            message, kind = meant, meant.WhichOneof("type")
        elif message.hash:
            self._known[message.hash] = message
        if kind == "new_session":
            self._hash = message.new_session.page_script_hash or self._hash
        elif kind == "navigation":
            # The app's own script has chosen the page.
            self._hash = message.navigation.page_script_hash or self._hash
        elif kind == "script_finished":
            self.ready.set()
        element = message.delta.new_element
        if kind != "delta" or element.WhichOneof("type") != "bidi_component":
            return
        component = element.bidi_component
        for name in dict.fromkeys((self.shows, self.hears)):
            if component.component_name.endswith(name):
                shown: Any = json.loads(component.json)[0] if component.json else None
                self._parts[name] = (component.id, message.delta.fragment_id, shown)
                self._drawn(name, shown)
                if name == self.hears and self._updates is None:
                    self._updates = asyncio.create_task(self._hear(port, shown["address"]))

    def _drawn(self, name: str, shown: Any) -> None:
        """The page has drawn a component."""
        if name == self.shows:
            self.shown = shown
            self.changed(self)

    async def _hear(self, port: int, address: str) -> None:
        """Keep the connection open, and rerun the page when the server asks, like a browser."""
        while True:
            with suppress(OSError, WebSocketException):
                async with connect(
                    f"ws://127.0.0.1:{port}{address}",
                    additional_headers={"Cookie": f"{COOKIE}={self.token}"},
                    proxy=None,
                ) as socket:
                    await self._opened(socket)
                    async for data in socket:
                        await self._receive(json.loads(data))
            await asyncio.sleep(random.uniform(0.3, 1.0))

    async def _opened(self, socket: Any) -> None:
        """The connection is open again."""

    async def _receive(self, message: dict[str, Any]) -> None:
        mark = message.get("mark")
        if mark and mark not in self._parts[self.hears][2]["known"]:
            await self._send(self.hears, "update", mark)


class Seated(Person):
    """A person at a table of a room, whose screen and moves go over their connection."""

    hears = "seat"

    def __init__(self, ports: list[int], query: str, changed: Callable[[Person], None]) -> None:
        super().__init__(ports, "room", query, "seat", changed)
        self.place = ""
        self._socket: Any = None
        self._sending: dict[str, Any] | None = None

    async def act(self, event: str, value: Any) -> None:
        """Do something; it is sent until it is answered."""
        del event
        self._sending = {**value, "place": self.place}
        await self._deliver()

    async def _deliver(self) -> None:
        if self._sending is not None and self._socket is not None:
            with suppress(OSError, WebSocketException):
                await self._socket.send(json.dumps(self._sending))

    async def _opened(self, socket: Any) -> None:
        self._socket = socket
        await self._deliver()

    async def _receive(self, message: dict[str, Any]) -> None:
        answer = message.get("answer")
        if answer and self._sending and answer["mark"] == self._sending["mark"]:
            self._sending = None
        if seat := message.get("seat"):
            self.place = seat.get("place", self.place)
            whole = "place" in seat or not self.shown
            self.shown = {**({} if whole else self.shown), **seat.get("table", {})}
            self.changed(self)
        await super()._receive(message)

    def _drawn(self, name: str, shown: Any) -> None:
        # The page's data is older than the connection's.
        del name
        if not self.shown:
            self.place, self.shown = shown["seat"]["place"], shown["seat"]["table"]
