"""What was read of rooms just now, for all windows that hear of the same change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from explorer.rooms.room import Room, room_of
from explorer.rooms.tables import episode_at
from explorer.storage import Rooms, Storage, episode_topic, room_topic
from nip_core.play import Episode

__all__ = ["episode_lately", "room_lately"]

MOST_KEPT = 400

Result = TypeVar("Result")


class Lately:
    """What was read after a topic was told of last; until it is told of again, it is still so."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[int, Any]] = OrderedDict()
        self._reading: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def read(self, storage: Storage, topic: str, read: Callable[[], Result]) -> Result:
        """Read it; of several who ask at the same moment one does, and the others wait."""
        if storage.news.moment(topic) is None:
            return read()
        with self._lock:
            reading = self._reading.setdefault(topic, threading.Lock())
        with reading:
            # Before it is read, so that what changes in between is read again.
            moment = storage.news.moment(topic)
            if moment is None:
                return read()
            with self._lock:
                known = self._kept.get(topic)
            if known is None or known[0] != moment:
                known = moment, read()
            with self._lock:
                self._kept[topic] = known
                self._kept.move_to_end(topic)
                while len(self._kept) > MOST_KEPT:
                    self._reading.pop(self._kept.popitem(last=False)[0], None)
            return cast("Result", known[1])


_lately: WeakKeyDictionary[Rooms, Lately] = WeakKeyDictionary()
_lock = threading.Lock()


def _of(storage: Storage) -> Lately:
    with _lock:
        return _lately.setdefault(storage.rooms, Lately())


def room_lately(storage: Storage, code: str) -> Room:
    """A room, for somebody who listens to it; code as the room has it.

    Raises
    ------
    NoSuchRoomError
    """
    return _of(storage).read(storage, room_topic(code), lambda: room_of(storage, code))


def episode_lately(storage: Storage, room: Room, episode_id: str) -> Episode:
    """An episode of a room to look at, for somebody who listens to it."""
    topic = episode_topic(episode_id)
    return _of(storage).read(storage, topic, lambda: episode_at(storage, room, episode_id))
