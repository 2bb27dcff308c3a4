"""Episodes in a database: SQLite in the user's data folder by default, PostgreSQL by URL.

.. code-block:: python

    with open_storage() as storage:
        episode_id = storage.create(episode, tags=["workshop"])
        stored = storage.load(episode_id)
        stored.episode.play(move)
        storage.append(episode_id, stored.episode, stored.version)

What `append` has returned from is on the disk. Two who play on from the same version cannot both
succeed: the second gets a :class:`ConflictError`, loads the episode again and repeats the move.
SQLite runs in WAL mode with ``synchronous=FULL``, so an acknowledged move outlives ``kill -9`` and,
where the disk keeps its word, a power cut; PostgreSQL does the same unless its server was told
otherwise (``synchronous_commit``, ``fsync``).
"""

from __future__ import annotations

from explorer.storage.budgets import DEFAULT_TOKENS, Budgets, Caps, Use
from explorer.storage.drafts import Drafts
from explorer.storage.engines import DATABASE_VARIABLE, data_folder
from explorer.storage.entries import Entry, EpisodeStatus, stamp
from explorer.storage.errors import (
    ConflictError,
    DamagedEpisodeError,
    DatabaseBusyError,
    DatabaseUnavailableError,
    DatabaseURLError,
    DiskFullError,
    HaltedError,
    NewerSchemaError,
    NoSuchEpisodeError,
    NotADatabaseError,
    NotWritableError,
    OfARoomError,
    StorageError,
    StorageInputError,
)
from explorer.storage.exchange import Imported
from explorer.storage.finding import Criteria, Order
from explorer.storage.news import (
    News,
    answers_topic,
    episode_topic,
    presence_topic,
    room_topic,
)
from explorer.storage.presence import Presence
from explorer.storage.rooms import RoomChange, RoomRows, Rooms, hashed_key
from explorer.storage.storage import Storage, StoredEpisode, open_storage
from explorer.storage.tries import MINUTES
from explorer.storage.written import TooMuchWrittenError, Writer, set_source, writing_as

__all__ = [
    "DATABASE_VARIABLE",
    "DEFAULT_TOKENS",
    "MINUTES",
    "Budgets",
    "Caps",
    "ConflictError",
    "Criteria",
    "DamagedEpisodeError",
    "DatabaseBusyError",
    "DatabaseURLError",
    "DatabaseUnavailableError",
    "DiskFullError",
    "Drafts",
    "Entry",
    "EpisodeStatus",
    "HaltedError",
    "Imported",
    "NewerSchemaError",
    "News",
    "NoSuchEpisodeError",
    "NotADatabaseError",
    "NotWritableError",
    "OfARoomError",
    "Order",
    "Presence",
    "RoomChange",
    "RoomRows",
    "Rooms",
    "Storage",
    "StorageError",
    "StorageInputError",
    "StoredEpisode",
    "TooMuchWrittenError",
    "Use",
    "Writer",
    "answers_topic",
    "data_folder",
    "episode_topic",
    "hashed_key",
    "open_storage",
    "presence_topic",
    "room_topic",
    "set_source",
    "stamp",
    "writing_as",
]
