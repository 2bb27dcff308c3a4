"""Tests of ended.py.

What everybody may read of an episode while some of its variations have not ended.
"""

import random

import pytest

from nip_core import Episode, HyperParameters, Move
from nip_core.errors import PlayError
from nip_core.play import INSTEAD_OF, Commented, Moved, Seated, Setup, Withdrew
from nip_core.transcript import dumps, to_plain_text
from tests.depth import cases
from tests.noninterference import some_move
from tests.play_worlds import ONE_TASK, protocols

SECRET = "what nobody else may read"


def asked(text):
    return {"prover0_channel": text, "prover1_channel": text}


def left_open(secret=SECRET):
    """Return an episode with an ended variation, and one left in the middle."""
    episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, 7)
    episode.play(Move("verifier", asked("a question"), confidence=30))
    fork = episode.node.id
    episode.play(Move("prover0", {"prover0_channel": secret}, raw=f"{secret}, thought aloud"))
    episode.play(Move("prover1", {"prover1_channel": secret}), origin={"tokens": len(secret)})
    episode.apply(Commented(node=episode.node.id, text=secret))
    episode.goto(fork)
    episode.play(Move("prover1", {"prover1_channel": secret}))
    episode.goto(fork)
    episode.play(Move("prover1", {"prover1_channel": "told"}))
    episode.play(Move("prover0", {"prover0_channel": "told too"}))
    episode.play(Move("verifier", decision=1))
    return episode


def test_an_episode_in_progress_is_not_public():
    episode = left_open()
    episode.goto(0)
    with pytest.raises(PlayError, match="not over"):
        episode.finished()


def test_a_settled_episode_is_public_as_a_whole():
    episode = Episode(HyperParameters(interaction_protocol="nip"), ONE_TASK, 7)
    episode.play(Move("verifier", decision=1))
    assert episode.settled
    assert episode.finished() is episode
    episode.goto(0)
    assert not episode.settled


def test_unfinished_variations_stay_hidden():
    episode = left_open()
    assert not episode.settled
    finished = episode.finished()
    assert SECRET not in dumps(finished)
    assert "told too" in to_plain_text(finished)
    assert finished.task.openings is None
    assert not finished.task.questions


def test_the_public_episode_reveals_nothing_hidden():
    assert dumps(left_open().finished()) == dumps(left_open("some other words").finished())


def test_every_protocol():
    """With random variations: the finished ones, and no word of the others."""
    partly_public = 0
    for name, protocol in protocols().items():
        rng = random.Random(f"finished/{name}")
        for seed in range(cases(12)):
            setup = Setup.of(protocol, ONE_TASK, seed)
            episode = Episode.from_setup(setup)
            for _ in range(rng.randint(3, 6)):
                for _ in range(rng.randint(1, 3 * setup.rules.longest)):
                    if episode.to_move:
                        agent = rng.choice(episode.to_move)
                        episode.play(some_move(rng, episode, agent, p_decide=0.3))
                episode.goto(rng.choice(episode.nodes).id)
            ends = [leaf for leaf in episode.leaves if leaf.over]
            if not ends:
                continue
            episode.goto(ends[0].id)
            finished = episode.finished()
            partly_public += not episode.settled
            on_the_way = {node.id for end in ends for node in episode.path(end.id)}
            public = [node for node in episode.nodes if node.id in on_the_way]
            assert [n.moves for n in finished.nodes] == [n.moves for n in public], name
            assert [n.rewards for n in finished.nodes] == [n.rewards for n in public], name
            assert finished.settled
            assert finished.path()[-1].moves == episode.node.moves, name
    assert partly_public > 10


def test_a_public_round_does_not_reveal_who_was_first():
    finished = left_open().finished()
    seats = [event.move.agent for event in finished.events if isinstance(event, Moved)]
    both = [seat for seat in seats if seat != "verifier"]
    # prover1 was first each time.
    assert both == ["prover0", "prover1"] * (len(both) // 2)


def test_who_sits_where_is_said_once():
    """Also where a seat got another player between its move and the end of the turn."""
    episode = Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, 7)
    for agent in ("verifier", "prover0"):
        episode.apply(Seated(agent=agent, player={"kind": "random"}))
    episode.apply(Seated(agent="prover1", player={"kind": "random", INSTEAD_OF: {"kind": "human"}}))
    episode.play(Move("verifier", asked("a question")))
    fork = episode.node.id
    episode.play(Move("prover0", {"prover0_channel": "one"}))
    episode.apply(Seated(agent="prover0", player={"kind": "scripted"}))
    episode.play(Move("prover1", {"prover1_channel": "two"}))
    ended = episode.node.id
    episode.goto(fork)
    for prover in ("prover0", "prover1"):
        episode.play(Move(prover, {f"{prover}_channel": "left open"}))
    episode.goto(ended)
    episode.play(Move("verifier", decision=1))
    assert not episode.settled
    seats = [
        [e for e in each.events if isinstance(e, Seated)] for each in (episode, episode.finished())
    ]
    assert seats[0] == seats[1]
    assert len(seats[0]) == 4


def test_a_move_that_was_taken_back_is_not_in_the_public_episode():
    episode = left_open()
    fork = episode.path()[1].id
    episode.goto(fork)
    episode.play(Move("prover0", {"prover0_channel": SECRET}))
    episode.undo("prover0")
    episode.play(Move("prover1", {"prover1_channel": "told"}))
    episode.play(Move("prover0", {"prover0_channel": "told too"}))
    episode.play(Move("verifier", decision=0))
    finished = episode.finished()
    assert any(isinstance(event, Withdrew) for event in episode.events)
    assert not any(isinstance(event, Withdrew) for event in finished.events)
    assert SECRET not in dumps(finished)
