"""Bring a database's tables up to date when it is opened, or say why that cannot be."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import OperationalError

from explorer.storage.engines import PATIENCE_S
from explorer.storage.errors import NewerSchemaError, NotADatabaseError
from explorer.storage.tables import VERSION_TABLE

__all__ = ["REVISION", "bring_up_to_date"]

# The latest of `migrations/versions`, so that an ordinary start needs neither them nor Alembic.
REVISION = "0011"
# Any number that no other program takes for its lock.
POSTGRES_LOCK = 0x4E49_5045

# Alembic keeps what it works on in global variables.
_one_thread = threading.Lock()


def bring_up_to_date(engine: Engine) -> None:
    """Make or change the tables, in one transaction; other processes that start at once wait.

    Raises
    ------
    NewerSchemaError
    NotADatabaseError
        If the database is another program's.
    """
    with engine.connect() as connection:
        current = _revision(connection) == REVISION
    if not current:
        _lock_and_upgrade(engine)
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            _switch_to_wal(connection)


def _lock_and_upgrade(engine: Engine) -> None:
    with _one_thread, engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({POSTGRES_LOCK})"))
        if _revision(connection) != REVISION:
            _upgrade(connection)


def _switch_to_wal(connection: Connection) -> None:
    """Let readers and a writer not wait for each other; the file remembers it.

    The switch itself, made by the first, does not wait for others that start at once.
    """
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            return
        except OperationalError as error:
            busy = getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_BUSY")
            if not busy or time.monotonic() > end:
                raise
        time.sleep(0.01)


def _revision(connection: Connection) -> str | None:
    """The revision that the database is at; None for one that is empty."""
    names = inspect(connection).get_table_names()
    if VERSION_TABLE in names:
        return connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    if names:
        raise NotADatabaseError(
            "The database holds the tables of another program. Name an empty one, or a file that "
            "does not exist yet, in NIP_EXPLORER_DATABASE."
        )
    return None


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    with _migrations() as folder:
        config = Config()
        # Alembic's options are templates, in which a percent sign must be doubled.
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        found = _revision(connection)
        if found is not None and found not in known:
            raise NewerSchemaError(
                f"A newer version of this program wrote the database (schema {found}; this version "
                f"knows {REVISION}). Update the program, or name another database in "
                "NIP_EXPLORER_DATABASE; nothing was changed."
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def _migrations() -> Generator[Path]:
    """The folder of migrations; a copy where the package is not in a folder but in an archive."""
    packed = resources.files("explorer.storage") / "migrations"
    if isinstance(packed, Path):
        yield packed
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        versions = folder / "versions"
        versions.mkdir()
        for source, target in ((packed, folder), (packed / "versions", versions)):
            for item in source.iterdir():
                if item.name.endswith(".py"):
                    (target / item.name).write_bytes(item.read_bytes())
        yield folder
