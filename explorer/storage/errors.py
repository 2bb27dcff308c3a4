"""The storage's exceptions, and how errors of drivers are translated into them."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial
from typing import ClassVar

AWAY = (
    "The server cannot reach its database at the moment. What you have typed is still in this "
    "browser: try again once it is back."
)


class StorageError(Exception):
    """Base class of all exceptions that the storage raises on purpose."""

    # Whether the problem usually passes soon without any action here.
    passes: ClassVar[bool] = False

    @property
    def for_people(self) -> str:
        """Return the message for people who do not run the server and cannot fix it."""
        return AWAY if self.passes else str(self)


class DatabaseURLError(StorageError, ValueError):
    """The database's address cannot be used. The message does not repeat it."""


class StorageInputError(StorageError, ValueError):
    """A title, a tag or a draft cannot be stored."""


class NoSuchEpisodeError(StorageError, LookupError):
    """There is no such episode, or it was deleted."""


class ConflictError(StorageError):
    """Somebody else has written since the caller last read."""


class HaltedError(ConflictError):
    """The table of the episode is paused or over, so nobody can move."""


class OfARoomError(StorageError):
    """The episode was played in a room and cannot be changed outside it."""


class DamagedEpisodeError(StorageError):
    """The stored events of an episode cannot be replayed."""


class NewerSchemaError(StorageError):
    """The database was written by a newer version of the program."""


class NotADatabaseError(StorageError):
    """The file is not a database, belongs to another program, or is damaged."""


class NotWritableError(StorageError):
    """The folder, the file or the database user has no write permission."""


class DiskFullError(StorageError):
    """There is not enough disk space."""


class DatabaseBusyError(StorageError):
    """Other processes kept the database locked for too long."""

    passes = True


class DatabaseUnavailableError(StorageError):
    """The database's file or server is missing or was lost."""

    passes = True


_Meaning = Callable[[], StorageError]

_CONFLICT: _Meaning = partial(
    ConflictError,
    "Somebody else has just written the same. Load it again and repeat what you did.",
)
_BUSY: _Meaning = partial(
    DatabaseBusyError,
    "Others kept the database locked for too long; nothing was written. Try again.",
)
_FULL: _Meaning = partial(
    DiskFullError,
    "The disk of the database is full; nothing was written. Make room and try again.",
)
_READ_ONLY: _Meaning = partial(
    NotWritableError,
    "The database can only be read; nothing was written. Give this program's user the right to "
    "write to its folder and files, or name another database in NIP_EXPLORER_DATABASE.",
)
_MISSING: _Meaning = partial(
    DatabaseUnavailableError,
    "The database's file cannot be opened: it was moved or deleted, or its folder is full or "
    "closed to this program. Put it right and try again, or start the program anew to begin an "
    "empty one.",
)
_NOT_OURS: _Meaning = partial(
    NotADatabaseError,
    "The file is not a database, or it is damaged. Move it away and restore a copy, or name "
    "another database in NIP_EXPLORER_DATABASE.",
)
_DISK: _Meaning = partial(
    DatabaseUnavailableError,
    "The disk of the database reports an error; it may be full, over its quota, or failing. "
    "Nothing was written. Check the disk and try again.",
)
_AWAY: _Meaning = partial(
    DatabaseUnavailableError,
    "The database server cannot be reached, or refuses the connection. Check that it runs (and, if "
    "it never worked, the user, the password and the name in NIP_EXPLORER_DATABASE), then try "
    "again. What was being written may be kept or not; loading it again will show.",
)
_REPLACED: _Meaning = partial(
    DatabaseUnavailableError,
    "The database lacks its tables: it was emptied or replaced while in use. Restore it and start "
    "the program anew.",
)

# By the prefix of the name of SQLite's result code; the first match counts.
_SQLITE: dict[str, _Meaning] = {
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_FULL": _FULL,
    "SQLITE_READONLY_DBMOVED": _MISSING,
    "SQLITE_READONLY": _READ_ONLY,
    "SQLITE_PERM": _READ_ONLY,
    "SQLITE_CANTOPEN": _MISSING,
    "SQLITE_NOTADB": _NOT_OURS,
    "SQLITE_CORRUPT": _NOT_OURS,
    "SQLITE_IOERR": _DISK,
    "SQLITE_ERROR": _REPLACED,
    "SQLITE_CONSTRAINT": _CONFLICT,
}
# By the prefix of the SQLSTATE; the first match counts.
_POSTGRES: dict[str, _Meaning] = {
    "23": _CONFLICT,
    "53100": _FULL,
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "42P01": _REPLACED,
    "55P03": _BUSY,
    "57014": _BUSY,
    "40": _BUSY,
    "08": _AWAY,
    "53": _AWAY,
    "57": _AWAY,
}


def translated(error: Exception) -> StorageError:
    """Return the :class:`StorageError` for an error of SQLAlchemy's or of a driver.

    It must not be chained to the driver's own, whose text may quote what was to be written.
    """
    # Imported here since a table in memory knows the exceptions, and needs no database.
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.exc import TimeoutError as PoolTimeoutError

    if isinstance(error, PoolTimeoutError):
        return _BUSY()
    return _from_driver(error.orig if isinstance(error, DBAPIError) else error)


def _from_driver(cause: BaseException | None) -> StorageError:
    sqlite_code = getattr(cause, "sqlite_errorname", None)
    if sqlite_code is not None:
        return _look_up(_SQLITE, sqlite_code)
    sqlstate = getattr(cause, "sqlstate", None)
    if sqlstate is None:
        # The driver has no error code if it did not reach the server.
        return _AWAY()
    return _look_up(_POSTGRES, sqlstate)


def _look_up(meanings: dict[str, _Meaning], code: str) -> StorageError:
    for beginning, meaning in meanings.items():
        if code.startswith(beginning):
            return meaning()
    return StorageError(f"The database reports {code}; nothing was written.")


_OS: dict[int | None, _Meaning] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), _FULL),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _READ_ONLY),
    errno.EISDIR: _NOT_OURS,
}


def from_os(error: OSError) -> StorageError:
    """Return the error for a failure of the operating system to create the database's file."""
    return _OS.get(error.errno, _MISSING)()
