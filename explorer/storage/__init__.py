"""Episodes in a database: SQLite in the user's data folder by default, PostgreSQL by URL.

.. code-block:: python

    with open_storage() as storage:
        episode_id = storage.create(episode, tags=["workshop"])
        stored = storage.load(episode_id)
        stored.episode.play(move)
        storage.append(episode_id, stored.episode, stored.version)

When `append` returns, the moves are on disk. If two callers play on from the same version, only one
succeeds: the other gets a :class:`ConflictError`, loads the episode again and repeats the move.
SQLite runs in WAL mode with ``synchronous=FULL``, so an acknowledged move survives ``kill -9`` and,
if the disk flushes as it promises, a power cut. So does PostgreSQL with its default settings
(``synchronous_commit``, ``fsync``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported

if TYPE_CHECKING:
    from explorer.storage.change_feed import (
        ChangeFeed,
        answers_topic,
        episode_topic,
        presence_topic,
        room_topic,
    )
    from explorer.storage.engines import (
        DATABASE_FILE_VARIABLE,
        DATABASE_VARIABLE,
        PRAGMAS,
        address_in,
        data_folder,
        database_folder,
        make_engine,
    )
    from explorer.storage.entries import Criteria, Entry, Order
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
    from explorer.storage.limits import MINUTES, TooMuchWrittenError, Writer, set_source, writing_as
    from explorer.storage.records import EpisodeStatus, event_rows, progress_columns, stamp
    from explorer.storage.rooms import (
        LoggedEvent,
        RoomChange,
        RoomEvent,
        RoomRows,
        Rooms,
        hashed_key,
    )
    from explorer.storage.storage import Storage, StoredEpisode, open_storage
    from explorer.storage.visitors import BEAT, SILENT, Budgets, Drafts, Presence

__all__, __getattr__, __dir__ = exported(__name__)
