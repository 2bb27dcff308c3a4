"""Protocols of both versions in one table."""

from explorer.files import csv_bytes
from explorer.notebook import side_by_side
from nip_core.registry import specification


def test_what_differs_is_marked():
    table = side_by_side("nip", "debate", "cross_examination", "jury")
    assert list(table.columns)[2:-1] == ["nip", "debate", "cross_examination", "jury"]
    assert csv_bytes(table).count(b"\n") == len(table) + 1
    alone = side_by_side("jury", "jury")
    assert table["differs"].any()
    assert not alone["differs"].any()


def test_settings_distinguish_equal_protocols_and_hostile_names_do_not_clash():
    jury = specification("jury")
    table = side_by_side(jury, jury.with_settings(rounds=5))
    assert list(table.columns)[2:-1] == ["jury (rounds 2)", "jury (rounds 5)"]
    assert set(table[table["differs"]]["what"]) >= {"Turns, at most", "Messages, at most"}
    assert list(side_by_side(jury.replace(name="what")).columns).count("what") == 1
