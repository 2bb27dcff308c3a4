"""Episodes of every protocol, and all that follows from the protocol, are unchanged."""

import pytest

from nip_core import protocol_names, published_names
from tests.make_playthroughs import FOLDER, playthrough

NAMES = [*protocol_names(), *published_names()]
HINT = "run `python -m tests.make_playthroughs` and read the difference"


@pytest.mark.parametrize("name", NAMES)
def test_playthrough(name):
    path = FOLDER / f"{name}.txt"
    assert path.exists(), f"{name} has no golden playthrough: {HINT}"
    assert playthrough(name) == path.read_text(encoding="utf-8"), f"{name} plays otherwise: {HINT}"


def test_no_playthrough_of_a_protocol_that_is_gone():
    assert {path.stem for path in FOLDER.iterdir()} == set(NAMES)
