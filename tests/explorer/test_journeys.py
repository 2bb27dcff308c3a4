"""On every journey through the app, no frame and no file depends on another seat's secrets."""

import pytest

from tests.depth import first
from tests.explorer.frames.journeys import JOURNEYS, seen_in
from tests.explorer.frames.plants import PLANTS, plant, weed
from tests.explorer.frames.worlds import World, differences

# The journeys of the quick run.
SHORT = ("one_variation_ended", "a_verifier_in_a_room", "a_prover_in_a_room")


def two_worlds(frames, folder, name):
    return [seen_in(frames, str(folder), World(number), name) for number in range(2)]


@pytest.mark.parametrize("name", first(3, sorted(JOURNEYS, key=lambda name: name not in SHORT)))
def test_no_frame_tells_worlds_apart(frames, tmp_path, name):
    seen = two_worlds(frames, tmp_path, name)
    assert len(seen[0]) > 3
    assert differences(seen) == []


# The journey on which each of them must be found.
FOUND_ON = {
    "failed_drafts_for_all": "models_that_fail",
    "quotes_for_all": "models_that_fail",
    "every_variation_sent": "brought_in",
    "one_visit_for_all": "asking_for_a_draft",
    "search_looks_into_all": "brought_in",
    "running_ones_exported": "played_beside",
    "a_run_for_every_move": "played_beside",
    "a_key_that_counts": "watching_one_channel",
    "one_more_element": "judging",
    "a_file_with_the_task": "judging",
    "who_is_to_move": "watching_one_channel",
    "sent_before_the_reveal": "a_verifier_in_a_room",
    "a_mark_of_hidden_words": "a_prover_in_a_study",
}


def test_every_planted_leak_has_a_journey():
    assert FOUND_ON.keys() == PLANTS.keys()


@pytest.mark.parametrize("planted", first(3, FOUND_ON))
def test_planted_leaks_are_found(frames, tmp_path, planted):
    name = FOUND_ON[planted]
    frames.call(plant, planted)
    try:
        assert differences(two_worlds(frames, tmp_path, name))
    finally:
        frames.call(weed)
