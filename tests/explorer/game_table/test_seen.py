"""What a page is told of a table depends on the seat at the screen."""

from __future__ import annotations

import pytest

from explorer.game_table.seen import Seen
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from tests.play_worlds import ONE_TASK

ASK = Move("verifier", {"prover0_channel": "Why?", "prover1_channel": "How?"})
SAY = Move("prover0", {"prover0_channel": "Because."})


@pytest.fixture
def episode():
    return Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK)


def test_a_seat_takes_back_what_it_has_done_itself(episode):
    assert not Seen(episode, "verifier").can_undo
    episode.play(ASK)
    assert Seen(episode, "verifier").can_undo
    assert not Seen(episode, "prover0").can_undo
    episode.play(SAY)
    assert Seen(episode, "prover0").can_undo
    assert not Seen(episode, "prover1").can_undo


def test_who_has_seen_another_line_is_told_so_and_nobody_else(episode):
    episode.play(ASK)
    episode.undo("verifier")
    assert [Seen(episode, seat).tainted for seat in ("verifier", "prover0")] == [False, True]


def test_a_mark_differs_where_a_seat_sees_a_difference(episode):
    def marks():
        return {seat: Seen(episode, seat).mark for seat in episode.spec.agent_names}

    beginning = marks()
    episode.play(ASK)
    asked = marks()
    assert all(beginning[seat] != asked[seat] for seat in asked)
    episode.play(SAY)
    waiting = marks()
    assert [seat for seat in asked if asked[seat] != waiting[seat]] == ["prover0"]
    # Where it began, it looks as it did; but now there is a line behind it.
    episode.goto(0)
    assert all(Seen(episode, seat).view.round == 0 for seat in asked)
    assert all(beginning[seat] != mark for seat, mark in marks().items())


def test_lines_tell_a_seat_who_spoke_and_what_it_read(episode):
    episode.play(ASK)
    assert not any("said" in node for node in Seen(episode, "verifier").tree["nodes"])
    for word in ("second", "third"):
        episode.goto(0)
        episode.play(Move("verifier", {"prover0_channel": word, "prover1_channel": "?"}))
    nodes = Seen(episode, "verifier").tree["nodes"]
    texts = [[text for *_, text in node["said"]] for node in nodes]
    assert [text[0] for text in texts if text][1:] == ["second", "third"]
    assert [node["speakers"] for node in nodes] == [[], *[["verifier"]] * 3]
    # A prover reads its own channel, and on no line the other's.
    apart = Seen(episode, "prover1").tree["nodes"]
    assert {channel for node in apart for channel, *_ in node["said"]} == {"prover1_channel"}
    episode.goto(0)
    episode.play(Move("verifier", decision=1))
    assert Seen(episode, "prover1").tree["nodes"][-1]["verdict"] == "accept"
