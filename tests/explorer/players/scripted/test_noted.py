"""Tests of what provers know to say to further questions (``[[more]]`` of the problems' files)."""

import pytest

from explorer.players.scripted.code import code_of
from explorer.players.scripted.noted import Prepared, nearest, prepared
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
        texts = note.answers[2 * version : 2 * version + 2]
        for text in {texts[version], *(texts if texts[0] == texts[1] else ())}:
            heard = HeardClaim(0, 0, "prover", version, text, note.asks[0])
            for claim in subject.claims(heard):
                found = subject.check(claim)
                assert found is None or found.holds, (str(claim), text)


@each_problem
def test_a_wording_of_a_note_finds_it(problem):
    code = code_of(problem.correct.statement)
    topic = Topic(code, problem.correct.solution, tuple(code.notes(1)))
    for note in problem.notes:
        for wording in note.asks:
            near, *_ = topic.nearest(wording, None)
            assert (near.ask, near.same) == (note.asks[0], True)
            # What names an input or a change may stand for itself; it never finds another note.
            asked = understand(wording, topic)
            found = {each.prepared for each in asked if each.same}
            assert found <= {note.asks[0]}, wording


def test_other_words_for_a_note_find_it_more_often_than_not():
    """Each note is looked for with one of its wordings, which it does not have then."""
    first = three = tried = 0
    for problem in problems():
        known = prepared(problem.slug, tuple(note.asks[0] for note in problem.notes))
        for place, note in enumerate(problem.notes):
            wording = note.asks[place % len(note.asks)]
            others = [each for each in note.asks if each != wording]
            less = Prepared.of(others, note.answers, note.line)
            near = nearest(wording, [*known[:place], less, *known[place + 1 :]])
            first += near[0].ask == others[0]
            three += others[0] in [each.ask for each in near[:3]]
            tried += 1
    assert tried > 600
    assert first > 0.4 * tried
    assert three > 0.6 * tried
