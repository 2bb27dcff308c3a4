"""Tests of words.py: names and sentences for people."""

from nip_core.language import Words
from tests.language.zoo import published


def test_what_was_understood_is_said():
    said = " ".join(Words(published("michael_debate")).roles())
    assert said.startswith("The judge decides. What is true is “truth”, as the task says.")
    assert "Debater A argues for “A”." in said
    assert "“go on” in “going” lets play go on." in said
    assert "“estimate” is an estimate, in percent, that “truth” is “A”." in said
