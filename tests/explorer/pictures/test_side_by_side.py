"""Protocols of both versions in one table."""

from explorer.files import csv_bytes
from explorer.notebook import side_by_side
from nip_core import protocol_names, published_names
from nip_core.registry import specification


def answer(table, what: str, name: str) -> str:
    (found,) = table[table["what"] == what][name]
    return found


def test_it_says_who_sees_decides_and_is_paid_and_marks_what_differs():
    table = side_by_side("nip", "debate", "cross_examination", "jury")
    assert list(table.columns)[2:-1] == ["nip", "debate", "cross_examination", "jury"]
    hidden = answer(table, "The task: hidden from some", "cross_examination")
    assert hidden == "passage: Debater A and Debater B; Examiner and Judge after the end"
    assert answer(table, "The task: hidden from some", "jury") == "nothing"
    assert answer(table, "Turns, at most", "nip") == "8"
    assert answer(table, "Messages, at most", "debate") == "16"
    assert "majority" in answer(table, "The verdict", "jury")
    alone = side_by_side("jury", "jury")
    assert table["differs"].any()
    assert not alone["differs"].any()


def test_every_pair_of_protocols_is_compared_and_saved():
    names = [*protocol_names(), *published_names()]
    table = side_by_side(*names)
    assert list(table.columns)[2:-1] == names
    assert (table[names] != "").all(axis=None)
    assert csv_bytes(table).count(b"\n") == len(table) + 1


def test_settings_distinguish_equal_protocols_and_hostile_names_do_not_clash():
    jury = specification("jury")
    table = side_by_side(jury, jury.with_settings(rounds=5))
    assert list(table.columns)[2:-1] == ["jury (rounds 2)", "jury (rounds 5)"]
    assert set(table[table["differs"]]["what"]) >= {"Turns, at most", "Messages, at most"}
    assert list(side_by_side(jury.replace(name="what")).columns).count("what") == 1
