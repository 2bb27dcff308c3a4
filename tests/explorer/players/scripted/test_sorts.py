"""Inputs that are described in words become inputs of the program, and none that it may not get."""

import pytest

from explorer.players.scripted.code import code_of
from explorer.players.scripted.sorts import described_sorts, inputs_of, is_of
from nip_core.tasks import problems
from tests.depth import each

PROGRAMS = {problem.slug: code_of(problem.correct.statement) for problem in problems()}


@pytest.mark.parametrize(
    ("slug", "text", "names", "first"),
    [
        ("runner_up", "what if the list is empty", ["empty"], ([],)),
        ("class_trip", "just one kid votes", ["one"], ("ABC", ["CAB"])),
        ("seats_in_a_row", "a group of one person", ["one"], None),
        ("night_work", "start equals end", ["equal"], (1200, 1200)),
        ("finals_with_ties", "if nobody ties", ["distinct"], None),
        ("finals_with_ties", "two of them have the same score", ["twice"], None),
        ("club_ledger", "Ann sends 3 to herself", ["itself"], ({"ann": 10}, [["ann", "ann", 10]])),
        ("snack_budget", "I have no money at all", ["empty"], ([(3, 4), (4, 5), (5, 6)], 0)),
        ("runner_up", "which single line would you edit", [], None),
        ("runner_up", "in the same way", [], None),
    ],
)
def test_sorts_are_found_and_inputs_are_of_them(slug, text, names, first):
    code = PROGRAMS[slug]
    found = described_sorts(text, code)
    sorts, inputs = inputs_of(found, code)
    assert [sort.name for sort in found] == names
    assert bool(inputs) == bool(names)
    assert all(is_of(sort, given) for given in inputs for sort in sorts)
    assert first in (None, *inputs[:1])


@each("code", PROGRAMS.values(), ids=PROGRAMS)
def test_inputs_of_a_problem_have_its_habits_and_so_have_those_that_are_made(code):
    assert all(map(code.expects, code.inputs))
    for text in ("empty list", "all are the same", "with duplicates", "negative", "reversed"):
        _, inputs = inputs_of(described_sorts(text, code), code)
        for given in inputs:
            assert code.expects(given), (text, given)
            assert code.right(given).kind == "returned"


def test_minutes_that_always_rise_are_given_in_no_other_order():
    code = PROGRAMS["door_visits"]
    assert not code.expects(([4, 0], [2], 5))
    assert not code.expects(([-1, 0], [2], 5))
    assert code.expects(([0, 4], [2], 5))


def test_what_holds_of_no_input_is_left_out_last_first():
    code = PROGRAMS["hill_viewpoints"]
    sorts, inputs = inputs_of(described_sorts("an empty map with 2 heights", code), code)
    assert [sort.name for sort in sorts] == ["empty"]
    assert inputs
