"""Tests of evidence.py: what a room's messages predict stands beside what was measured."""

from explorer import rooms
from explorer.rooms import expected_right, outcomes
from explorer.rooms.evidence import LEVEL
from explorer.rooms.results import revealed_episodes
from nip_core.values import measured_evidence, predicted_right
from tests.explorer.rooms.people import LEADER, act_of, at, opened, play_out, sits


def test_a_condition_has_its_prediction_and_its_result(storage, access):
    code = opened(storage, 3, round_seconds=60)
    table = at(storage, code, sits(storage, code, "verifier"))
    table.play(act_of(table, words="Is it sorted?"))
    play_out(storage, code)
    rooms.reveal(access(code, LEADER))
    room = rooms.room_of(access(code, LEADER))
    (found,) = expected_right(room, outcomes(room))
    ((_, episode),) = revealed_episodes(room)
    measured = measured_evidence([episode], level=1 - (1 - LEVEL) / 3)
    assert found.measured == measured
    assert found.predicted == predicted_right(episode.rules, measured, seconds=5)
    row = found.row()
    assert row["condition"] == found.count.condition
    # Nobody can quote a program, and one message is too little in any case.
    assert not measured.shows.is_measured
    assert row["shows"] == measured.shows.reason
    assert row["verdict right, predicted"].startswith("not computed: shows is not measured")
    assert row["verdict right, measured"].endswith("of 1)")
