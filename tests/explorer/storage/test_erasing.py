"""Tests of erasing.py: after each way of deleting words, no file of the database holds them."""

import ast
import re
import signal
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import bindparam, delete, insert

from explorer import rooms
from explorer.rooms.events import AnswersDeleted, RoomImported
from explorer.rooms.room import drafts_of
from explorer.storage import erasing, open_storage, stamp
from explorer.storage.engines import TIMEOUT_S, writing
from explorer.storage.erasing import erase
from explorer.storage.schema import metadata, tags
from nip_core.play import Commented, Episode
from tests.depth import exhaustive
from tests.explorer.rooms.people import LEADER, act_of, at, may_act, plan, visitor
from tests.explorer.storage.places import SqlitePlace
from tests.explorer.storage.play import NIP
from tests.test_architecture import ROOT

WORD = "xylophone-7f3a"
HELD = WORD.encode()


def contents(place) -> bytes:
    """Return all bytes in the files of a database."""
    if isinstance(place, SqlitePlace):
        return b"".join(p.read_bytes() for p in place.path.parent.rglob("*") if p.is_file())
    place.execute("CHECKPOINT")
    found = place.execute(
        "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 'i', 't') AND "
        "oid >= 16384 AND pg_relation_filepath(oid) IS NOT NULL"
    )
    return b"".join((place.server.data / path).read_bytes() for (path,) in found)


class Planted:
    """A room in which the first person has left the word wherever people write."""

    def __init__(self, storage, **said) -> None:
        self.storage = storage
        self.code = rooms.open_room(storage, plan(names=True, **said), LEADER).code
        for number, name in enumerate((WORD, "Ada", "Bob"), 1):
            rooms.join(self.access(number), name)
        rooms.start(self.access())
        for number in (1, 2, 3) * 2:
            table = at(storage, self.code, number)
            if may_act(table):
                table.play(act_of(table, words=WORD if number == 1 else "Why?"))
        self.answer(1, WORD)
        draft = drafts_of(rooms.load_room(self.access()), 1)
        storage.drafts.put(draft, "game", {"typed": WORD})

    def access(self, number=0):
        return rooms.Access(self.storage, self.code, visitor(number) if number else LEADER)

    def answer(self, person, value):
        rooms.answer(self.access(person), person, "", 1, "", "prediction", value)

    def change(self, *events):
        with self.storage.rooms.changing(self.code) as change:
            change.append(*events)


def episode_of(storage, title=WORD):
    """Store an episode outside rooms with a comment, title and tag."""
    episode = Episode.from_setup(NIP)
    episode.apply(Commented(node=0, text=title))
    return storage.create(episode, title=title, tags=[title])


# Each way writes the word, yields, deletes it in the way of its name, and yields again.
def forget(storage):
    room = Planted(storage)
    yield
    rooms.forget(room.access(1), 1)
    yield
    room.answer(2, WORD)
    yield
    room.change(AnswersDeleted(person=2))
    yield


def answer_again(storage):
    code = rooms.open_room(storage, plan(), LEADER).code
    someone = rooms.Access(storage, code, visitor(1))
    rooms.join(someone)
    rooms.start(rooms.Access(storage, code, LEADER))
    for value in (WORD, "no"):
        rooms.answer(someone, 1, "", 1, "", "prediction", value)
        yield


def remove(storage):
    room = Planted(storage)
    yield
    rooms.remove_people(room.access(), [1], words=True)
    yield


def delete_room(storage):
    room = Planted(storage, title=WORD)
    storage.drafts.forget(drafts_of(rooms.load_room(room.access()), 1))
    yield
    rooms.delete(room.access())
    yield


def clean_up_rooms(storage):
    room = Planted(storage, title=WORD)
    storage.drafts.forget(drafts_of(rooms.load_room(room.access()), 1))
    yield
    past = [stamp(datetime.now(UTC) - timedelta(days=days)) for days in (2, 5)]
    room.change(RoomImported(room={"expires": past[0], "overdue": past[1]}))
    assert rooms.purge_overdue(storage) == [room.code]
    yield


def throw_away(storage):
    room = rooms.open_room(storage, plan(title=WORD, rehearsal=True), LEADER)
    yield
    rooms.throw_away(rooms.Access(storage, room.code, LEADER))
    yield


def rename(storage):
    code = rooms.open_room(storage, plan(names=True), LEADER).code
    rooms.join(rooms.Access(storage, code, visitor(1)), WORD)
    yield
    rooms.rename_person(rooms.Access(storage, code, LEADER), 1, "Eve")
    yield


def purge(storage):
    episode = episode_of(storage)
    yield
    storage.delete(episode)
    storage.purge(episode)
    yield


def clean_up_episodes(storage):
    long = stamp(datetime.now(UTC) - timedelta(days=9))
    episode_of(storage)
    with storage._engine.begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE episodes SET updated = '{long}', deleted = '{long}' WHERE title = '{WORD}'"
        )
    yield
    assert storage.usage.delete_old(7) == 1
    yield


def retitle(storage):
    code = episode_of(storage, "plain")
    storage.describe(code, title=WORD, tags=[WORD])
    yield
    storage.describe(code, title="Plain", tags=[])
    yield


def forget_drafts(storage):
    storage.drafts.put("somebody", "game", WORD)
    yield
    storage.drafts.forget("somebody")
    yield


def send_draft(storage):
    storage.drafts.put("somebody", "game", WORD)
    yield
    storage.drafts.clear("somebody", "game")
    yield


def clean_up_drawings(storage):
    storage.drawings.keep("somebody", "0" * 12, WORD, WORD)
    storage.drawings.delete("somebody", "0" * 12)
    with storage._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE drawings SET deleted = '2020-01-01T00:00:00'")
    yield
    storage.drawings.keep("somebody", "1" * 12, "", "")
    yield


WAYS = {
    "a person": (forget,),
    "people": (remove, rename),
    "a room": (delete_room, throw_away),
    "rooms": (clean_up_rooms,),
    "episodes": (purge, clean_up_episodes),
    "drafts and drawings": (forget_drafts, clean_up_drawings),
    # What is replaced while people play is gone at the scheduler's next check; on PostgreSQL, at
    # its next clean-up.
    "soon": (answer_again, retitle, send_draft),
}


@pytest.mark.parametrize("what", WAYS)
def test_deleted_words_are_in_no_file(place, storage, what):
    with place.open() as other:
        episode_of(other, "another")
        for way in WAYS[what]:
            held = False
            for _ in way(storage):
                held = not held
                if what == "soon" and not held:
                    storage.remove_traces(left=isinstance(place, SqlitePlace))
                found = contents(place)
                assert (HELD in found) == held, way.__name__
                assert b"another" in found
        assert other.count() > 0


def test_what_a_reader_holds_back_is_removed_by_the_next_check_or_at_the_end(place, monkeypatch):
    monkeypatch.setattr(erasing, "PATIENCE_S", 0.05)
    with place.open() as storage:
        episode = episode_of(storage)
        for last in (storage.remove_traces, lambda left: storage.close()):
            with storage._engine.connect() as reader:
                # A snapshot that is older than the deletion, as of a backup.
                if reader.dialect.name == "postgresql":
                    reader.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                rows = reader.exec_driver_sql("SELECT body FROM events UNION ALL SELECT '' ")
                rows.fetchone()
                storage.delete(episode)
                begun = time.monotonic()
                storage.purge(episode)
                # Whoever deletes waits for the reader only for a moment.
                assert time.monotonic() - begun < TIMEOUT_S / 2
                assert HELD in contents(place)
                rows.close()
            last(left=True)
            assert HELD not in contents(place)
            episode = episode_of(storage)


# Tables without words of people: who is connected, counts of attempts, and hashes of browsers.
WORDLESS = {"presence", "processes", "attempts", "leaders"}


def test_nothing_else_deletes():
    """Every statement that deletes rows with words, or overwrites them, goes through `erase`."""
    found, outside = set(), []
    for path in (ROOT / "explorer/storage").glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        erased = {
            node
            for call in ast.walk(tree)
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "erase"
            for node in ast.walk(call)
        }
        named = {n.id for n in erased if isinstance(n, ast.Name)}
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "delete":
                    table = ast.unparse(node.args[0])
                    holders = [
                        each.targets[0].id
                        for each in ast.walk(function)
                        if isinstance(each, ast.Assign) and node in ast.walk(each.value)
                    ]
                    found.add(table)
                    if table not in WORDLESS and node not in erased and not named & {*holders}:
                        outside.append(f"{path.name}, line {node.lineno}: {table}")
    assert outside == []
    assert {"private", "episodes", "rooms", "drafts", "tags", "table"} <= found


def test_all_tables_with_words_are_rewritten():
    counted = {"tries", "servers", "budgets", "spending", "presence", "processes", "leaders"}
    assert {*erasing.TABLES} == metadata.tables.keys() - counted


def test_rows_that_were_moved_between_pages_leave_no_copy(tmp_path):
    """SQLite's `secure_delete` alone left 1 of 400 deleted texts in the gaps of pages."""
    with open_storage(f"sqlite:///{tmp_path}/e.db") as storage:
        storage.create(Episode.from_setup(NIP))
        words = [f"{WORD}-{number * 7919 % 3001:04}" for number in range(3000)]
        for start in range(0, 3000, 100):
            with writing(storage._engine) as connection:
                rows = [{"episode": 1, "tag": word} for word in words[start : start + 100]]
                connection.execute(insert(tags), rows)
                here = tags.c.tag == bindparam("old")
                gone = [{"old": row["tag"]} for row in rows if row["tag"] not in words[::3]]
                erase(connection, delete(tags).where(here), gone, soon=True)
        assert erasing.remove_traces(storage._engine)
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert words[0].encode() in kept
        assert [w for n, w in enumerate(words) if n % 3 and w.encode() in kept] == []


LEFT = """
import os, sys
from explorer.storage import open_storage
storage = open_storage(sys.argv[1])
storage.drafts.put("somebody", "game", sys.argv[2])
storage.drafts.clear("somebody", "game")
os._exit(0)
"""


@exhaustive
def test_a_server_that_stops_leaves_no_log(tmp_path):
    """Another process was killed before it could empty the log; the server does when it stops."""
    url = f"sqlite:///{tmp_path}/data/e.db"
    command = ["-m", "explorer", "--no-browser", "--port", "0", "--database", url]
    place = SqlitePlace(tmp_path / "data")
    server = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        port = re.search(r":(\d+) ", server.stdout.readline())[1]
        for _ in range(600):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60):
                pass
            # Then the scheduler has done its first clean-up.
            if (place.path.parent / "e.db-wal").exists():
                break
            time.sleep(0.1)
        subprocess.run([sys.executable, "-c", LEFT, url, WORD], cwd=ROOT, check=True)
        held = HELD in contents(place)
        server.send_signal(signal.SIGTERM)
        server.wait(120)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    assert held
    assert HELD not in contents(place)
