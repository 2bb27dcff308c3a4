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

from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.storage.change_feed import (
        ChangeFeed as ChangeFeed,
        answers_topic as answers_topic,
        episode_topic as episode_topic,
        presence_topic as presence_topic,
        room_topic as room_topic,
    )
    from explorer.storage.drawings import (
        Drawings as Drawings,
        KeptVersion as KeptVersion,
    )
    from explorer.storage.engines import (
        DATABASE_FILE_VARIABLE as DATABASE_FILE_VARIABLE,
        DATABASE_VARIABLE as DATABASE_VARIABLE,
        PRAGMAS as PRAGMAS,
        address_in as address_in,
        data_folder as data_folder,
        database_folder as database_folder,
        make_engine as make_engine,
    )
    from explorer.storage.entries import (
        Criteria as Criteria,
        Entry as Entry,
        Order as Order,
    )
    from explorer.storage.errors import (
        ConflictError as ConflictError,
        DamagedEpisodeError as DamagedEpisodeError,
        DatabaseBusyError as DatabaseBusyError,
        DatabaseUnavailableError as DatabaseUnavailableError,
        DatabaseURLError as DatabaseURLError,
        DiskFullError as DiskFullError,
        HaltedError as HaltedError,
        NewerSchemaError as NewerSchemaError,
        NoSuchEpisodeError as NoSuchEpisodeError,
        NotADatabaseError as NotADatabaseError,
        NotWritableError as NotWritableError,
        OfARoomError as OfARoomError,
        StorageError as StorageError,
        StorageInputError as StorageInputError,
    )
    from explorer.storage.exchange import Imported as Imported
    from explorer.storage.limits import (
        MINUTES as MINUTES,
        TooMuchWrittenError as TooMuchWrittenError,
        Writer as Writer,
        set_source as set_source,
        writing_as as writing_as,
    )
    from explorer.storage.participants import (
        Events as Events,
        Participant as Participant,
        Participants as Participants,
        PeopleStudyRow as PeopleStudyRow,
        StudyChange as StudyChange,
    )
    from explorer.storage.records import (
        EpisodeStatus as EpisodeStatus,
        event_rows as event_rows,
        progress_columns as progress_columns,
        stamp as stamp,
    )
    from explorer.storage.rooms import (
        LoggedEvent as LoggedEvent,
        RoomChange as RoomChange,
        RoomEvent as RoomEvent,
        RoomRows as RoomRows,
        Rooms as Rooms,
        hashed_key as hashed_key,
    )
    from explorer.storage.storage import (
        Storage as Storage,
        StoredEpisode as StoredEpisode,
        open_storage as open_storage,
    )
    from explorer.storage.visitors import (
        BEAT as BEAT,
        SILENT as SILENT,
        Budgets as Budgets,
        Drafts as Drafts,
        Presence as Presence,
    )

__all__, __getattr__, __dir__ = exported(__name__)
