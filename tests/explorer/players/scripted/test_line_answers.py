"""What a line does is said with what comes out without it, and changes are tried."""

from explorer.players.scripted.line_answers import change, key_line, line, line_about
from explorer.players.scripted.slots import Asked
from nip_core.tasks import problems
from tests.explorer.players.scripted.test_account import account

TASKS = {problem.slug: problem.wrong for problem in problems()}


def told(slug):
    return account(TASKS[slug].y, TASKS[slug])


def test_a_line_is_told_with_its_block_and_with_what_comes_out_without_it():
    said = line(told("tally_undo"), Asked("line", "", line=20))
    assert "It stands below line 18, `else:`." in said.text
    assert "Without it, `tally_totals(" in said.text


def test_a_line_may_be_meant_by_its_words():
    assert line_about(told("parcel_check_digit"), "which line has the weight of each place") == 5
    assert line_about(told("parcel_check_digit"), "blue moons") is None
    assert line(told("runner_up"), Asked("line", "is that a nice one")) is None


def test_a_changed_program_is_compared_with_what_is_right():
    asked = Asked("change", "", change=("part", 15, "elif", "if"))
    said = change(told("trip_debts"), asked)
    assert "it is then wrong on 0, and on 2 as it is" in said.text
    assert change(told("trip_debts"), Asked("change", "", change=("without", 99))) is None
    assert change(told("trip_debts"), Asked("change", "make it blue")) is None


def test_the_key_line_is_where_the_versions_differ():
    assert key_line(told("trip_debts")).source == "elif getting[j][1] == 0:"
