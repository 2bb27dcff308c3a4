"""What a prover says of one input belongs to the version that it describes."""

import pytest

from explorer.players.scripted.account import Account, concrete
from explorer.players.scripted.code import code_of
from explorer.players.scripted.levels import LEVELS
from explorer.players.scripted.voices import voices
from nip_core.tasks import problems

WRONG = next(problem for problem in problems() if problem.slug == "runner_up").wrong


def account(stance, task=WRONG, **facts):
    answers = {chip.ask: chip.answers[stance] for chip in task.questions}
    told = (code_of(task.statement), stance, LEVELS["hard"], voices()[0], 0, 0)
    return Account(*told, task.opening(stance), answers, **facts)


@pytest.mark.parametrize(("stance", "fails"), [(0, True), (1, False)])
def test_a_story_says_where_the_program_fails(stance, fails):
    told = account(stance)
    assert told.fails(([1, 2, 3, 4],)) == fails
    assert told.same(([4, 3],))
    assert told.same(([1, 2, 3, 4],)) == (stance == WRONG.y)


def test_without_an_input_it_speaks_of_one_on_which_it_need_not_lie():
    for stance in (0, 1):
        told = account(stance)
        assert told.same(told.shown)
    assert repr(account(WRONG.y).shown) in account(WRONG.y).code.unusual


def test_what_can_be_checked_begins_at_an_input():
    assert concrete("It is so. Take [1, 2]. It gives 2. More.") == "Take [1, 2]. It gives 2."
    assert concrete("One. Two. Three.") == "Two. Three."
