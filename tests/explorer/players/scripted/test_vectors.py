"""Vectors of words say which texts mean about the same."""

import math

import pytest

from explorer.players.scripted.noted import ELSE, KINDS, Prepared, likeness
from explorer.players.scripted.vectors import _table, cosine, vector, weights
from nip_core.tasks import problems
from tests.depth import exhaustive
from tests.later import later, torch

teaching = later("tests.teaching_vectors")


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("Does it ever end?", "What guarantees that the loop terminates?", "Is it too slow?"),
        ("How would you repair it?", "How would you fix it?", "Why is there a minus sign?"),
        ("what if nobody comes", "What happens if there are no people?", "Is it a float?"),
    ],
)
def test_what_means_the_same_is_nearer_although_it_shares_few_words(text, near, far):
    assert cosine(vector(text), vector(near)) > cosine(vector(text), vector(far)) + 0.1


def test_a_vector_has_length_one_and_a_text_without_known_words_has_none():
    assert math.hypot(*vector("the last line")) == pytest.approx(1)
    assert not any(vector("?!"))
    assert cosine(vector("?!"), vector("the last line")) == 0


@exhaustive
def test_what_the_vectors_learn_from_is_what_is_compared_later():
    notes = [(note.asks, note.answers, note.line) for note in problems()[0].notes]
    places, size, numbers = _table()
    vectors = torch.tensor(numbers).reshape(-1, size).float()
    (lesson,) = teaching.lessons_of(places, [notes])
    counts = torch.tensor([weights()[name] for name in (*KINDS, ELSE)])
    like = lesson.likeness(vectors, counts)
    known = [Prepared.of(*note) for note in notes]
    for row, (n, wording) in enumerate((n, w) for n, note in enumerate(notes) for w in note[0]):
        asks, said, line = notes[n]
        others = Prepared.of([each for each in asks if each != wording], said, line)
        kinds = likeness(wording, [*known[:n], others, *known[n + 1 :]], wording)
        expected = [*(torch.tensor(kinds) @ counts[:-1]).tolist(), weights()[ELSE]]
        assert like[row].tolist() == pytest.approx(expected, abs=1e-3)


@exhaustive
def test_weights_are_found_that_make_the_right_questions_likely():
    rng = torch.Generator().manual_seed(1)
    choices = []
    for _ in range(60):
        kinds = torch.rand(5, len(KINDS), generator=rng)
        choices.append(teaching.Choice(kinds, [int(kinds[:, 1].argmax())]))
    found = teaching.weighed(choices)
    assert max(KINDS, key=found.__getitem__) == KINDS[1]
    assert found[ELSE] < found[KINDS[1]]
