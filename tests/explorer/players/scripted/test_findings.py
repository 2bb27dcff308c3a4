"""What is said of many inputs is counted."""

import pytest

from explorer.players.scripted.findings import certain, complexity, ever, of_all, within
from explorer.players.scripted.slots import Asked
from explorer.players.scripted.sorts import Sort
from nip_core.tasks import problems
from tests.explorer.players.scripted.test_account import account

TASKS = {problem.slug: problem.wrong for problem in problems()}


def told(slug):
    return account(TASKS[slug].y, TASKS[slug])


def test_on_inputs_of_a_sort_it_says_how_often_it_is_wrong():
    ties = Asked("within", "if nobody ties", sorts=(Sort("distinct"),))
    said = within(told("finals_with_ties"), ties)
    assert "without repetitions, and it is wrong on 0 of them" in said.text
    part = Asked("within", "percent 100", given=(("percent", 100),))
    assert "with `percent` = `100`" in within(told("sale_prices"), part).text


@pytest.mark.parametrize(
    ("slug", "text", "says"),
    [
        ("club_ledger", "does it mutate its input", "leaves its input as it was"),
        ("runner_up", "does it ever hang", "came to an end"),
        ("runner_up", "does the order matter", "returns"),
        ("runner_up", "what type does it return", "a number"),
        ("runner_up", "too large a result, ever?", "too little on"),
    ],
)
def test_what_holds_of_all_inputs_is_tried(slug, text, says):
    assert says in of_all(told(slug), Asked("property", text)).text


def test_what_cannot_be_tried_is_not_answered():
    assert of_all(told("runner_up"), Asked("property", "is it nice")) is None
    assert ever(told("runner_up"), Asked("ever", "is it nice", name="best")) is None


def test_how_sure_it_is_names_what_it_tried_and_one_input():
    said = certain(told("runner_up"), Asked("certain", "from 1 to 10, how sure?"))
    assert said.text.startswith("10 of 10: of ")
    assert "`runner_up([" in said.text


def test_lines_are_counted_at_three_lengths():
    assert "in proportion to the length" in complexity(told("runner_up"), Asked("", "")).text
