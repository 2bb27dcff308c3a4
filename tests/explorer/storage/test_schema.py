"""Tests of schema.py, engines.py and migrations/.

Opening a database: the right place and tables, whichever process is first, however installed.
"""

import multiprocessing
import os
import random
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from explorer.storage import (
    DATABASE_VARIABLE,
    Criteria,
    DatabaseURLError,
    NewerSchemaError,
    StorageError,
    data_folder,
    open_storage,
    schema,
)
from explorer.storage.schema import REVISION, VERSION_TABLE, metadata
from nip_core.play import Commented, Episode, Move, Seated
from tests.depth import FULL, each, first
from tests.explorer.storage.play import NIP

ROOT = Path(__file__).parents[3]
MIGRATIONS = ROOT / "explorer" / "storage" / "migrations"
LISTED = ("y", "tokens", "seats")
# Tables of rooms; those that point to another come before it.
ROOMS = (
    *("drawings", "participant_events", "participants", "people_studies", "servers", "tries"),
    *("presence", "processes", "answers", "room_seats", "room_tables", "leaders", "people"),
    *("room_private", "room_events", "rooms"),
)
KILLS = 20 if FULL else 5

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])


@pytest.fixture(autouse=True)
def _migrations_run(monkeypatch):
    """Run the migrations each time, as outside these tests."""
    monkeypatch.setattr(schema, "_upgrade", schema._upgrade.each_time)


# -- tables ----------------------------------------------------------------------------------------


def test_migrations_lead_to_the_tables(place, storage):
    assert set(place.tables()) == {*metadata.tables, VERSION_TABLE}
    with storage._engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == REVISION


def test_the_latest_migration_is_known():
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [REVISION]


def test_a_newer_database_is_refused(place, storage):
    storage.create(Episode.from_setup(NIP))
    storage.close()
    place.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    before = place.content()
    with pytest.raises(NewerSchemaError, match=r"schema 9999; this version knows .* Update the"):
        place.open()
    assert place.content() == before


def test_a_migration_that_fails_leaves_nothing(place, monkeypatch):
    upgrade = command.upgrade

    def fail(*arguments):
        upgrade(*arguments)
        raise RuntimeError("no more")

    monkeypatch.setattr(command, "upgrade", fail)
    with pytest.raises(RuntimeError):
        place.open()
    assert place.tables() == []
    monkeypatch.undo()
    with place.open() as storage:
        assert storage.count() == 0


def open_and_tell(url, start, pipe):
    start.wait()
    with open_storage(url) as storage:
        storage.create(Episode.from_setup(NIP))
        pipe.send(storage.count())


@pytest.mark.parametrize("attempt", first(1, range(3)))
def test_all_start_at_once(place, attempt):
    many = 6
    start = PROCESSES.Barrier(many)
    hears, tells = PROCESSES.Pipe(duplex=False)
    starting = [
        PROCESSES.Process(target=open_and_tell, args=(place.url, start, tells)) for _ in range(many)
    ]
    for process in starting:
        process.start()
    for process in starting:
        process.join(600)
        assert process.exitcode == 0
    assert max(hears.recv() for _ in starting) == many


def test_killed_while_it_makes_the_tables(place):
    rng = random.Random(1)
    for _ in range(KILLS):
        new = place.another()
        start = PROCESSES.Barrier(2)
        _, tells = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=open_and_tell, args=(new.url, start, tells))
        process.start()
        start.wait()
        time.sleep(rng.uniform(0, 0.06))
        process.kill()
        process.join()
        new.settle()
        with new.open() as storage:
            before = storage.count()
            storage.create(Episode.from_setup(NIP))
            assert storage.count() == before + 1 <= 2


def test_from_an_archive(tmp_path):
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for package in ("explorer", "nip_core"):
            for path in (ROOT / package).rglob("*"):
                if path.is_file() and "__pycache__" not in path.parts:
                    target.write(path, path.relative_to(ROOT))
    code = f"""
import explorer.storage
assert explorer.storage.__file__.startswith({str(archive)!r}), explorer.storage.__file__
with explorer.storage.open_storage("sqlite:///{tmp_path}/x.db") as storage:
    assert storage.count() == 0
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(archive)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# -- addresses -------------------------------------------------------------------------------------


def test_the_default_is_the_users_data_folder(tmp_path, monkeypatch):
    monkeypatch.delenv(DATABASE_VARIABLE, raising=False)
    for name in ("HOME", "LOCALAPPDATA", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    with open_storage() as storage:
        storage.create(Episode.from_setup(NIP))
        (file,) = tmp_path.rglob("*.db")
        assert file == data_folder() / "episodes.db"
        if os.name == "posix":
            for path in (file, file.parent, *file.parent.iterdir()):
                assert path.stat().st_mode & 0o077 == 0, path


def test_the_environment_names_a_database(tmp_path, monkeypatch):
    monkeypatch.setenv(DATABASE_VARIABLE, f"sqlite:///{tmp_path}/a%20folder/ü %.db")
    with open_storage() as storage:
        storage.create(Episode.from_setup(NIP))
    with open_storage() as storage:
        assert storage.count() == 1
    assert [path.suffix for path in tmp_path.iterdir() if path.is_file()] == []


@each(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "~/.local/share/nip-explorer"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/nip-explorer"),
        ("linux", {"XDG_DATA_HOME": "data"}, "~/.local/share/nip-explorer"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, "~/Library/Application Support/nip-explorer"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/nip-explorer"),
        ("win32", {}, "~/AppData/Local/nip-explorer"),
    ],
)
def test_data_folders(platform, environment, expected):
    assert data_folder(platform, environment) == Path(expected).expanduser()


@each(
    "url",
    [
        "geheim",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:geheim?uri=true",
        "sqlite:///geheim.db?mode=ro",
        "sqlite+aiosqlite:///geheim.db",
        "mysql://me:geheim@host/x",
        "postgresql+asyncpg://me:geheim@host/x",
        "postgresql://me:geheim@host:port/x",
    ],
)
def test_impossible_addresses(url):
    with pytest.raises(DatabaseURLError, match="It looks like sqlite") as caught:
        open_storage(url)
    assert "geheim" not in str(caught.value)


def test_postgresql_by_its_other_names(postgres):
    from tests.explorer.storage.places import PostgresPlace

    place = PostgresPlace(postgres)
    for name in ("postgres", "postgresql"):
        with open_storage(place.url.replace("postgresql+psycopg", name)) as storage:
            assert storage.count() == 0


def test_a_missing_driver_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StorageError, match="pip install") as caught:
        open_storage("postgresql://me:geheim@host/x")
    assert "geheim" not in str(caught.value)


def without_rooms(place):
    """Undo what the migration to rooms does."""
    place.execute("DROP INDEX episodes_by_room")
    for column in ("room", "sealed", "halted"):
        place.execute(f"ALTER TABLE episodes DROP COLUMN {column}")
    for table in ROOMS:
        place.execute(f"DROP TABLE {table}")
    # Removes what was there before, too.
    place.execute("CREATE TABLE tallies (room VARCHAR(12) PRIMARY KEY)")


def test_an_older_database_is_upgraded_with_what_is_known_of_its_episodes(place, storage):
    """It does not record which episodes have ended in every variation, who played, or the use."""
    played, returned, begun = (Episode.from_setup(NIP) for _ in range(3))
    played.apply(Seated(agent="prover", player={"kind": "llm", "model": "gpt 漢"}))
    for episode in (played, returned):
        episode.play(Move("verifier", {"main": "Why?"}))
        used = {"kind": "llm", "tokens_in": 5, "tokens_out": 2} if episode is played else {}
        episode.play(Move("prover", {"main": 'Because of "type": "went".'}), origin=used)
        if episode is returned:
            episode.goto(0)
        episode.play(Move("verifier", decision=1), origin={"tokens_in": True, "tokens_out": "x"})
    ids = [storage.create(episode) for episode in (played, returned, begun)]
    new = storage.entry(ids[0])
    assert new.seats["prover"]["reward"] == played.result().totals["prover"]
    storage.close()
    without_rooms(place)
    for column in ("settled", *LISTED):
        place.execute(f"ALTER TABLE episodes DROP COLUMN {column}")
    for later in ("budgets", "spending"):
        place.execute(f"DROP TABLE {later}")
    place.execute(f"UPDATE {VERSION_TABLE} SET version_num = '0002'")
    with place.open() as again:
        old, other, running = map(again.entry, ids)
        assert [each_.settled for each_ in (old, other, running)] == [True, False, False]
        assert (old.y, old.tokens) == (NIP.task.y, 7)
        assert (running.y, running.tokens) == (NIP.task.y, None)
        assert old.seats == {"prover": {"kind": "llm", "model": "gpt 漢"}}
        assert other.seats == running.seats == {}
        (found,) = again.find(Criteria(player="gpt 漢"))
        assert found.id == ids[0]
        # A later comment does not change it, and what was computed since is there.
        at = again.load(ids[0])
        at.episode.apply(Commented(node=0, text="Well played."))
        again.append(ids[0], at.episode, at.version)
        assert again.entry(ids[0]).updated == new.updated
        assert again.entry(ids[0]).seats == new.seats
