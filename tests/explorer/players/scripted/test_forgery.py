"""Quotes that liars invent: one fact of the text is changed, and the sentence stays a sentence."""

from __future__ import annotations

import difflib

import pytest

from explorer.players.scripted.seats.arguments import quotable
from explorer.players.scripted.seats.forgery import changed
from nip_core.language.quotes import checked_quotes
from nip_core.tasks import passages


def test_no_invented_quote_is_in_the_text_and_at_most_two_words_differ():
    same = asked = 0
    for passage in passages():
        for sentence in quotable(passage.text):
            for number in range(6):
                forged = changed(sentence, passage.text, number)
                (quote,) = checked_quotes(f"<quote>{forged}</quote>", [passage.text])
                assert quote.found == (forged == sentence), forged
                same += quote.found
                asked += 1
                steps = difflib.ndiff(sentence.split(), forged.split())
                assert sum(step.startswith("+") for step in steps) <= 2, forged
    # Some have nothing that can be changed: "The soup came."
    assert same < 0.3 * asked


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("She came through the gate before noon.", "She came through the gate after noon."),
        ("It had 40 pages.", "It had 41 pages."),
        ("The door was shut.", "The door was not shut."),
        ("The door was not shut.", "The door was shut."),
        ("How is the saddle?", "How is the saddle?"),
        ("Before dawn he ran.", "After dawn he ran."),
        ("He ran.", "She ran."),
        ("Then Ada saw Bo. Then Ada saw Bo.", "Then Ada saw Bo. Then Ada saw Bo."),
        ("Rain fell.", "Rain fell."),
    ],
)
def test_a_fact_is_changed_as_a_person_would(sentence, wanted):
    assert changed(sentence, sentence, 0) == wanted
