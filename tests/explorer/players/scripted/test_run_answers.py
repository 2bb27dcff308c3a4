"""Runs are told by their steps; without a variable's name, all variables are told."""

from explorer.players.scripted.run_answers import of_run, on_the_way
from explorer.players.scripted.slots import Asked
from tests.explorer.players.scripted.test_account import WRONG, account

GIVEN = ([4, 6, 9],)


def test_passes_are_told_with_their_steps():
    said = of_run(account(WRONG.y), Asked("passes", "how often", GIVEN))
    assert "makes 3 passes. On the way, before the loop" in said.text


def test_a_variable_without_a_name_is_all_of_them():
    said = of_run(account(WRONG.y), Asked("variable", "what does it hold", GIVEN))
    assert "`mark` = `4`, `best` = `4`" in said.text


def test_the_steps_belong_to_the_story():
    told = account(1 - WRONG.y)
    said = told.call(GIVEN)
    assert "`second` = `6`" in on_the_way(told, GIVEN, said) or said.way in ("slip", "concede")
