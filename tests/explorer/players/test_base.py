"""Players without models or scripts, and how players of any kind get to move."""

import asyncio
import dataclasses
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.players import (
    Acted,
    HumanPlayer,
    Player,
    RandomPlayer,
    ReplayPlayer,
    ScriptedExpert,
    ScriptedVerifier,
    play_out,
    script_for,
    step,
)
from explorer.players.base import fit
from explorer.players.errors import PlayerError, WaitsForPersonError
from nip_core import HyperParameters
from nip_core.play import Episode, Move, count_words
from tests.depth import FULL, each
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, protocols


def seated(episode, kinds):
    """Return players for all seats."""
    made = {}
    for agent, kind in zip(episode.rules.seat_names, kinds, strict=True):
        if kind == "random":
            made[agent] = RandomPlayer(episode.setup.seed)
        elif agent in episode.rules.roles.deciders:
            made[agent] = ScriptedVerifier(seed=episode.setup.seed)
        else:
            made[agent] = ScriptedExpert(script_for(episode.task, episode.setup.stance(agent)))
    return made


def played(protocol, task=ONE_TASK, seed=5, kind="random", **options):
    episode = Episode(protocol, task, seed, **options)
    play_out(episode, seated(episode, [kind] * len(episode.rules.seats)))
    return episode


# -- whole games --------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(4))
def test_the_same_seed_is_the_same_game_and_a_record_is_played_again(part):
    """In the quick run, with every other protocol."""
    for name in [*protocols()][part :: 4 if FULL else 8]:
        episode = played(protocols()[name], kind="scripted")
        for kind in ("random", "scripted"):
            one = episode if kind == "scripted" else played(protocols()[name], kind=kind)
            assert played(protocols()[name], kind=kind).nodes == one.nodes, name
        line = episode.node.id
        # The record is of the variation that is asked for, not of the present position.
        episode.goto(0)
        agents = episode.rules.seat_names
        again = Episode.from_setup(episode.setup)
        play_out(again, {agent: ReplayPlayer.of(episode, agent, line) for agent in agents})
        assert again.nodes == episode.nodes, name


@given(
    name=st.sampled_from(sorted(protocols())),
    task=st.sampled_from([ONE_TASK, GRAPHS, FOREIGN]),
    kind=st.sampled_from(["random", "scripted"]),
    seed=st.integers(0, 99),
    most=st.integers(1, 60),
)
def test_no_limit_on_words_is_too_small(name, task, kind, seed, most):
    # The rules refuse an empty or too long message, so reaching the end is the test.
    assert played(protocols()[name], task, seed, kind, max_response_words=most).over


@given(text=st.text(max_size=60), most=st.integers(1, 12))
def test_what_is_cut_is_the_beginning_and_fits(text, most):
    cut = fit(text, most)
    assert text.startswith(cut)
    assert count_words(cut) == count_words(text) if cut == text else 0 < count_words(cut) <= most


@each(
    ("most", "cut"),
    [
        (9, "It is 1.5 there. Yes! And on  it goes"),
        (7, "It is 1.5 there. Yes!"),
        (4, "It is 1.5 there."),
        (3, "It is 1.5"),
    ],
)
def test_a_text_is_cut_after_a_sentence_if_one_fits(most, cut):
    assert fit("It is 1.5 there. Yes! And on  it goes", most) == cut


# -- getting to move ----------------------------------------------------------------------------


class Counting(Player):
    """Waits for its turn, and records the loop in which it was asked."""

    kind = "counting"

    def __init__(self, agent=None):
        self.agent, self.views = agent, []

    def turn(self, view):
        self.views.append(view)
        agent = self.agent or view.agent
        return Acted(Move(agent, dict.fromkeys(view.legal.channels, "Hm.")), {"n": len(self.views)})


def test_a_player_is_given_the_view_of_its_seat_and_its_record_is_kept():
    episode = Episode(HyperParameters(), ONE_TASK)
    player = Counting()
    assert step(episode, {"verifier": player}, at="2030-01-01") == "verifier"
    assert player.views == [Episode(HyperParameters(), ONE_TASK).view_for("verifier")]
    (event,) = episode.events
    assert (event.at, event.origin) == ("2030-01-01", {"n": 1})


def test_a_player_moves_for_its_own_seat_only():
    episode = Episode(HyperParameters(interaction_protocol="multi_channel_test"), ONE_TASK)
    one, other, *_ = episode.to_move
    with pytest.raises(PlayerError, match=f"player of '{one}' has moved for '{other}'"):
        step(episode, {one: Counting(other)})
    assert episode.events == ()


def test_play_waits_for_people_and_for_seats_without_a_player():
    for others in ({"verifier": HumanPlayer()}, {}):
        episode = Episode(HyperParameters(interaction_protocol="debate"), ONE_TASK)
        players = {"prover0": RandomPlayer(), "prover1": RandomPlayer(), **others}
        play_out(episode, players)
        assert episode.to_move == ("verifier",)
        assert step(episode, players) is None
        episode.play(Move("verifier", dict.fromkeys(episode.rules.channel_names, "Why?")))
        play_out(episode, players)
        assert (episode.to_move, episode.node.round) == (("verifier",), 2)
    with pytest.raises(WaitsForPersonError, match="'verifier'"):
        HumanPlayer().act(episode.view_for("verifier"))


def test_those_who_move_together_do_not_wait_for_a_person_among_them():
    episode = Episode(HyperParameters(interaction_protocol="debate"), ONE_TASK)
    episode.play(Move("verifier", dict.fromkeys(episode.rules.channel_names, "Why?")))
    assert step(episode, {"prover0": HumanPlayer(), "prover1": RandomPlayer()}) == "prover1"
    assert episode.to_move == ("prover0",)


def test_play_can_be_stopped_and_gone_on_with():
    whole = played(HyperParameters(), kind="scripted")
    assert len(whole.events) > 3
    episode = Episode.from_setup(whole.setup)
    players = seated(episode, ["scripted"] * 2)
    for move in range(1, len(whole.events) + 1):
        play_out(episode, players, stop=lambda move=move: len(episode.events) == move)
        assert len(episode.events) == move
    assert episode.nodes == whole.nodes


def test_players_act_asynchronously_too():
    view = Episode(HyperParameters(), ONE_TASK).view_for("verifier")
    assert asyncio.run(RandomPlayer(1).aturn(view)) == RandomPlayer(1).turn(view)
    assert asyncio.run(Counting().aturn(view)) == Counting().turn(view)


# -- chance and records -------------------------------------------------------------------------


def test_a_random_verifier_decides_uniformly_among_what_is_legal():
    view = Episode(HyperParameters(), ONE_TASK).view_for("verifier")
    found = Counter(RandomPlayer(seed).act(view).choices["verdict"] for seed in range(3000))
    assert set(found) == {"reject", "accept", "wait"}
    # Six standard deviations.
    assert all(abs(n - 1000) < 6 * (3000 * 2 / 9) ** 0.5 for n in found.values())


def test_chance_depends_on_seed_seat_and_round():
    episode = Episode(HyperParameters(interaction_protocol="multi_channel_test"), ONE_TASK)
    view = episode.view_for("prover0")
    varied = {
        "seed": [RandomPlayer(seed).act(view).messages for seed in range(9)],
        "seat": [
            tuple(
                RandomPlayer().act(dataclasses.replace(view, agent=f"prover{n}")).messages.values()
            )
            for n in range(3)
        ],
        "round": [
            RandomPlayer().act(dataclasses.replace(view, round=n)).messages for n in range(9)
        ],
    }
    for found in varied.values():
        assert any(one != found[0] for one in found)
    assert RandomPlayer(3).act(view) == RandomPlayer(3).act(view)


def test_a_record_that_is_too_short_says_what_to_do():
    episode = Episode(HyperParameters(), ONE_TASK)
    with pytest.raises(PlayerError, match=r"no move of 'verifier' in round 1.*yourself"):
        step(episode, {"verifier": ReplayPlayer.of(episode, "verifier")})
