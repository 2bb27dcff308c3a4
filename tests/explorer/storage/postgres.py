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
        self._lent: list[str] = []
        self._empty: list[str] = []
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

    def execute(self, statement: str, database: str = "postgres") -> list[tuple]:
        where = {"host": str(self.folder), "user": "nip", "dbname": database}
        with psycopg.connect(**where, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> str:
        """Return the name of an empty database, until `take_back`.

        They are used again: one has 300 files, and making and deleting those took most of the time.
        """
        if self._empty:
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
            self.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                f"WHERE datname = '{name}'"
            )
            self.execute(f"ALTER DATABASE {name} RESET ALL")
            self.execute("DROP SCHEMA public CASCADE", name)
            self.execute("CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC", name)
            self._empty.append(name)
        self._lent.clear()

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
