"""A private PostgreSQL server for tests: in a temporary folder, on a socket, without a port."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from explorer.storage.schema import REVISION, VERSION_TABLE
from tests.memory import in_memory


def find_binaries() -> Path | None:
    """Return the folder of PostgreSQL's server programs."""
    on_path = [Path(p).resolve().parent for p in (shutil.which("initdb"),) if p]
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    for folder in [*on_path, *reversed(debian)]:
        if all((folder / name).exists() for name in ("initdb", "postgres")):
            return folder
    return None


def not_root() -> dict[str, object]:
    """Return arguments of a subprocess; the server refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


# What the tables, columns, triggers and functions of a database are.
FORM = """
SELECT string_agg(part, ' ' ORDER BY part) FROM (
  SELECT relname || relnatts || relkind::text || relacl::text AS part FROM pg_class
  WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT attrelid::regclass || '.' || attname FROM pg_attribute JOIN pg_class c
  ON attrelid = c.oid WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace) parts
"""
# Empties the tables that have held rows.
DELETE_ROWS = f"""
DO $$ DECLARE held TEXT; BEGIN
  SELECT string_agg(oid::regclass::text, ', ') INTO held FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
  AND relname <> '{VERSION_TABLE}';
  IF held IS NOT NULL THEN EXECUTE 'TRUNCATE ' || held || ' RESTART IDENTITY CASCADE'; END IF;
END $$
"""


class Server:
    """One cluster, which is stopped by its own process id."""

    def __init__(self, binaries: Path) -> None:
        self.binaries = binaries
        # A test's tables are a hundred files. To create them on a disk takes twice as long.
        self.folder = Path(tempfile.mkdtemp(prefix="nip-pg-", dir=in_memory(2**30)))
        self.data = self.folder / "data"
        if who := not_root():
            os.chown(self.folder, who["user"], who["group"])
        command = [binaries / "initdb", "-D", self.data, "-U", "nip", "-A", "trust", "-E", "UTF8"]
        subprocess.run(
            [*command, "--locale=C.UTF-8", "--no-sync"],
            check=True, capture_output=True, cwd=self.folder, **not_root(),
        )  # fmt: skip
        self.process = None
        # What databases with tables are that no test has changed.
        self.form = ""
        self._lent: list[str] = []
        self._empty: list[str] = []
        self._with_tables: list[str] = []
        self.start()

    def start(self) -> None:
        # Tests kill processes, but never cut the machine's power.
        options = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200"]
        # Its folder may be in memory, and by default it keeps a gigabyte of what it has written.
        options += ["-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.binaries / "postgres", "-D", self.data, "-k", self.folder, *options],
                stdout=log, stderr=log, cwd=self.folder, **not_root(),
            )  # fmt: skip
        for _ in range(2_000):
            with contextlib.suppress(psycopg.OperationalError):
                self.execute("SELECT 1")
                return
            time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text(errors="replace"))

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop in an orderly way with SIGINT, at once, as after a crash, with SIGQUIT."""
        self.process.send_signal(how)
        self.process.wait(30)

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _connected(self, database: str, **how: str) -> psycopg.Connection:
        where = {"host": str(self.folder), "user": "nip", "dbname": database}
        return psycopg.connect(**where, **how, autocommit=True)

    def execute(self, statement: str, database: str = "postgres") -> list[tuple]:
        with self._connected(database) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def new_database(self, *, with_tables: bool = False) -> str:
        """Return the name of an empty database, until `take_back`.

        They are used again: one has 300 files, and making and deleting those took most of the time.
        It may have our tables already if that is of use.
        """
        if with_tables and self._with_tables:
            name = self._with_tables.pop()
        elif self._empty:
            name = self._empty.pop()
        else:
            name = f"test_{uuid.uuid4().hex}"
            self.execute(f"CREATE DATABASE {name}")
        self._lent.append(name)
        return name

    def take_back(self) -> None:
        """End what still uses the databases that were lent, and empty them."""
        if self.process.poll() is not None:
            self.start()
        for name in self._lent:
            # A test may have allowed new connections only to read.
            with self._connected(name, options="-c default_transaction_read_only=off") as to:
                to.execute(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                to.execute(f"ALTER DATABASE {name} RESET ALL")
                if self._has_unchanged_tables(to):
                    to.execute(DELETE_ROWS)
                    self._with_tables.append(name)
                else:
                    to.execute("DROP SCHEMA public CASCADE")
                    to.execute("CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC")
                    self._empty.append(name)
        self._lent.clear()

    def _has_unchanged_tables(self, database: psycopg.Connection) -> bool:
        if database.execute(FORM).fetchone() != (self.form,):
            return False
        # A test may have written another version, and nothing else.
        versions = database.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall()
        return versions == [(REVISION,)]

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://nip@/{database}?host={self.folder}"


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """Yield a new server, which is removed afterwards."""
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL's server programs are not installed (Debian: postgresql)")
    server = Server(binaries)
    try:
        yield server
    finally:
        server.remove()
