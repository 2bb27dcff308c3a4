"""Erasing: what people have written and then deleted is in no file of the database any more.

Databases keep copies of deleted rows: SQLite in its log and, where rows were moved between pages,
in the gaps of pages; PostgreSQL in the files of tables and indexes. So whatever deletes words or
names does it by `erase`. After the commit, `engines.writing` removes the copies. If somebody else
is reading, that fails, and is repeated by the next `remove_traces`.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, CursorResult, Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.sql.dml import Delete, Update

ERASED = "nip_erased"  # in the `info` of a connection: whether to remove the copies at once
# A larger database, or table of PostgreSQL, is not rewritten while people play, since they would
# wait for more than about a second. It is vacuumed, and its log emptied.
MOST_REWRITTEN = 64_000_000
# Milliseconds that others may have to wait while the log is locked by a reader, and seconds for
# PostgreSQL's statements that have begun before.
BUSY_MS, PATIENCE_S = 200, 2.0
# The tables with people's words and names.
TABLES = (
    "episodes", "setups", "events", "tags", "drafts", "rooms", "room_events", "room_private",
    "people", "answers", "room_tables", "room_seats", "drawings", "people_studies",
    "participants", "participant_events",
)  # fmt: skip
# Other transactions that could still see the deleted rows, which are kept for them.
OLDER = text(
    "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
    "AND datname = current_database() AND backend_xmin IS NOT NULL AND xact_start < :begun"
)

log = logging.getLogger("explorer")

# The databases in which copies are left, and whether their tables have to be rewritten as well.
_left: WeakKeyDictionary[Engine, bool] = WeakKeyDictionary()


def erase(
    connection: Connection,
    statement: Delete | Update,
    values: Sequence[Mapping[str, Any]] | None = None,
    *,
    soon: bool = False,
) -> CursorResult[Any]:
    """Delete or overwrite words or names, and remove all copies of them after the commit.

    With `soon`, for what is replaced while people play, the log is emptied within seconds, and the
    rest is removed by the next clean-up.
    """
    done = connection.execute(statement, values)
    if done.rowcount:
        connection.info[ERASED] = connection.info.get(ERASED, False) or not soon
    return done


def begin(connection: Connection) -> None:
    """Forget what an earlier transaction of a connection has erased and then rolled back."""
    connection.info.pop(ERASED, None)


def erased(connection: Connection) -> bool | None:
    """Return whether a transaction has erased something at once, or soon; None if nothing."""
    return connection.info.pop(ERASED, None)


def settle(engine: Engine, erased: bool | None) -> None:
    """Remove the copies after a commit, if it has erased something."""
    if erased:
        remove_traces(engine)
    elif erased is not None and engine.dialect.name == "sqlite":
        _left.setdefault(engine, False)


def remove_left(engine: Engine, *, closing: bool = False) -> None:
    """Remove copies that an earlier attempt had to leave; before `closing`, also SQLite's log."""
    if engine in _left or (closing and engine.dialect.name == "sqlite"):
        remove_traces(engine, rewrite=_left.get(engine, False))


def remove_traces(engine: Engine, *, rewrite: bool = True) -> bool:
    """Remove all copies of deleted rows from the database's files; return whether none is left.

    Without `rewrite`, only the log of SQLite is emptied. A failure is no error of what was
    committed, so nothing is raised.
    """
    remove = _from_sqlite if engine.dialect.name == "sqlite" else _from_postgresql
    try:
        done = remove(engine, rewrite)
    except (PoolTimeoutError, DBAPIError, engine.dialect.loaded_dbapi.Error) as error:
        log.info("Copies of deleted rows are left for now (%s)", type(error).__name__)
        done = False
    if done:
        _left.pop(engine, None)
    else:
        _left[engine] = rewrite or _left.get(engine, False)
    return done


def _from_sqlite(engine: Engine, rewrite: bool) -> bool:
    with contextlib.closing(engine.raw_connection()) as connection:
        cursor = connection.cursor()
        (patience,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        try:
            if rewrite and _size(cursor) <= MOST_REWRITTEN:
                # `secure_delete` overwrites rows, but not what moving them between pages leaves.
                cursor.execute("VACUUM")
            (busy, _, _) = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {patience}")
    return not busy


def _size(cursor: Any) -> int:
    sizes = (
        cursor.execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in ("page_count", "page_size")
    )
    return next(sizes) * next(sizes)


def _from_postgresql(engine: Engine, rewrite: bool) -> bool:
    if not rewrite:
        return True  # There is no log of the database's own: the server's is in its care
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        free = _no_older(connection)
        connection.exec_driver_sql(f"SET lock_timeout = '{round(1000 * PATIENCE_S)}ms'")
        try:
            for table in TABLES:
                size = connection.scalar(text(f"SELECT pg_total_relation_size('{table}')")) or 0
                # The statistics quote frequent values.
                full = "FULL, " if size <= MOST_REWRITTEN else ""
                connection.exec_driver_sql(f"VACUUM ({full}ANALYZE) {table}")
        finally:
            connection.exec_driver_sql("RESET lock_timeout")
    return free


def _no_older(connection: Connection) -> bool:
    """Wait a moment for older transactions of others; return whether all have ended."""
    begun, end = connection.scalar(text("SELECT clock_timestamp()")), time.monotonic() + PATIENCE_S
    while connection.scalar(OLDER, {"begun": begun}):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
