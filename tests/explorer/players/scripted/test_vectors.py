"""Vectors of words say which texts mean about the same."""

import math

import pytest

from explorer.players.scripted.vectors import cosine, vector


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
