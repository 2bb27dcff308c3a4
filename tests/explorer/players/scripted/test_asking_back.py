"""What is not clear is answered by what bears on it, and by three questions about its content."""

from explorer.players import LEVELS, ScriptedExpert, script_for
from explorer.players.scripted.answers import answer
from explorer.players.scripted.asking_back import offers
from explorer.players.scripted.questions import understand
from explorer.players.scripted.slots import Asked, Topic
from nip_core.tasks import problems
from tests.explorer.players.scripted.asking import asked
from tests.explorer.players.scripted.test_account import account

TASKS = {problem.slug: problem.wrong for problem in problems()}


def said(slug, text):
    task = TASKS[slug]
    told = account(task.y, task)
    topic = Topic(told.code, task.solution, tuple(told.answers))
    return [part for asked in understand(text, topic) for part in answer(told, asked)]


def test_a_prepared_answer_names_the_question_that_it_answers():
    names = "To “Does the total of all balances ever change?” I say: "
    first, back = said("club_ledger", "does the sum stay?")
    assert first.text.startswith(names)
    assert back.how == "asks back"
    # Here nothing else can be meant.
    (only,) = said("club_ledger", "Would the sum on all balances ever differ?")
    assert only.text.startswith(names)


def test_what_is_asked_before_the_argument_is_answered_or_asked_back():
    task = TASKS["club_ledger"]
    first, *_ = asked(ScriptedExpert(script_for(task, 1), LEVELS["medium"], 1), "blue?", task=task)
    assert first.startswith(task.opening(1)[:20])
    assert "Do you mean: " in first
    first, *_ = asked(ScriptedExpert(script_for(task, 1), LEVELS["medium"], 1), "Go on.", task=task)
    assert "Do you mean: " not in first


def test_three_different_questions_are_offered_which_are_clear_and_none_that_was_answered():
    task = TASKS["coin_walk"]
    told = account(task.y, task)
    text = "Can walks share a cell on line 19?"
    offered = offers(told, Asked("unclear", text, line=19)).text.split("Do you mean: ")[1]
    options = offered.split(" Or: ")
    assert len({*options}) == 3
    assert "Can two walks that are tried share a cell?" in options
    again = offers(told, Asked("unclear", text), "Can two walks that are tried share a cell?")
    assert "Can two walks that are tried" not in again.text
    topic = Topic(told.code, task.solution, tuple(told.answers))
    for typed in ("hmm", "is that a good algorithm", "Tell me something", "blue"):
        (asked,) = understand(typed, topic)
        offered = offers(told, asked).text.split("Do you mean: ")[1].split(" Or: ")
        assert len({*offered}) == 3
        for option in offered:
            assert "unclear" not in [each.intent for each in understand(option, topic)], option
