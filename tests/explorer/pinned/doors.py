"""Two ways to watch a room and to move in it: within the process, and over a connection."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from websockets.sync.client import ClientConnection, connect

from explorer import rooms
from explorer.rooms import RoomError, Watcher
from explorer.storage import Storage
from explorer.visitors import COOKIE
from tests.explorer.frames import FrameServer
from tests.explorer.pinned.browsers import token, visitor

__all__ = ["Door", "OverTheWire", "Within"]

TIMEOUT = 120

Shown = dict[str, Any]


class Door(Protocol):
    """The actions of a browser in a room.

    Attributes
    ----------
    storage : Storage
        The database.
    """

    storage: Storage

    def look(self, code: str, watcher: str, browser: int) -> Shown:
        """Return what a window's connection sends first: its seat, and its lesson's live part."""
        ...

    def act(self, code: str, person: int, act: Shown) -> Any:
        """Act at a person's seat; return why the act was refused, or None."""
        ...


class Within:
    """A door in the process of the test."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def look(self, code: str, watcher: str, browser: int) -> Shown:
        """See :class:`Door`; a refusal says why."""
        try:
            shown = rooms.view_for(
                rooms.room_of(rooms.Access(self.storage, code)),
                Watcher.parse(watcher, visitor(browser)),
            ).to_dict()
        except RoomError as error:
            return {"refused": str(error)}
        return {"seat": without_clock(shown["seat"]), "live": without_clock(shown["live"])}

    def act(self, code: str, person: int, act: Shown) -> Any:
        """See :class:`Door`."""
        return rooms.act_at_seat(rooms.Access(self.storage, code, visitor(person)), person, act)


class OverTheWire:
    """A door of a running server; every call opens a new connection."""

    def __init__(self, server: FrameServer) -> None:
        self.server, self.storage = server, server.storage

    def look(self, code: str, watcher: str, browser: int) -> Shown:
        """See :class:`Door`; a refusal has no reason."""
        with self._connected(code, watcher, browser) as connection:
            message = json.loads(connection.recv(timeout=TIMEOUT))
        assert message["mark"]
        if message["mark"] == "gone":
            return {"gone": True}
        return {
            "seat": without_clock(message.get("seat")),
            "live": without_clock(message.get("live", {})),
        }

    def act(self, code: str, person: int, act: Shown) -> Any:
        """See :class:`Door`."""
        with self._connected(code, f"person:{person}", person) as connection:
            connection.recv(timeout=TIMEOUT)
            connection.send(json.dumps(act))
            while "answer" not in (message := json.loads(connection.recv(timeout=TIMEOUT))):
                pass
        assert message["answer"]["mark"] == act["mark"]
        return message["answer"]["refused"]

    @contextmanager
    def _connected(self, code: str, watcher: str, browser: int) -> Iterator[ClientConnection]:
        address = f"ws://127.0.0.1:{self.server.port}/news?code={code}&as={watcher}"
        cookie = {"Cookie": f"{COOKIE}={token(browser)}"}
        with connect(address, additional_headers=cookie, proxy=None) as connection:
            yield connection


def without_clock(said: Any) -> Any:
    """Return a message without the time at which it was sent."""
    if not isinstance(said, dict):
        return said
    return {name: without_clock(value) for name, value in said.items() if name != "clock"}
