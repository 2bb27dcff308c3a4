"""A game in progress is kept as plain data, and goes on from it."""

import json

import pytest

from explorer.lessons import Block, GameInProgress, all_games
from tests.depth import each

EVERY = [(name, role.name) for name, played in all_games().items() for role in played.roles]


def block_of(name, role=""):
    return Block("game", name=name, role=role)


def played(name, role):
    """Return all positions of one game, up to its end."""
    positions = [GameInProgress.begin(block_of(name), role)]
    while positions[-1].scene.outcome is None:
        positions.append(positions[-1].choose(min(positions[-1].scene.options)))
        assert len(positions) < 1000
    return positions


@each(("name", "role"), EVERY)
def test_a_game_goes_on_from_what_was_kept(name, role):
    positions = played(name, role)
    for now in positions:
        kept = json.loads(json.dumps(now.kept()))
        # Rooms have stored drafts of this form.
        assert kept.keys() == {"role", "state", "ended"}
        there = GameInProgress.resume(block_of(name), kept)
        assert there is not None
        assert (there.role, there.scene, there.ended) == (role, now.scene, now.ended)
    assert [now.ended for now in positions[:-1]] == [()] * (len(positions) - 1)
    over = positions[-1]
    assert over.ended == (over.scene.outcome,)
    another = GameInProgress.begin(over.block, role, over.ended)
    assert (another.role, another.ended, another.scene.outcome) == (role, over.ended, None)


def test_a_game_without_a_known_role_begins_in_the_one_that_the_block_offers():
    for role in (None, "nobody", 3, ["liar"]):
        assert GameInProgress.begin(block_of("halving", "liar"), role).role == "liar"
        assert GameInProgress.begin(block_of("halving"), role).role == "opponent"
    assert GameInProgress.begin(block_of("halving", "liar"), "opponent").role == "opponent"


def test_a_choice_that_the_scene_does_not_offer_is_refused():
    now = GameInProgress.begin(block_of("stranger"))
    with pytest.raises(ValueError, match="no choice 'taste'"):
        now.choose("taste")


@each(
    "wrong",
    [
        {"role": "nobody"},
        {"role": []},
        {"state": {}},
        {"state": 1},
        {"ended": ["won"]},
        {"ended": 1},
    ],
    ids=str,
)
def test_what_does_not_fit_is_no_game(wrong):
    kept = GameInProgress.begin(block_of("halving")).kept()
    assert GameInProgress.resume(block_of("halving"), kept) is not None
    assert GameInProgress.resume(block_of("halving"), {**kept, **wrong}) is None
    for other in (None, [], "halving", {}):
        assert GameInProgress.resume(block_of("halving"), other) is None


def test_its_display_does_not_show_what_the_person_may_not_see():
    now = GameInProgress.begin(block_of("stranger"))
    assert "honest" in now.state
    assert "honest" not in repr(now)
