"""What a database driver reports, as an error that says what to do."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from explorer.storage.errors import (
    ConflictError,
    DatabaseBusyError,
    DatabaseUnavailableError,
    DiskFullError,
    NotADatabaseError,
    NotWritableError,
    StorageError,
)

__all__ = ["from_os", "translated"]

_Meaning = tuple[type[StorageError], str]

_CONFLICT: _Meaning = (
    ConflictError,
    "Somebody else has just written the same. Load it again and repeat what you did.",
)
_BUSY: _Meaning = (
    DatabaseBusyError,
    "Others kept the database locked for too long; nothing was written. Try again.",
)
_FULL: _Meaning = (
    DiskFullError,
    "The disk of the database is full; nothing was written. Make room and try again.",
)
_READ_ONLY: _Meaning = (
    NotWritableError,
    "The database can only be read; nothing was written. Give this program's user the right to "
    "write to its folder and files, or name another database in NIP_EXPLORER_DATABASE.",
)
_MISSING: _Meaning = (
    DatabaseUnavailableError,
    "The database's file cannot be opened: it was moved or deleted, or its folder is full or "
    "closed to this program. Put it right and try again, or start the program anew to begin an "
    "empty one.",
)
_NOT_OURS: _Meaning = (
    NotADatabaseError,
    "The file is no database, or it is damaged. Move it away and restore a copy, or name another "
    "database in NIP_EXPLORER_DATABASE.",
)
_DISK: _Meaning = (
    DatabaseUnavailableError,
    "The disk of the database reports an error; it may be full, over its quota, or failing. "
    "Nothing was written. Look after the disk and try again.",
)
_AWAY: _Meaning = (
    DatabaseUnavailableError,
    "The database server cannot be reached, or refuses the connection. Check that it runs (and, if "
    "it never worked, the user, the password and the name in NIP_EXPLORER_DATABASE), then try "
    "again. What was being written may be kept or not; loading it again will show.",
)
_REPLACED: _Meaning = (
    DatabaseUnavailableError,
    "The database lacks its tables: it was emptied or replaced while in use. Restore it and start "
    "the program anew.",
)

# By the beginning of the name of SQLite's result code; the first that fits counts.
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
# By the beginning of the SQLSTATE; the first that fits counts.
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


@contextmanager
def translated(*drivers: type[Exception]) -> Generator[None]:
    """Let only :class:`StorageError` out of a block that talks to the database.

    Parameters
    ----------
    *drivers : type
        The base class of a driver's exceptions, for a block that talks to the driver itself.

    Notes
    -----
    The driver's own exception is not chained: its text may quote what was to be written.
    """
    try:
        yield
    except PoolTimeoutError:
        raise _make(_BUSY) from None
    except DBAPIError as error:
        raise _from_driver(error.orig) from None
    except drivers as error:
        raise _from_driver(error) from None


def _from_driver(cause: BaseException | None) -> StorageError:
    sqlite_code = getattr(cause, "sqlite_errorname", None)
    if sqlite_code is not None:
        return _look_up(_SQLITE, sqlite_code)
    sqlstate = getattr(cause, "sqlstate", None)
    if sqlstate is None:
        # The driver has no code from a server that it did not reach.
        return _make(_AWAY)
    return _look_up(_POSTGRES, sqlstate)


def _look_up(meanings: dict[str, _Meaning], code: str) -> StorageError:
    for beginning, meaning in meanings.items():
        if code.startswith(beginning):
            return _make(meaning)
    return StorageError(f"The database reports {code}; nothing was written.")


def _make(meaning: _Meaning) -> StorageError:
    kind, message = meaning
    return kind(message)


def from_os(error: OSError) -> StorageError:
    """What the operating system says when the database's file is made."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return _make(_FULL)
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return _make(_READ_ONLY)
        case errno.EISDIR:
            return _make(_NOT_OURS)
        case _:
            return _make(_MISSING)
