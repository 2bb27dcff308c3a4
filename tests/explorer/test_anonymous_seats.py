"""Arthur does not learn which of two provers speaks, whoever plays them."""

import re

import pytest

from nip_core import Episode, HyperParameters, bundled_tasks
from tests.explorer.frames.worlds import differences, seat_all, steadied


def tables(frames):
    """The same table twice, the second time with the other prover's turn."""
    rules = HyperParameters(interaction_protocol="merlin_arthur")
    for seed in (0, 1):
        episode = Episode(rules, bundled_tasks("easy")[0], seed)
        seat_all(episode, prover0="me", prover1="friend", verifier="friend")
        yield frames.storage.create(episode)


def test_a_cover_does_not_say_which_anonymous_seat_is_called(frames):
    seen = []
    for episode in tables(frames):
        page = frames.open("play", episode=episode)
        page.rerun()
        # Episodes' ids, values that Streamlit derives from them, and keyed marks that show only
        # changes.
        seen.append([re.sub(r"[0-9a-f]{32}", "ID", steadied(m)) for m in page.messages])
    assert differences(seen) == []


@pytest.mark.parametrize("turn", [0, 1])
def test_the_person_called_finds_their_seat(frames, turn):
    page = frames.open("play", episode=list(tables(frames))[turn])
    for label in page.labels():
        assert not page.has_table
        page.click(label)
        if page.has_table:
            break
    assert page.table["seat"] == f"prover{turn}"
