"""Tests of comparing.py: the kept table of all protocols, and the sentences of the story."""

from dataclasses import asdict

import pytest

from explorer.choice import ProtocolChoice
from explorer.rewards import kept_rows, kept_story, row_of
from explorer.rewards.comparing import STORY, names, sweep
from tests.depth import exhaustive

ROWS = {row.name: row for row in kept_rows()}


def numbers(row):
    return {name: value for name, value in asdict(row).items() if isinstance(value, float)}


def test_every_protocol_has_a_row_of_its_present_document():
    assert list(ROWS) == names()
    stale = [n for n, row in ROWS.items() if row.digest != ProtocolChoice.of(n).rules.digest]
    assert stale == [], "run tests/make_comparison.py"


@pytest.mark.parametrize("name", ["nip", "khan_consultancy", "open_consultancy", "single_critique"])
def test_kept_rows_are_what_is_computed(name):
    assert numbers(row_of(name)) == pytest.approx(numbers(ROWS[name]))


@exhaustive
@pytest.mark.parametrize("name", ROWS)
def test_all_kept_rows_are_what_is_computed(name):
    again, kept = numbers(row_of(name)), numbers(ROWS[name])
    # On a slow machine, less is computed in time; sampled numbers differ.
    assert again.keys() <= kept.keys()
    for what in ("honest", "trusting", "reply", "deceived", "gain"):
        if what in again:
            assert again[what] == pytest.approx(kept[what], abs=1e-6)


def test_a_sweep_goes_from_coarse_to_fine():
    found = [*sweep(ProtocolChoice.of("nip").rules, "shows", "fakes", (("own", "0.5"),))]
    assert len(found) == 25
    assert {*found[8].values} == {(x, y) for x in (0, 0.5, 1) for y in (0, 0.5, 1)}
    honest, reply = found[-1].values[1.0, 0.0]
    assert (honest, reply) == (pytest.approx(1), pytest.approx(1))
    assert found[-1].values[0.5, 0.5][0] == pytest.approx(0.5)


def test_the_story_is_true():
    story = kept_story()
    assert len(story) == 5
    assert all(holds for _, holds in story)
    assert "48.0%" in story[0][0]


@pytest.mark.parametrize("number", [0, 3, 4])
def test_the_quick_sentences_are_what_is_computed(number):
    claim = STORY[number]
    found = claim.computed()
    assert claim.holds(found)
    assert claim.sentence(found) == kept_story()[number][0]


@exhaustive
@pytest.mark.parametrize("number", [1, 2])
def test_the_slow_sentences_are_what_is_computed(number):
    claim = STORY[number]
    found = claim.computed()
    assert claim.holds(found)
    assert claim.sentence(found) == kept_story()[number][0]
