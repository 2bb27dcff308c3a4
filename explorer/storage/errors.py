"""Every exception that the storage raises on purpose, in one tree.

.. code-block:: text

    StorageError
    ├── DatabaseURLError (ValueError)       the database's address cannot be used
    ├── StorageInputError (ValueError)      a title, tag or draft cannot be kept
    │   └── TooMuchWrittenError             a visitor has written enough for a day (`written`)
    ├── NoSuchEpisodeError (LookupError)    there is no such episode, or it was deleted
    ├── ConflictError                       somebody else has written since
    │   └── HaltedError                     the table rests, or is over
    ├── OfARoomError                        the episode is a room's: only its people write in it
    ├── DamagedEpisodeError                 what is stored does not follow the rules
    ├── NewerSchemaError                    a newer version of the program wrote the database
    ├── NotADatabaseError                   the file is something else, or damaged
    ├── NotWritableError                    the folder, file or user may only read
    ├── DiskFullError                       there is no room
    ├── DatabaseBusyError                   others keep the database locked
    └── DatabaseUnavailableError            the file or the server is not there

Whichever is raised by a write, nothing of that write is kept; the only exception is a connection
that breaks in the very moment of the commit. Messages never hold what was to be written, nor a
password, and say what to do.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "ConflictError",
    "DamagedEpisodeError",
    "DatabaseBusyError",
    "DatabaseURLError",
    "DatabaseUnavailableError",
    "DiskFullError",
    "HaltedError",
    "NewerSchemaError",
    "NoSuchEpisodeError",
    "NotADatabaseError",
    "NotWritableError",
    "OfARoomError",
    "StorageError",
    "StorageInputError",
]

AWAY = (
    "The server cannot reach its database at the moment. What you have typed is still in this "
    "browser: try again once it is back."
)


class StorageError(Exception):
    """Base class of all exceptions that the storage raises on purpose."""

    # Is it over, as a rule, before long, without anything being done about it here?
    passes: ClassVar[bool] = False

    @property
    def for_people(self) -> str:
        """What to tell people who do not run the server, and cannot mend it."""
        return AWAY if self.passes else str(self)


class DatabaseURLError(StorageError, ValueError):
    """The database's address cannot be used. The message does not repeat it."""


class StorageInputError(StorageError, ValueError):
    """A title, a tag or a draft cannot be kept."""


class NoSuchEpisodeError(StorageError, LookupError):
    """There is no such episode, or it was deleted."""


class ConflictError(StorageError):
    """Somebody else has written since the caller last read."""


class HaltedError(ConflictError):
    """The table at which the episode is played rests, or is over: nobody moves there."""


class OfARoomError(StorageError):
    """The episode was played in a room: it stays as its people have played it."""


class DamagedEpisodeError(StorageError):
    """What is stored of an episode cannot be played again."""


class NewerSchemaError(StorageError):
    """The database was written by a newer version of the program."""


class NotADatabaseError(StorageError):
    """The file is no database, one of another program, or damaged."""


class NotWritableError(StorageError):
    """The folder or file, or the user of the server, may only read."""


class DiskFullError(StorageError):
    """There is no room for what was to be written."""


class DatabaseBusyError(StorageError):
    """Others kept the database locked for too long."""

    passes = True


class DatabaseUnavailableError(StorageError):
    """The database's file or server is not there, or went away."""

    passes = True
