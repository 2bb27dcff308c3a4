"""Tests of reading.py and asked.py.

Typed questions find the prepared ones that they mean, according to a table of examples.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from explorer.players.scripted.provers import matching
from explorer.players.scripted.provers.reading import (
    Call,
    FollowUp,
    General,
    LineAsked,
    Prepared,
    Variable,
    read,
)
from explorer.programs import program_of
from nip_core.tasks import bundled_tasks, graph_task, problems
from tests.depth import each

GRAPHS = graph_task(5, isomorphic=False)
TASKS = {problem.slug: problem.wrong for problem in problems()} | {"graphs": GRAPHS}
# In these parts of the table, people ask a follow-up question; this is the input before it.
STRANGERS = " in strangers' words"
BEFORE = {"runner_up": ([1, 2, 3, 4],), "calm_stretch": ([3, 8, 2, 1, 9], 5)}


class Row(NamedTuple):
    """What somebody typed about a task, and what it means."""

    about: str
    typed: str
    meant: str


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


ROWS = rows()


def understood(row):
    """Return what is understood of a typed question, in the notation of the table."""
    about = row.about.removesuffix(STRANGERS)
    task = TASKS[about]
    asks = task.statement.asks
    found = []
    strangers = about != row.about
    before = BEFORE.get(about) if strangers else None
    for question in read(row.typed, asks, program_of(task.statement), task.solution, before):
        match question:
            case Prepared(ask=ask):
                found.append(str(asks.index(ask) + 1))
            case Call():
                found.append("call")
            case LineAsked():
                found.append("line")
            case Variable():
                found.append("variable")
            case FollowUp(what=what) | General(what=what) if strangers:
                found.append(what)
            case _:
                pass
    return ", ".join(dict.fromkeys(found)) or "-"


@cache
def figures():
    """Return how many questions were misunderstood, and how many not understood."""
    read_as = [(row, understood(row)) for row in ROWS]
    wrong = [row for row, found in read_as if found not in (row.meant, "-")]
    missed = [row for row, found in read_as if found == "-" != row.meant]
    return wrong, missed


def test_the_table_is_large_and_of_many_kinds():
    assert len(ROWS) >= 400
    assert len(set(ROWS)) == len(ROWS)
    assert sum(row.meant == "-" for row in ROWS) >= 75
    assert sum("," in row.meant for row in ROWS) >= 5
    assert {row.about.removesuffix(STRANGERS) for row in ROWS} <= TASKS.keys()
    assert sum(row.about.endswith(STRANGERS) for row in ROWS) >= 60


def test_what_is_meant_is_found():
    """Precision and recall of the answers, at the threshold."""
    wrong, missed = figures()
    asked = sum(row.meant != "-" for row in ROWS)
    answered = asked - len(missed) + sum(row.meant == "-" for row in wrong)
    right = answered - len(wrong)
    assert right / answered >= 0.985, wrong
    assert right / asked >= 0.975, missed


def test_the_threshold_is_the_best_of_its_kind(monkeypatch):
    """A wrong answer is worse than an evasion, after which one can ask again."""

    def cost(threshold):
        monkeypatch.setattr(matching, "THRESHOLD", threshold)
        figures.cache_clear()
        wrong, missed = figures()
        return 2 * len(wrong) + len(missed)

    chosen = matching.THRESHOLD
    costs = {threshold: cost(threshold) for threshold in (40.0, 50.0, chosen, 70.0, 80.0)}
    figures.cache_clear()
    assert min(costs, key=costs.__getitem__) == chosen, costs


@each("task", [*bundled_tasks(), GRAPHS], ids=lambda task: task.id)
def test_prepared_questions_are_closest_to_themselves(task):
    for ask in task.statement.asks:
        for typed in (ask.lower().rstrip("?"), f"Hello, please tell me: {ask}"):
            found = read(typed, task.statement.asks, None, task.solution)
            assert [question.ask for question in found if isinstance(question, Prepared)] == [ask]


def test_other_values_make_another_question():
    task = TASKS["runner_up"]
    (question,) = read(
        "What is returned for [1, 2, 3, 5]?",
        task.statement.asks,
        program_of(task.statement),
        task.solution,
    )
    assert question == Call(([1, 2, 3, 5],))
