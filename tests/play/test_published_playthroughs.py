"""Published protocols are played as before; after a deliberate change, write the files anew."""

from nip_core import published_names
from tests.depth import each
from tests.make_playthroughs import PUBLISHED, turns


def test_each_has_a_golden_playthrough():
    assert sorted(path.stem for path in PUBLISHED.glob("*.json")) == [*published_names()]


@each("name", published_names())
def test_it_is_played_as_it_was(name):
    assert turns(name) == (PUBLISHED / f"{name}.json").read_text(encoding="utf-8")
