"""Episodes for outside programs: their tasks, draws and scripted seats."""

import pytest

from explorer.players import RandomPlayer
from explorer.studies.dealing import Dealer, chosen, player_named
from explorer.studies.inspect.errors import EvalsError


def dealer(**more):
    return Dealer(chosen("debate", {}), **more)


def test_an_episode_follows_from_the_task_the_repetition_and_the_purpose():
    first, *_ = dealer().known
    draws = {
        (seed, repetition, purpose): dealer(seed=seed).deal(first, repetition, purpose=purpose).seed
        for seed in (0, 1)
        for repetition in (0, 1)
        for purpose in ("a/1", "b/1")
    }
    assert len(set(draws.values())) == len(draws)
    assert dealer().deal(first, 1, purpose="a/1").seed == draws[0, 1, "a/1"]


def test_a_seat_can_be_named_by_its_role():
    named = dealer(seats={"prover": "random", "prover1": "hard"}).named
    assert named == {"prover0": "random", "prover1": "hard"}
    first, *_ = dealer().known
    setup = dealer().deal(first, 0, purpose="a/1")
    assert isinstance(player_named(setup, "prover0", "random"), RandomPlayer)
    assert player_named(setup, "prover1", "hard").describe()["level"] == "hard"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"seats": {"jury": "random"}}, "There is no seat or role jury; there are"),
        ({"seats": {"verifier": "hard to say"}}, "verifier cannot be played by 'hard to say'"),
        ({"difficulty": "none"}, "There are no tasks of difficulty 'none' for 'debate'"),
    ],
)
def test_mistakes_are_said_at_once(more, words):
    with pytest.raises(EvalsError, match=words):
        dealer(**more)
    with pytest.raises(EvalsError, match="no protocol"):
        chosen("chess", {})
