"""The similarity of two words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.players.scripted.provers.matching import likeness, most_alike

WORDS = st.text("abcé", max_size=12)


def in_common(first, second):
    """Return the length of the longest common subsequence, by the textbook table."""
    row = [0] * (len(second) + 1)
    for one in first:
        before = row[:]
        for place, other in enumerate(second, start=1):
            row[place] = (
                before[place - 1] + 1 if one == other else max(before[place], row[place - 1])
            )
    return row[-1]


@given(WORDS, WORDS)
def test_likeness_counts_the_letters_in_common(first, second):
    both = len(first) + len(second)
    expected = 100.0 if not both else 200 * in_common(first, second) / both
    assert likeness(first, second) == pytest.approx(expected)


@given(WORDS, st.lists(WORDS, max_size=8), st.sampled_from([0, 60, 74, 80]))
def test_most_alike_is_the_first_of_the_best(word, choices, at_least):
    enough = [each for each in choices if likeness(word, each) >= at_least]
    best = max(enough, key=lambda each: likeness(word, each), default=None)
    assert most_alike(word, choices, at_least=at_least) == (
        None if best is None else (best, likeness(word, best))
    )
