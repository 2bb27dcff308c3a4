"""Tests of what provers know to say to further questions (``[[more]]`` of the problems' files)."""

import pytest

from explorer.players.scripted.code import code_of
from explorer.players.scripted.questions import understand
from explorer.players.scripted.slots import Topic
from explorer.players.scripted.verifiers import HeardClaim, subject_of
from nip_core.tasks import problems

each_problem = pytest.mark.parametrize("problem", problems(), ids=lambda problem: problem.slug)


@each_problem
@pytest.mark.parametrize("version", [0, 1])
def test_what_verifiers_read_in_the_notes_of_honest_provers_holds(problem, version):
    task = (problem.wrong, problem.correct)[version]
    subject = subject_of(task.statement)
    for note in problem.notes:
        # What is said by both sides is true, whoever says it.
        texts = note.answers[version]
        for text in {texts[version], *(texts if texts[0] == texts[1] else ())}:
            heard = HeardClaim(0, 0, "prover", version, text, note.asks[0])
            for claim in subject.claims(heard):
                found = subject.check(claim)
                assert found is None or found.holds, (str(claim), text)


@each_problem
def test_a_wording_of_a_note_finds_it(problem):
    code = code_of(problem.correct.statement)
    notes = code.notes(1)
    topic = Topic(code, problem.correct.solution, tuple(notes))
    found = 0
    for wording, ask in code.wordings.items():
        asked = [each.prepared for each in understand(wording, topic) if each.prepared]
        # What names an input or a change may stand for itself; it never finds another note.
        assert asked in ([ask], []), wording
        found += asked == [ask]
    assert found >= 0.8 * len(code.wordings)
