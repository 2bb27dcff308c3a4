"""What windows show, seen with their eyes: what concerns them, and the mark of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlencode

from explorer.game_table.sitting import screen_mark
from explorer.game_table.table import Table
from explorer.news.marks import sealed
from explorer.storage import Storage, episode_topic

__all__ = ["AtTable", "Place", "news_of_screen", "place_of"]

ROUTE = "/news"


class Place(Protocol):
    """Something that a window shows."""

    def topics(self, storage: Storage) -> set[str]:
        """What is to be listened to."""
        ...

    def mark(self, storage: Storage) -> str:
        """The mark of what is shown now.

        Raises
        ------
        NipError, StorageError
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


def news_of_screen(table: Table, present: str | None) -> tuple[str, str]:
    """Where a screen of the Play page hears of news, and the mark of what it shows now."""
    asked = {"episode": table.id, "present": present or ""}
    return f"{ROUTE}?{urlencode(asked)}", sealed(screen_mark(table, present))


def place_of(query: Mapping[str, str], visitor: str) -> Place | None:
    """What an address asks to be told about; None if that is nothing."""
    del visitor
    if "episode" in query:
        return AtTable(query["episode"], query.get("present", ""))
    return None
