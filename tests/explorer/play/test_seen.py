"""What a page gets of a table depends on the seat at the screen."""

import dataclasses
import json
import random

import pytest

from explorer.play.screens import Seen
from explorer.players import RandomPlayer
from nip_core import HyperParameters, published_names, specification
from nip_core.errors import PlayError
from nip_core.play import Episode, Move, Setup
from tests.depth import each
from tests.explorer.storage.play import SETUPS, played
from tests.play.turn_players import begun, random_turn
from tests.play_worlds import ONE_TASK, protocols

ASK = Move("verifier", {"prover0_channel": "Why?", "prover1_channel": "How?"})
SAY = Move("prover0", {"prover0_channel": "Because."})


@pytest.fixture
def episode():
    return Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK)


def test_a_seat_takes_back_what_it_has_done_itself(episode):
    beginning = episode.node.id
    assert Seen(episode, "verifier").undo_to is None
    episode.play(ASK)
    asked = episode.node.id
    assert Seen(episode, "verifier").undo_to == beginning
    assert Seen(episode, "prover0").undo_to is None
    # A move that waits for the other prover's was made at the present position.
    episode.play(SAY)
    assert episode.node.id == asked
    assert Seen(episode, "prover0").undo_to == asked
    assert Seen(episode, "prover1").undo_to is None
    episode.play(Move("prover1", {"prover1_channel": "So."}))
    episode.play(ASK)
    assert [Seen(episode, seat).undo_to for seat in ("verifier", "prover0", "prover1")] == [
        episode.path()[2].id,
        asked,
        asked,
    ]


def anything_happens(name, number):
    """Return an episode with held moves, and moves that were taken back."""
    return played(random.Random(number), 4 + 3 * number, SETUPS[name])


def turns_are_taken(name, number):
    """Return an episode of version 2 in which some turns were taken."""
    episode, rng = begun(specification(name), number)
    for _ in range(number):
        if not episode.over:
            episode.play(random_turn(episode.view_for(episode.to_move[0]), rng))
    return episode


@each(
    ("made", "name"),
    [
        *((anything_happens, name) for name in SETUPS),
        *((turns_are_taken, name) for name in published_names()[:3]),
    ],
)
def test_taking_back_leads_to_where_the_move_was_made(made, name):
    for number in range(6):
        episode = made(name, number)
        for seat in episode.rules.seat_names:
            to = Seen(episode, seat).undo_to
            copy = Episode.from_setup(episode.setup, episode.events)
            if to is None:
                with pytest.raises(PlayError):
                    copy.undo(seat)
            else:
                copy.undo(seat)
                assert copy.node.id == to
                assert Seen(copy, seat).undo_to != to


def test_only_a_seat_that_has_seen_another_variation_gets_the_note(episode):
    episode.play(ASK)
    episode.undo("verifier")
    assert [bool(Seen(episode, seat).note) for seat in ("verifier", "prover0")] == [False, True]


def looks(episode):
    """Return what each seat is shown."""
    seen = {seat: Seen(episode, seat) for seat in episode.rules.seat_names}
    return {seat: json.dumps([each.screen, each.tree]) for seat, each in seen.items()}


def test_a_screen_differs_where_a_seat_sees_a_difference(episode):

    beginning = looks(episode)
    episode.play(ASK)
    asked = looks(episode)
    assert all(beginning[seat] != asked[seat] for seat in asked)
    episode.play(SAY)
    waiting = looks(episode)
    assert [seat for seat in asked if asked[seat] != waiting[seat]] == ["prover0"]
    # The beginning looks as before, except that a variation now continues from it.
    episode.goto(0)
    assert all(Seen(episode, seat).view.round == 0 for seat in asked)
    assert all(beginning[seat] != look for seat, look in looks(episode).items())


def test_variations_show_a_seat_who_spoke_and_what_it_read(episode):
    episode.play(ASK)
    assert not any("said" in node for node in Seen(episode, "verifier").tree["nodes"])
    for word in ("second", "third"):
        episode.goto(0)
        episode.play(Move("verifier", {"prover0_channel": word, "prover1_channel": "?"}))
    nodes = Seen(episode, "verifier").tree["nodes"]
    texts = [[text for *_, text in node["said"]] for node in nodes]
    assert [text[0] for text in texts if text][1:] == ["second", "third"]
    assert [node["speakers"] for node in nodes] == [[], *[["verifier"]] * 3]
    # A prover reads its own channel, and never the other prover's.
    apart = Seen(episode, "prover1").tree["nodes"]
    assert {channel for node in apart for channel, *_ in node["said"]} == {"prover1_channel"}
    episode.goto(0)
    episode.play(Move("verifier", decision=1))
    assert Seen(episode, "prover1").tree["nodes"][-1]["verdict"] == "accept"


def at_the_end(setup, decision):
    """Return a finished episode on a task, played at random, in which nobody sees the task."""
    episode = Episode.from_setup(setup)
    player = RandomPlayer(5)
    while not episode.over:
        seat = episode.to_move[0]
        view = episode.view_for(seat)
        decide = view.legal.may_decide
        episode.play(Move(seat, decision=decision) if decide else player.act(view))
    return episode


@pytest.mark.parametrize("decision", [0, 1])
def test_before_the_reveal_nothing_shows_the_truth(decision):
    true = dataclasses.replace(
        ONE_TASK, y=1, explanation="It is right.", exposing=None, source_id="other"
    )
    for name, protocol in protocols().items():
        ends = [
            at_the_end(Setup.of(protocol, task, 2, informed_provers=False), decision)
            for task in (ONE_TASK, true)
        ]
        for seat in ends[0].rules.seat_names:
            views = [
                json.dumps([seen.screen, seen.watched, seen.tree, seen.view.to_dict()])
                for seen in (Seen(episode, seat, revealed=False) for episode in ends)
            ]
            assert views[0] == views[1], (name, seat)
            assert Seen(ends[0], seat).screen != Seen(ends[0], seat, revealed=False).screen
            with pytest.raises(PlayError, match="not revealed"):
                Seen(ends[0], seat, revealed=False).as_json()
