"""A database of an earlier version is read, and everybody gets what they got before."""

import json

import pytest
from sqlalchemy import text

from explorer.storage import Storage, open_storage
from tests.depth import FULL
from tests.explorer.pinned import pins
from tests.explorer.pinned.browsers import SPECTATOR
from tests.explorer.pinned.doors import OverTheWire, Within
from tests.explorer.pinned.golden import Golden, assert_same
from tests.explorer.pinned.kept import unpack
from tests.explorer.rooms.logs import assert_logs_say_the_rows, assert_rebuilt

# The rooms in which the server's scheduler plays.
KEPT_GOING = ("rehearsal", "with a model")
# The watchers whose connections the quick run opens.
INVITED = "running", f"gallery of browser {SPECTATOR}"
FEW = ("running", "second task", "lesson: pairs after")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    with open_storage(unpack(tmp_path_factory.mktemp("kept") / "kept.db")) as storage:
        yield storage


def test_every_room_is_what_its_log_says(kept: Storage):
    assert_logs_say_the_rows(kept)
    assert_rebuilt(kept)


def test_what_a_room_began_with_names_no_browser(kept: Storage):
    """Otherwise "leave, and delete my part" could not delete it."""
    with kept._engine.connect() as connection:
        rows = connection.execute(text("SELECT owner, body FROM room_private")).all()
    began = "".join(body for owner, body in rows if not owner)
    browsers = {json.loads(body).get("visitor") for owner, body in rows if owner}
    assert {owner.split()[0] for owner, _ in rows if owner} == {"leader", "spectator", "person"}
    assert len(browsers - {None}) > 5
    assert not any(browser in began for browser in browsers if browser)


def test_every_window_gets_its_seat_and_its_lesson_and_no_other_window_does(kept: Storage):
    assert_same(Golden("windows").read(), pins.windows(Within(kept), pins.codes()))


def test_exports_and_boards_are_unchanged(kept: Storage):
    assert_same(Golden("exports").read(), pins.exports(kept, pins.codes()))


def test_lists_views_and_downloads_of_episodes_are_unchanged(kept: Storage):
    assert_same(Golden("episodes").read(), pins.episodes(kept))


def test_connections_bring_the_same(frames, tmp_path):
    frames.use_database(unpack(tmp_path / "kept.db"))
    expected = Golden("windows").read()
    names = [name for name in pins.codes() if name not in KEPT_GOING] if FULL else FEW
    found = pins.windows(OverTheWire(frames), names)
    for name in names:
        for watcher, shown in expected[name].items():
            # A gallery visitor without an invitation has guessed the code.
            guessed = watcher.startswith("gallery") and (name, watcher) != INVITED
            if "refused" in shown or guessed:
                shown.clear()
                shown["gone"] = True
    assert_same({name: expected[name] for name in names}, found)
