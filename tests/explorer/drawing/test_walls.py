"""Tests of walls.py: the wall between two seats of a protocol."""

from explorer.drawing import Wall
from explorer.drawing.facts import reads_of
from nip_core.editing import Draft, History
from nip_core.registry import protocol_names, published_names, specification
from tests.depth import each


@each("name", [*protocol_names(), *published_names()])
def test_the_wall_of_a_protocol_can_be_moved(name):
    spec = specification(name)
    wall = Wall.of(spec)
    if wall is None:
        return
    arguments = {"one": wall.one, "other": wall.other, "closed": wall.closed}
    moved, result = History.of(Draft.of(spec)).do("wall", arguments)
    assert result.refused is None
    assert moved.at == 1
    reads = reads_of(moved.draft.spec)
    read = [reads[wall.one][wall.other][0], reads[wall.other][wall.one][0]]
    assert any(read) != wall.closed
    assert Wall.read(wall.entry) == wall


def test_it_stands_between_those_who_do_not_decide():
    assert Wall.of(specification("debate")).entry == "prover0.prover1.up"
    assert Wall.of(specification("mnip")).entry == "prover0.prover1.down"
    assert Wall.of(Draft.blank().spec) is None


def test_other_entries_say_nothing():
    entries = ("", "x", "a.b", "a.b.c", "a..up", ".b.up", "a.b.up.down")
    assert [entry for entry in entries if Wall.read(entry) is not None] == []
