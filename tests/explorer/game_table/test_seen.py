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


def test_the_latest_two_lines_are_compared(episode):
    episode.play(ASK)
    assert Seen(episode, "verifier").latest_lines == []
    for word in ("second", "third"):
        episode.goto(0)
        episode.play(Move("verifier", {"prover0_channel": word, "prover1_channel": "?"}))
    (before, second), (latest, third) = Seen(episode, "verifier").latest_lines
    assert (before, latest) == (2, 3)
    assert "second" in second
    assert "third" not in second
    assert "third" in third
