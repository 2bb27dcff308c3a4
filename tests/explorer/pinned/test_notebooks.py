"""Cells of a notebook show what they showed: games step by step, and everything else at once."""

import pytest

from explorer.storage import open_storage
from tests.depth import exhaustive
from tests.explorer.pinned.golden import Golden, assert_same
from tests.explorer.pinned.kept import unpack
from tests.explorer.pinned.notebooks import cells, game, handed_over


def test_two_people_play_in_turn():
    assert_same(Golden("notebooks").read()["handed over"], handed_over())


@pytest.mark.parametrize("name", ["mnip", "merlin_arthur"])
def test_a_game_shows_what_it_did(name):
    assert_same(Golden("notebooks").read()["games"][name], game(name))


@exhaustive
def test_everything_shows_what_it_did(tmp_path):
    with open_storage(unpack(tmp_path / "kept.db")) as storage:
        assert_same(Golden("notebooks").read(), cells(storage))
