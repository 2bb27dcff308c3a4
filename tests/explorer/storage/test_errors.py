"""Disks fill up, files move, servers stop: a clear error, nothing half written, no notification."""

import logging
import signal
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from explorer.storage import (
    DatabaseBusyError,
    DatabaseUnavailableError,
    DiskFullError,
    NotADatabaseError,
    NotWritableError,
    StorageError,
    engines,
    open_storage,
)
from nip_core.play import Episode, Move, Origin
from tests.depth import exhaustive, first
from tests.explorer.storage.places import PostgresPlace, SqlitePlace
from tests.explorer.storage.play import NIP, finished, same

ROOT = Path(__file__).parents[3]


def opened_game(storage, text="Is it so?", thought=""):
    """Return a stored episode with one move that is not stored yet."""
    episode = Episode.from_setup(NIP)
    episode_id = storage.create(episode)
    origin = Origin(kind="llm", reasoning=thought).to_dict()
    episode.play(Move("verifier", {"main": text}), origin=origin)
    return episode_id, episode


@pytest.fixture
def only_sqlite(tmp_path):
    return SqlitePlace(tmp_path)


# -- full ------------------------------------------------------------------------------------------


def test_full_disk(place, storage):
    # More than a page, so that the file has to grow.
    episode_id, episode = opened_game(storage, thought="long" * 5_000)
    place.fill(storage)
    for _ in range(2):
        with pytest.raises(DiskFullError, match="Make room"):
            storage.append(episode_id, episode, 0)
        assert storage.load(episode_id).episode.events == ()
    place.make_room(storage)
    # The episode as it was played can be stored again later.
    assert storage.append(episode_id, episode, 0) == 1
    assert same(storage.load(episode_id).episode, episode)


@exhaustive
def test_the_system_refuses_to_write(tmp_path):
    """A limit on files, set by the operating system, in a process of its own."""
    code = f"""
import resource
from explorer.storage import DatabaseUnavailableError
from tests.explorer.storage.places import SqlitePlace
from tests.explorer.storage.test_errors import Path, opened_game
storage = SqlitePlace(Path({str(tmp_path)!r})).open()
made = [opened_game(storage)]
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
try:
    while len(made) < 10_000:
        made.append(opened_game(storage))
except DatabaseUnavailableError as error:
    assert "may be full" in str(error), error
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
assert storage.count() == len(made) < 10_000
storage.append(*made[-1], 0)
"""
    run_alone(code)


# -- read only -------------------------------------------------------------------------------------


def run_alone(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "case", first(1, ["a database of others", "nothing yet", "a database", "no way in"])
)
def test_read_only_folder(case):
    # File permissions do not apply to root, so the process becomes another user, for whom the
    # parent folders must be open.
    code = f"""
import os, tempfile
from pathlib import Path
from explorer.storage import NotWritableError, open_storage
with tempfile.TemporaryDirectory() as name:
    open_storage("sqlite:///" + name + "/first/x.db").close()
    folder = Path(name) / "folder"
    os.chmod(name, 0o755)
    case, file = {case!r}, folder / "x.db"
    folder.mkdir()
    if case.startswith("a database"):
        open_storage(f"sqlite:///{{file}}").close()
        file.chmod(0o444 if case.endswith("others") else 0o666)
    folder.chmod(0o000 if case == "no way in" else 0o555)
    before = sorted(os.listdir(folder)) if os.access(folder, os.R_OK) else []
    user = os.geteuid()
    if user == 0:
        os.setresuid(65534, 65534, 0)
    try:
        open_storage(f"sqlite:///{{file}}")
        raise SystemExit("it was opened")
    except NotWritableError as error:
        assert "can only be read" in str(error)
    finally:
        os.setresuid(user, user, user)
    folder.chmod(0o755)
    assert sorted(os.listdir(folder)) == before
"""
    run_alone(code)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError):
        open_storage(f"sqlite:///{tmp_path}/file/x.db")
    with pytest.raises(NotADatabaseError):
        open_storage(f"sqlite:///{tmp_path}")


def test_a_server_that_may_only_be_read(postgres):
    place = PostgresPlace(postgres)
    with place.open() as storage:
        episode_id, episode = opened_game(storage)
        role = place.name.replace("test", "role")
        place.execute(f"CREATE ROLE {role} LOGIN")
        place.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
        with open_storage(place.url.replace("nip@", f"{role}@")) as reader:
            assert reader.load(episode_id).version == 0
            with pytest.raises(NotWritableError, match="can only be read"):
                reader.append(episode_id, episode, 0)
        place.execute(f"ALTER DATABASE {place.name} SET default_transaction_read_only = on")
        storage.close()  # the setting applies to new connections
        with pytest.raises(NotWritableError, match="can only be read"):
            storage.append(episode_id, episode, 0)
        assert storage.load(episode_id).version == 0


# -- something else --------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"Dear diary, " * 400, b"SQLite format 3\0" + b"\xff" * 5000])
def test_not_a_database(only_sqlite, content):
    only_sqlite.path.write_bytes(content)
    with pytest.raises(NotADatabaseError, match="not a database, or it is damaged"):
        only_sqlite.open()
    assert only_sqlite.path.read_bytes() == content


def test_a_damaged_database(only_sqlite):
    with only_sqlite.open() as storage:
        ids = [storage.create(finished(seed=seed)) for seed in range(30)]
    content = bytearray(only_sqlite.path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    only_sqlite.path.write_bytes(content)
    with pytest.raises(NotADatabaseError), only_sqlite.open() as storage:
        storage.load(ids[0])


def test_a_database_of_another_program(place):
    place.execute("CREATE TABLE bookmarks (x TEXT)")
    before = place.content()
    with pytest.raises(NotADatabaseError, match="another program"):
        place.open()
    assert place.tables() == ["bookmarks"]
    assert place.content() == before


# -- locked ----------------------------------------------------------------------------------------


@pytest.fixture
def short_timeout(monkeypatch):
    monkeypatch.setattr(engines, "TIMEOUT_S", 0.2)
    monkeypatch.setitem(engines.POSTGRES_OPTIONS, "options", "-c lock_timeout=200")


def test_locked(short_timeout, place):
    with place.open() as storage:
        episode_id, episode = opened_game(storage)
        with place.locked():
            with pytest.raises(DatabaseBusyError, match="Try again"):
                storage.append(episode_id, episode, 0)
            # Reading does not wait for the writer.
            assert storage.load(episode_id).version == 0
            with place.open() as another:
                assert another.count() == 1
        assert storage.append(episode_id, episode, 0) == 1


# -- away and back ---------------------------------------------------------------------------------


def test_away_and_back(place, storage):
    episode_id, episode = opened_game(storage)
    storage.drafts.put("me", "play", "typed")
    place.go_away()
    try:
        for action in (
            lambda: storage.append(episode_id, episode, 0),
            lambda: storage.load(episode_id),
            lambda: storage.find(),
            lambda: storage.create(episode),
            lambda: storage.drafts.put("me", "play", "typed more"),
        ):
            with pytest.raises(DatabaseUnavailableError, match="try again"):
                action()
    finally:
        place.come_back()
    assert storage.load(episode_id).version == 0
    assert storage.drafts.get("me", "play") == "typed"
    assert storage.append(episode_id, episode, 0) == 1
    assert same(storage.load(episode_id).episode, episode)
    assert storage.count() == 1


def test_a_file_that_was_moved_holds_what_was_written_and_another_takes_its_place(only_sqlite):
    with only_sqlite.open() as storage:
        episode_id, episode = opened_game(storage)
        storage.append(episode_id, episode, 0)
        only_sqlite.go_away()
        with pytest.raises(DatabaseUnavailableError):
            storage.count()
        assert not only_sqlite.path.exists()
        with only_sqlite.open() as new:
            new_id, another = opened_game(new)
            new.append(new_id, another, 0)
            assert new.load(new_id).version == storage.load(new_id).version == 1
    with open_storage(f"sqlite:///{only_sqlite.aside}") as moved:
        assert same(moved.load(episode_id).episode, episode)


def test_an_empty_file_that_takes_its_place(only_sqlite):
    with only_sqlite.open() as storage:
        episode_id, episode = opened_game(storage)
        only_sqlite.go_away()
        only_sqlite.path.touch()
        with pytest.raises(DatabaseUnavailableError, match="emptied or replaced"):
            storage.append(episode_id, episode, 0)


def test_a_server_that_crashes(postgres):
    place = PostgresPlace(postgres)
    with place.open() as storage:
        episode_id, episode = opened_game(storage)
        storage.append(episode_id, episode, 0)
        postgres.stop(signal.SIGQUIT)
        postgres.start()
        assert same(storage.load(episode_id).episode, episode)


def test_no_server_no_database_no_user(postgres):
    url = postgres.url("nowhere")
    for wrong in (
        url,
        url.replace("nip@", "somebody:pass-word@"),
        "postgresql://me:pass-word@localhost:1/x",
    ):
        with pytest.raises(DatabaseUnavailableError, match="refuses the connection") as caught:
            open_storage(wrong)
        assert "pass-word" not in str(caught.value)


# -- discretion ------------------------------------------------------------------------------------

SECRET = "the_label_is_one"


def test_errors_and_logs_contain_no_secrets(place, storage, caplog):
    caplog.set_level(logging.DEBUG)
    episode_id, episode = opened_game(storage, text=SECRET * 150, thought=SECRET * 1_000)
    place.fill(storage)
    with pytest.raises(DiskFullError) as caught:
        storage.append(episode_id, episode, 0)
    place.make_room(storage)
    storage.append(episode_id, episode, 0)
    storage.load(episode_id)
    place.execute('UPDATE events SET body = \'{"type": "the_label_is_one"}\'')
    with pytest.raises(StorageError) as damaged:
        storage.load(episode_id)
    for error in (caught.value, damaged.value):
        shown = "".join(traceback.format_exception(error))
        assert SECRET not in shown
        assert "INSERT" not in shown
        while error is not None:
            assert SECRET not in f"{error!r} {error}"
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert SECRET not in logged
    assert NIP.task.question[:30] not in logged
