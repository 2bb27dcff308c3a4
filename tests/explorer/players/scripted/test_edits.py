"""Changes that are spoken of are read, and can be run."""

import pytest

from explorer.players.scripted.edits import change_in
from explorer.programs import runner
from nip_core.tasks import problems

PROGRAMS = {problem.slug: problem for problem in problems()}
RUNNER_UP = PROGRAMS["runner_up"].correct


@pytest.mark.parametrize(
    ("slug", "text", "change"),
    [
        ("runner_up", "what if > were >=?", ("part", 5, ">", ">=")),
        ("runner_up", "use <= instead of <", ("part", 8, "<", "<=")),
        ("trip_debts", "is that an if or an elif?", None),
        ("runner_up", "one court: 0 to 6, 5 to 7", None),
        ("runner_up", "Put a number on it, 0 to 100", None),
        ("runner_up", "what if __import__('os') > best", None),
    ],
)  # fmt: skip
def test_a_change_is_read(slug, text, change):
    task = PROGRAMS[slug].correct
    found = change_in(text, None, task.solution)
    if change is None or found is None:
        assert found is None or runner().changed(task.id, "()", found).kind == "refused"
        return
    assert found[:2] == change[:2]
    assert None in change or found == change
    assert runner().changed(task.id, "()", found).kind != "refused"


def test_a_line_is_left_out():
    source = RUNNER_UP.solution
    assert change_in("what breaks if I delete it", 6, source) == ("without", 6)
    assert change_in("what does it do", 6, source) is None
