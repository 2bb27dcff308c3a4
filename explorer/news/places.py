"""What windows show, seen with their eyes: what concerns them, and the mark of it."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from explorer.game_table.sitting import screen_mark
from explorer.game_table.table import Table
from explorer.news.addresses import INVITATION, NEWS
from explorer.news.marks import sealed
from explorer.rooms import (
    NoSuchRoomError,
    Room,
    RoomError,
    Shown,
    Watcher,
    act_at_seat,
    answer_topics_of,
    episodes_of,
    read_code,
    room_lately,
    shown_of,
    shown_to,
)
from explorer.storage import Storage, episode_topic, presence_topic, room_topic
from nip_core.displays import displayed

__all__ = [
    "NEWS_OF_DATABASE",
    "AtTable",
    "Database",
    "InRoom",
    "Look",
    "Place",
    "news_of_room",
    "news_of_screen",
    "place_of",
]


# Where a page hears that the database is back.
NEWS_OF_DATABASE = f"{NEWS}?{urlencode({'database': ''})}"


@displayed
@dataclass(frozen=True, slots=True)
class Look:
    """What a window shows now.

    Parameters
    ----------
    mark : str
        Of what its page draws.
    seat : dict, optional
        What its line brings beside that, to a person at a table.
    live : dict
        What its line brings to the fronts of a lesson that are on the page, by their names there.
    """

    mark: str
    seat: dict[str, Any] | None = None
    live: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])


class Place(ABC):
    """Something that a window shows; most windows take no acts.

    Attributes
    ----------
    presence : tuple of str, optional
        The room in which the window is counted as one that is there, and as whose.
    takes_acts : bool
        May something be done in the window, over its line?
    """

    presence: tuple[str, str] | None = None
    takes_acts: bool = False

    @abstractmethod
    def topics(self, storage: Storage) -> set[str]:
        """What is to be listened to."""

    @abstractmethod
    def look(self, storage: Storage, *, listens: bool = False) -> Look:
        """What is shown now.

        Parameters
        ----------
        storage : Storage
        listens : bool
            Is all of it listened to, so that it has not changed since somebody else has looked?

        Raises
        ------
        NipError, RoomError, StorageError
            If it is not there, or not for this window.
        """

    def act(self, storage: Storage, said: Any) -> dict[str, str | None] | None:
        """Do what the window asks for, which may be anything; why it was refused, if it was."""
        raise NotImplementedError


class AtTable(Place):
    """A screen of the Play page: whoever has an episode's address sits at its table.

    Moves go through the page, which knows who sits before it.

    Parameters
    ----------
    episode_id : str
    present : str
        The seat whose person was last seen at the screen; may be empty.
    """

    def __init__(self, episode_id: str, present: str) -> None:
        self.episode_id = episode_id
        self.present = present

    def topics(self, storage: Storage) -> set[str]:
        """The episode."""
        del storage
        return {episode_topic(self.episode_id)}

    def look(self, storage: Storage, *, listens: bool = False) -> Look:
        """What the screen shows."""
        del listens
        return Look(sealed(screen_mark(Table(storage, self.episode_id), self.present)))


class Database(Place):
    """What a page shows that could not be shown without the database: nothing, until it is back."""

    def topics(self, storage: Storage) -> set[str]:
        """Nothing is told of it: whether it is there is asked."""
        del storage
        return set()

    def look(self, storage: Storage, *, listens: bool = False) -> Look:
        """It is there; every time by another mark, since it may be lost more than once."""
        del listens
        storage.rooms.next_deadline()
        return Look(secrets.token_hex(8))


class InRoom(Place):
    """A window onto a room.

    Parameters
    ----------
    code : str
    watcher : Watcher
        Whose right to look is asked for with every look.
    invitation : str
        The key with which somebody comes who has no place in the room.
    """

    def __init__(self, code: str, watcher: Watcher, invitation: str = "") -> None:
        self.code = code
        self.watcher = watcher
        self.invitation = invitation
        self.presence = (code, str(watcher))
        # A person's moves come over the line.
        self.takes_acts = watcher.kind == "person"

    def topics(self, storage: Storage) -> set[str]:
        """The room, the answers and episodes that are shown, and who is there, if that is shown."""
        topics = {room_topic(self.code), *answer_topics_of(storage, self.code, self.watcher)}
        topics |= {episode_topic(each) for each in episodes_of(storage, self.code, self.watcher)}
        if self.watcher.kind in ("lead", "projector"):
            topics.add(presence_topic(self.code))
        return topics

    def look(self, storage: Storage, *, listens: bool = False) -> Look:
        """What the room shows them."""
        self._check_code(storage)
        return _look(shown_to(storage, self.code, self.watcher, listens=listens))

    def _check_code(self, storage: Storage) -> None:
        """See that nobody tries codes here, where tries are not counted."""
        if self.watcher.kind == "gallery":
            room = room_lately(storage, self.code)
            if not (room.invites(self.invitation) or room.knows(self.watcher.visitor)):
                raise NoSuchRoomError

    def act(self, storage: Storage, said: Any) -> dict[str, str | None] | None:
        """Do something at the person's seat."""
        assert self.watcher.person is not None
        return act_at_seat(storage, self.code, self.watcher.person, self.watcher.visitor, said)


def news_of_screen(table: Table, present: str | None) -> tuple[str, str]:
    """Where a screen of the Play page hears of news, and the mark of what it shows now."""
    asked = {"episode": table.id, "present": present or ""}
    return f"{NEWS}?{urlencode(asked)}", sealed(screen_mark(table, present))


def news_of_room(storage: Storage, room: Room, watcher: Watcher) -> tuple[str, Look]:
    """Where a window onto a room hears of news, and what it shows now.

    Parameters
    ----------
    storage : Storage
    room : Room
        As the page draws it.
    watcher : Watcher

    Raises
    ------
    RoomError
        If it may not look at the room in this way.
    """
    asked = {"code": room.code, "as": str(watcher)}
    if watcher.kind == "gallery":
        asked[INVITATION] = room.invitation
    return f"{NEWS}?{urlencode(asked)}", _look(shown_of(storage, room, watcher))


def _look(shown: Shown) -> Look:
    return Look(sealed(shown.facts), shown.seat, shown.live)


def place_of(query: Mapping[str, str], visitor: str) -> Place | None:
    """What an address asks to be told about; None if that is nothing."""
    if "database" in query:
        return Database()
    if "episode" in query:
        return AtTable(query["episode"], query.get("present", ""))
    try:
        watcher = Watcher.parse(query["as"], visitor)
        return InRoom(read_code(query["code"]), watcher, query.get(INVITATION, ""))
    except (KeyError, RoomError):
        return None
