"""Runs are told by their steps."""

from explorer.players.scripted.run_answers import of_run, on_the_way
from explorer.players.scripted.slots import Asked
from tests.explorer.players.scripted.test_account import WRONG, account

GIVEN = ([4, 6, 9],)


def test_a_run_is_told_from_its_beginning_to_what_it_returns():
    said = of_run(account(WRONG.y), Asked("trace", "go through it", GIVEN))
    assert "`mark` = `4`, `best` = `4`" in said.text
    assert "In the end it returns" in said.text


def test_the_steps_belong_to_the_story():
    told = account(1 - WRONG.y)
    said = told.call(GIVEN)
    assert "`second` = `6`" in on_the_way(told, GIVEN, said) or said.way in ("slip", "concede")
