"""Whole episodes of every registered protocol are unchanged."""

import pytest

from nip_core import protocol_names
from tests.make_playthroughs import FOLDER, playthrough

HINT = "run `python -m tests.make_playthroughs` and read the difference"


@pytest.mark.parametrize("name", protocol_names())
def test_playthrough(name):
    path = FOLDER / f"{name}.json"
    assert path.exists(), f"{name} has no golden playthrough: {HINT}"
    assert playthrough(name) == path.read_text(encoding="utf-8"), f"{name} plays otherwise: {HINT}"


def test_no_playthrough_of_a_protocol_that_is_gone():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(protocol_names())
