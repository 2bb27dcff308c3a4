"""Database addresses, and connections whose commits are durable."""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Insert, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidatePoolError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import QueuePool
from sqlalchemy.sql.dml import ReturningInsert

from explorer.project import install_extra
from explorer.storage import erasing
from explorer.storage.errors import DatabaseURLError, StorageError, from_os, translated
from nip_core.displays import line

DATABASE_VARIABLE = "NIP_EXPLORER_DATABASE"
# A file keeps the address out of the process list, which every user of the machine can read.
DATABASE_FILE_VARIABLE = "NIP_EXPLORER_DATABASE_FILE"
MOST_ADDRESS = 4096
FOLDER = "nip-explorer"
FILE = "episodes.db"
TIMEOUT_S = 10
# What SQLAlchemy raises when a database fails; see `translated`.
DATABASE_ERRORS = (PoolTimeoutError, DBAPIError)

# FULL: in WAL mode (see `schema`), a commit returns once the log is on disk, so an acknowledged
# move survives a killed process and a power cut. NORMAL would be faster, but a power cut could lose
# the last moves. On macOS only `fullfsync` makes the disk empty its own cache. secure_delete and
# temp_store: what is deleted for good is overwritten, and no other file has copies of it.
PRAGMAS = """
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA checkpoint_fullfsync = ON;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA temp_store = MEMORY;
"""
# A lost server is noticed after seconds, not after the hours that TCP allows.
POSTGRES_OPTIONS = {
    "connect_timeout": TIMEOUT_S,
    "tcp_user_timeout": TIMEOUT_S * 1000,
    "keepalives_idle": TIMEOUT_S,
    "keepalives_interval": TIMEOUT_S // 2,
    "keepalives_count": 2,
    # A process that is suspended in the middle of a change loses its locks.
    "options": f"-c lock_timeout={TIMEOUT_S}s "
    f"-c idle_in_transaction_session_timeout={3 * TIMEOUT_S}s",
    "application_name": FOLDER,
}
POSTGRES_NAMES = ("postgres", "postgresql", "postgresql+psycopg")
EXPECTED = (
    "It looks like sqlite:////folder/file.db or postgresql+psycopg://user:password@host/database"
)


def data_folder(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the app's folder among the user's data on this system."""
    if platform == "win32":
        base, fallback = environment.get("LOCALAPPDATA"), ("AppData", "Local")
    elif platform == "darwin":
        base, fallback = None, ("Library", "Application Support")
    else:
        base, fallback = environment.get("XDG_DATA_HOME"), (".local", "share")
    # The XDG specification says that a relative path is to be ignored.
    if base and Path(base).is_absolute():
        return Path(base) / FOLDER
    try:
        return Path.home().joinpath(*fallback) / FOLDER
    except RuntimeError:
        raise DatabaseURLError(
            f"There is no home folder to keep episodes in. Set {DATABASE_VARIABLE}. {EXPECTED}."
        ) from None


def address_in(file: Path) -> str:
    """Return the address in the first line of a file, which keeps it out of the process list.

    An error does not quote it.
    """
    try:
        with file.open("rb") as opened:
            line = opened.readline(MOST_ADDRESS + 1)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise DatabaseURLError(
            f"The file with the database's address, {file}, cannot be read: {why}."
        ) from None
    try:
        address = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        address = ""
    if not address or len(line) > MOST_ADDRESS:
        raise DatabaseURLError(
            f"The first line of {file} must be the database's address, in UTF-8. {EXPECTED}."
        )
    return address


def read_url(text: str | None = None) -> URL:
    """Return the database's address: the argument, the environment's, or a file in the data folder.

    The environment has either the address itself or the name of a file that contains it. Errors do
    not quote the address, since it may contain a password.
    """
    text = text or os.environ.get(DATABASE_VARIABLE)
    if not text and (file := os.environ.get(DATABASE_FILE_VARIABLE)):
        text = address_in(Path(file))
    if not text:
        return URL.create("sqlite", database=str(data_folder() / FILE))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise DatabaseURLError(f"The database's address cannot be read. {EXPECTED}.") from None
    if url.drivername in POSTGRES_NAMES:
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "sqlite":
        raise DatabaseURLError(
            f"Episodes are kept in SQLite or PostgreSQL, by psycopg; not in {url.drivername!r}. "
            f"{EXPECTED}."
        )
    if not url.database or url.database.startswith((":", "file:")) or url.query:
        raise DatabaseURLError(f"SQLite needs the path of a file, and nothing else. {EXPECTED}.")
    return url


def database_folder() -> Path | None:
    """Return the folder of the database's file; None if it is on a server, or cannot be found."""
    try:
        url = read_url()
    except StorageError:
        return None
    if url.drivername != "sqlite":
        return None
    return Path(url.database or "").expanduser().absolute().parent


def make_engine(url: URL) -> Engine:
    """Return an engine for a database; a missing SQLite file is created."""
    if url.drivername == "sqlite":
        return _sqlite_engine(Path(url.database or "").expanduser().absolute())
    options = {k: v for k, v in POSTGRES_OPTIONS.items() if k not in url.query}
    try:
        # The ping keeps the pool usable after a restart of the server.
        return create_engine(url, connect_args=options, pool_pre_ping=True, hide_parameters=True)
    except ModuleNotFoundError:
        raise DatabaseURLError(
            f"PostgreSQL needs the package psycopg: {install_extra('postgres')}."
        ) from None


def _sqlite_engine(path: Path) -> Engine:
    _make_file(path)
    # Mode rw: if the file vanishes, no connection silently creates an empty one.
    address = f"{path.as_uri()}?mode=rw"

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            address,
            uri=True,
            timeout=TIMEOUT_S,
            # A writing transaction takes the lock at once. If it began by reading, it could not
            # wait for the lock later.
            isolation_level="IMMEDIATE",
            check_same_thread=False,
        )
        try:
            connection.executescript(PRAGMAS)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        hide_parameters=True,
        # Parameters by name, as with PostgreSQL, so that code for the driver works with both.
        paramstyle="named",
    )
    _notice_moves(engine, path)
    return engine


def _make_file(path: Path) -> None:
    """Create the folder and file for this user alone: they contain labels and people's texts."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        if not os.access(path.parent, os.W_OK):
            # SQLite keeps its log beside the file.
            raise PermissionError(errno.EACCES, "the folder cannot be written to")
    except OSError as error:
        raise from_os(error) from None


def _notice_moves(engine: Engine, path: Path) -> None:
    """Drop connections to a file that is no longer at its path.

    Their writes would go to a deleted or moved file, where nobody finds them.
    """
    file = str(path)

    def identity() -> tuple[int, int] | None:
        try:
            # Called before each statement; `Path.stat` takes several times as long.
            status = os.stat(file)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    @event.listens_for(engine, "connect")
    def remember(connection: Any, record: Any) -> None:
        del connection
        record.info["file"] = identity()

    @event.listens_for(engine, "checkout")
    def compare(connection: Any, record: Any, proxy: Any) -> None:
        del proxy
        if record.info["file"] != identity():
            # If only the file was moved, its log stayed behind; the log's content goes into the
            # file.
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            raise InvalidatePoolError


@contextmanager
def reading(engine: Engine) -> Generator[Connection]:
    """Open a connection for reading. Events are only appended, so no snapshot is needed."""
    try:
        with engine.connect() as connection:
            yield connection
    except DATABASE_ERRORS as error:
        raise translated(error) from None


@contextmanager
def writing(engine: Engine) -> Generator[Connection]:
    """Open a transaction, all of which is on disk at the end of the block, or nothing.

    It must begin with a statement that writes, since SQLite takes its lock then. Copies of what was
    erased in the block are removed at its end; see :mod:`explorer.storage.erasing`.
    """
    try:
        with engine.begin() as connection:
            erasing.begin(connection)
            yield connection
            erased = erasing.erased(connection)
    except DATABASE_ERRORS as error:
        raise translated(error) from None
    erasing.settle(engine, erased)


@contextmanager
def driving(engine: Engine) -> Generator[DBAPICursor]:
    """Open such a transaction with the driver's own cursor, for what is written with every move.

    SQLAlchemy's overhead per statement is several times the cost of the statement.
    """
    failure = engine.dialect.loaded_dbapi.Error
    try:
        with closing(engine.raw_connection()) as connection:
            try:
                yield connection.cursor()
                connection.commit()
            except failure as error:
                if engine.dialect.is_disconnect(error, connection, None):
                    connection.invalidate()
                raise
    except (*DATABASE_ERRORS, failure) as error:
        raise translated(error) from None


_INSERTS = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}


def insert_into(engine: Engine, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an insert statement that supports ``ON CONFLICT`` in the database's dialect."""
    return _INSERTS[engine.dialect.name](table)


def put(
    engine: Engine, table: Table, place: Mapping[str, Any], values: Mapping[str, Any]
) -> Insert:
    """Return the statement that writes a row, replacing the values of one with the same keys."""
    new = insert_into(engine, table).values(**place, **values)
    return new.on_conflict_do_update(index_elements=list(place), set_=dict(values))


def count_up(
    engine: Engine, table: Table, place: Mapping[str, Any], more: int
) -> ReturningInsert[int]:
    """Return the statement that adds to the ``count`` of a row, and returns the new count."""
    new = insert_into(engine, table).values(**place, count=more)
    changed = {"count": table.c.count + more}
    return new.on_conflict_do_update(index_elements=list(place), set_=changed).returning(
        table.c.count
    )


class DatabasePart:
    """The access to one kind of rows. All parts share the connections."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)
