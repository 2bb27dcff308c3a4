"""Tests of cards.py: what a protocol's page says about its worth."""

import json

import pytest

from explorer.choice import ProtocolChoice
from explorer.rewards.cards import CARDS, card_lines, kept_lines
from nip_core.values import CARD_LINES


def test_kept_cards_are_those_of_todays_protocols():
    """If this fails, a protocol has changed: run ``python -m tests.make_comparison NAME``."""
    for name in json.loads(CARDS.read_text("utf-8")):
        lines = kept_lines(ProtocolChoice.of(name).rules)
        assert lines is not None, name
        assert [*lines] == [*CARD_LINES]
        assert all(lines.values())


@pytest.mark.parametrize("name", ["adp", "khan_debate", "single_critique", "sum_check"])
def test_kept_cards_are_what_is_computed(name):
    spec = ProtocolChoice.of(name).rules
    found = [*card_lines(spec)]
    assert [len(lines) for lines in found] == [*range(1, len(CARD_LINES) + 1)]
    assert found[-1] == kept_lines(spec)


def test_other_settings_have_no_kept_card():
    assert kept_lines(ProtocolChoice.of("khan_debate").with_settings({"rounds": 1}).rules) is None
