"""What windows show, seen with their eyes: what concerns them, and the mark of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlencode

from explorer.game_table.sitting import screen_mark
from explorer.game_table.table import Table
from explorer.news.addresses import NEWS
from explorer.news.marks import sealed
from explorer.rooms import (
    RoomError,
    Watcher,
    answer_topics_of,
    episodes_of,
    read_code,
    watch_mark,
)
from explorer.storage import Storage, episode_topic, presence_topic, room_topic

__all__ = ["AtTable", "InRoom", "Place", "news_of_room", "news_of_screen", "place_of"]


class Place(Protocol):
    """Something that a window shows."""

    @property
    def presence(self) -> tuple[str, str] | None:
        """The room in which the window is counted as one that is there, and as whose."""
        ...

    def topics(self, storage: Storage) -> set[str]:
        """What is to be listened to."""
        ...

    def mark(self, storage: Storage) -> str:
        """The mark of what is shown now.

        Raises
        ------
        NipError, RoomError, StorageError
            If it is not there, or not for this window.
        """
        ...


class AtTable:
    """A screen of the Play page: whoever has an episode's address sits at its table.

    Parameters
    ----------
    episode_id : str
    present : str
        The seat whose person was last seen at the screen; may be empty.
    """

    presence: tuple[str, str] | None = None

    def __init__(self, episode_id: str, present: str) -> None:
        self.episode_id = episode_id
        self.present = present

    def topics(self, storage: Storage) -> set[str]:
        """The episode."""
        del storage
        return {episode_topic(self.episode_id)}

    def mark(self, storage: Storage) -> str:
        """Of what the screen shows."""
        return sealed(screen_mark(Table(storage, self.episode_id), self.present))


class InRoom:
    """A window onto a room.

    Parameters
    ----------
    code : str
    watcher : Watcher
        Whose right to look is asked for with every look.
    """

    def __init__(self, code: str, watcher: Watcher) -> None:
        self.code = code
        self.watcher = watcher
        self.presence: tuple[str, str] | None = (code, str(watcher))

    def topics(self, storage: Storage) -> set[str]:
        """The room, the answers and episodes that are shown, and who is there, if that is shown."""
        topics = {room_topic(self.code), *answer_topics_of(storage, self.code, self.watcher)}
        topics |= {episode_topic(each) for each in episodes_of(storage, self.code, self.watcher)}
        if self.watcher.kind in ("lead", "projector"):
            topics.add(presence_topic(self.code))
        return topics

    def mark(self, storage: Storage) -> str:
        """Of what the room shows them."""
        return sealed(watch_mark(storage, self.code, self.watcher))


def news_of_screen(table: Table, present: str | None) -> tuple[str, str]:
    """Where a screen of the Play page hears of news, and the mark of what it shows now."""
    asked = {"episode": table.id, "present": present or ""}
    return f"{NEWS}?{urlencode(asked)}", sealed(screen_mark(table, present))


def news_of_room(storage: Storage, code: str, watcher: Watcher) -> tuple[str, str]:
    """Where a window onto a room hears of news, and the mark of what it shows now.

    Parameters
    ----------
    storage : Storage
    code : str
        As the room has it.
    watcher : Watcher

    Raises
    ------
    RoomError
        If it may not look at the room in this way.
    """
    place = InRoom(code, watcher)
    asked = {"code": place.code, "as": str(watcher)}
    return f"{NEWS}?{urlencode(asked)}", place.mark(storage)


def place_of(query: Mapping[str, str], visitor: str) -> Place | None:
    """What an address asks to be told about; None if that is nothing."""
    if "episode" in query:
        return AtTable(query["episode"], query.get("present", ""))
    try:
        return InRoom(read_code(query["code"]), Watcher.parse(query["as"], visitor))
    except (KeyError, RoomError):
        return None
