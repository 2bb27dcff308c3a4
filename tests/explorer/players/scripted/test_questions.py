"""What people type is understood, asked back, or never taken for something else.

`typed_questions.txt` was written by several hands before these cues and phrases, and none of its
sentences is among them.
"""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.players.scripted.code import code_of
from explorer.players.scripted.phrases import intents
from explorer.players.scripted.questions import chip, questions_meant, understand
from explorer.players.scripted.slots import Topic
from nip_core.tasks import bundled_tasks, graph_task, problems
from tests.depth import each

GRAPHS = graph_task(4, isomorphic=True)
TASKS = {problem.slug: problem.wrong for problem in problems()} | {"graphs": GRAPHS}
STRANGERS = " in strangers' words"
BEFORE = {"runner_up": ([1, 2, 3, 4],), "calm_stretch": ([3, 8, 2, 1, 9], 5)}
# The intents that answer what the table calls otherwise.
ANSWERS = {
    "why": {"evidence", "trace", "call"},
    "how": {"about", "trace"},
    "side": {"agree", "certain"},
    "again": {"recap"},
    "contradiction": {"recap", "agree"},
    "english": {"unclear"},
    "fault": {"example", "keyline", "agree"},
    "reason": {"evidence", "certain"},
    "line": {"line", "change"},
}


class Row(NamedTuple):
    """What somebody typed about a task, and what it means."""

    about: str
    typed: str
    meant: str


def topic(about="runner_up", *, before=None):
    task = TASKS[about]
    return Topic(code_of(task.statement), task.solution, tuple(task.statement.asks), before)


@cache
def rows():
    found, about = [], ""
    text = Path(__file__).with_name("typed_questions.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            about = line[1:-1]
        elif line and not line.startswith("#"):
            meant, typed = line.split(": ", 1)
            found.append(Row(about, typed, meant))
    return found


def is_answered(found, want, about):
    if want.isdigit():
        ask = TASKS[about].statement.asks[int(want) - 1]
        given_in = understand(ask, topic(about))[0].arguments
        return any(
            q.prepared == ask or (given_in is not None and q.arguments == given_in) for q in found
        )
    if want == "call":
        return any(q.arguments is not None for q in found)
    return any(q.intent in ANSWERS.get(want, {want}) for q in found)


def test_most_is_understood_at_once_and_little_is_taken_for_something_else():
    count = Counter()
    for row in rows():
        if row.meant == "-":
            continue
        about = row.about.removesuffix(STRANGERS)
        before = BEFORE.get(about) if about != row.about else None
        found = understand(row.typed, topic(about, before=before))
        for want in row.meant.split(", "):
            if is_answered(found, want, about):
                count["answered"] += 1
            elif any(q.intent == "unclear" or (q.prepared and not q.same) for q in found):
                # It says which question it answers, and offers others.
                count["asked back"] += 1
            else:
                count["other"] += 1
    total = sum(count.values())
    assert count["answered"] >= 0.8 * total, count
    assert count["other"] <= 0.07 * total, count


@pytest.mark.parametrize(
    ("typed", "intent"),
    [
        # Each of these once got the answer to something else.
        ("On a scale from 1 to 10, how sure are you?", "certain"),
        ("Do you agree that the program is wrong?", "agree"),
        ("What if we removed line 3?", "change"),
        ("What if you replace `>` with `>=`?", "change"),
        ("Is your opponent lying?", "other"),
        ("would you put your house on it?", "certain"),
        ("you said 4 before", "recap"),
        ("which line is suspicious", "keyline"),
        ("7, 9, 4, 9?", "call"),
        ("is it 7 for [7, 9]?", "call"),
        ("hmm", "unclear"),
    ],
)
def test_what_is_asked_for_is_found(typed, intent):
    (asked,) = understand(typed, topic())
    assert asked.intent == intent, asked


@pytest.mark.parametrize(
    ("typed", "arguments"),
    [
        ("and [9]?", ([9],)),
        ("What does runner_up([1, 2]) return?", ([1, 2],)),
        ("What does it return for 1, 2 and 3?", ([1, 2, 3],)),
        ("How likely is it that 7 people win?", None),
        ("line 3?", None),
    ],
)
def test_inputs_are_read_or_made(typed, arguments):
    (asked,) = understand(typed, topic())
    assert asked.arguments == arguments


def test_what_is_not_clear_may_mean_questions_that_are_clear():
    for typed in ("hmm", "is that a good algorithm", "Tell me something", "blue"):
        (asked,) = understand(typed, topic())
        assert asked.intent == "unclear"
        for other in asked.other:
            (again,) = understand(chip(other, topic().code), topic())
            assert again.intent == other.intent, chip(other, topic().code)


def test_every_kind_of_question_has_many_phrases_and_its_own_chip():
    assert len({each.chip for each in intents()}) == len(intents())
    for each_intent in intents():
        assert len(each_intent.phrases) >= (13 if each_intent.name in ("hello", "other") else 18)


@each("task", bundled_tasks(), ids=lambda task: task.id)
def test_prepared_questions_are_themselves(task):
    about = Topic(code_of(task.statement), task.solution, tuple(task.statement.asks))
    for ask in task.statement.asks:
        (asked, *_) = understand(ask, about)
        assert asked.prepared == ask
        assert questions_meant(ask.lower(), about) == questions_meant(ask, about)


def test_wordings_of_one_question_mean_the_same():
    one = questions_meant("What does it return for [5, 8]?", topic())
    other = questions_meant("runner_up([5, 8])?", topic())
    assert one == other == {"call: ([5, 8],)"}


@given(st.text("ab12 []()`'\"?!.,<>=-\n\0lineif", max_size=80))
def test_any_text_can_be_read(text):
    for about in ("runner_up", "graphs"):
        assert len(understand(text, topic(about))) <= 4
