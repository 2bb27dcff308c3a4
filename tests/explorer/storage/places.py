"""A place to store episodes, which can be broken in ways that both kinds of database have."""

from __future__ import annotations

import contextlib
import sqlite3
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg

from explorer.storage import Storage, open_storage
from tests.explorer.storage.postgres import FORM, Server


class SqlitePlace:
    """An SQLite file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "episodes.db"
        self.url = f"sqlite:///{self.path}"
        self.aside = folder / "aside.db"

    def another(self) -> SqlitePlace:
        """Return a new, empty place of the same kind."""
        return SqlitePlace(self.path.parent / uuid.uuid4().hex)

    def open(self) -> Storage:
        return open_storage(self.url)

    def execute(self, statement: str) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(self.path)) as connection, connection:
            return connection.execute(statement).fetchall()

    def tables(self) -> list[str]:
        return [n for (n,) in self.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]

    def content(self) -> object:
        """Return all content, to see that nothing was changed."""
        return self.path.read_bytes()

    def settle(self) -> None:
        """Do nothing: no server is still running the statements of killed processes."""

    def fill(self, storage: Storage) -> None:
        """Leave no room for more."""
        self._limit(storage, 1)

    def make_room(self, storage: Storage) -> None:
        self._limit(storage, 2**31 - 2)

    def _limit(self, storage: Storage, pages: int) -> None:
        # The limit belongs to the connection. There is one, since one thread has used the storage.
        assert storage._engine.pool.checkedin() == 1
        with storage._engine.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    def go_away(self) -> None:
        self.path.rename(self.aside)

    def come_back(self) -> None:
        self.aside.rename(self.path)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold a write lock meanwhile."""
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield


class PostgresPlace:
    """A database of a PostgreSQL server."""

    def __init__(self, server: Server, *, with_tables: bool = False) -> None:
        self.server = server
        self.name = server.new_database(with_tables=with_tables)
        self.url = server.url(self.name)

    def another(self) -> PostgresPlace:
        """Return a new, empty place of the same kind."""
        return PostgresPlace(self.server)

    def open(self) -> Storage:
        opened = open_storage(self.url)
        # The first one is opened before any test changes its tables.
        self.server.form = self.server.form or self.execute(FORM)[0][0]
        return opened

    def execute(self, statement: str) -> list[tuple]:
        return self.server.execute(statement, self.name)

    def tables(self) -> list[str]:
        wanted = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
        return [name for (name,) in self.execute(wanted)]

    def content(self) -> object:
        return {table: self.execute(f"SELECT * FROM {table}") for table in sorted(self.tables())}

    def settle(self) -> None:
        """Wait until statements of killed processes are finished."""
        others = (
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        while self.execute(others) != [(0,)]:
            time.sleep(0.01)

    def fill(self, storage: Storage) -> None:
        """Make the server report the error of a full disk."""
        del storage
        self.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
        )
        self.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON events "
            "FOR EACH ROW EXECUTE FUNCTION full_disk()"
        )

    def make_room(self, storage: Storage) -> None:
        del storage
        self.execute("DROP FUNCTION full_disk CASCADE")

    def go_away(self) -> None:
        self.server.stop()

    def come_back(self) -> None:
        self.server.start()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold a write lock meanwhile."""
        where = {"host": str(self.server.folder), "user": "nip", "dbname": self.name}
        with psycopg.connect(**where) as connection:
            connection.execute("LOCK TABLE episodes IN EXCLUSIVE MODE")
            yield


Place = SqlitePlace | PostgresPlace
