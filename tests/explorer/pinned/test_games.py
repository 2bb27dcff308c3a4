"""Play continues in the kept database, and each step shows everybody what it showed before."""

import pytest

from explorer.storage import open_storage
from tests.depth import first
from tests.explorer.pinned.doors import OverTheWire, Within
from tests.explorer.pinned.games import STORIES, story
from tests.explorer.pinned.golden import Golden, assert_same
from tests.explorer.pinned.kept import unpack


@pytest.fixture(scope="module")
def expected():
    return Golden("games").read()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """One database for all stories, since each is about its own room."""
    with open_storage(unpack(tmp_path_factory.mktemp("kept") / "kept.db")) as storage:
        yield storage


@pytest.mark.parametrize("name", STORIES)
def test_each_step_shows_everybody_what_it_did(name, kept, expected):
    assert_same(expected[name], story(Within(kept), name))


@pytest.mark.parametrize("name", first(1, ["game debate", "running", "lesson: pairs after"]))
def test_connections_of_a_server_do_the_same(name, frames, tmp_path, expected):
    frames.use_database(unpack(tmp_path / "kept.db"))
    found = story(OverTheWire(frames), name)
    assert_same(without_board(expected[name]), without_board(found))


def without_board(found):
    """Return a story without the facilitator's board, which shows whose windows were just open."""
    if isinstance(found, dict):
        return {key: without_board(value) for key, value in found.items() if key != "board"}
    return [without_board(value) for value in found] if isinstance(found, list) else found
