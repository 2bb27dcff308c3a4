"""The sentence that a question is about is found by the rare words that they share."""

import pytest

from explorer.players.scripted.nearness import nearest_sentence, ranked
from explorer.players.scripted.text import sentences
from nip_core.tasks import passages
from tests.explorer.players.scripted.test_seats import answered

TEXT = (
    "The mill by the river burned down in March. Nobody was seen there that night. "
    "The miller's dog barked twice, and the mill was locked."
)


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ("was the mill locked when the dog barked?", "The miller's dog"),
        ("When did it burn down by the river?", "The mill by"),
        ("What about the moon?", ""),
        ("the", ""),
    ],
)
def test_the_nearest_sentence_shares_rare_words(asked, begins):
    found = nearest_sentence(asked, TEXT)
    assert found.startswith(begins)
    assert bool(found) == bool(begins)


def test_common_words_count_for_nothing():
    assert [
        weight for weight, _ in ranked("what was there by then", ["so there", "as it was"])
    ] == [
        0,
        0,
    ]


def test_a_consultant_says_so_if_there_is_nothing_on_a_question():
    said, quotes = answered("What about zeppelins?")
    assert said.startswith("I find nothing on that in the text. What decides is this:")
    assert any(quote in said for quote in quotes)


def test_a_consultant_quotes_the_text_beyond_its_prepared_sentences():
    _, prepared = answered("Why?")
    text = passages()[1].text
    others = [each for each in sentences(text) if not any(q in each or each in q for q in prepared)]
    asked = max((each for each in others if len(each) < 200), key=len)
    said, _ = answered(f"What about this: {asked}")
    assert asked in said
