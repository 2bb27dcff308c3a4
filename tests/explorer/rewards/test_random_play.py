"""Tests of random_play.py: protocols without one verdict."""

import contextlib
import io
import json

import pytest

from explorer.choice import ProtocolChoice
from explorer.rewards.random_play import at_random, habits_python, random_in_short, random_rows
from explorer.rewards.valuation import Valuation
from nip_core import published_names, specification
from nip_core.errors import NoVerdictError
from nip_core.language import Habit, play_values
from tests.depth import each
from tests.language.one_verdict import PUBLISHED_ONES

OTHERS = sorted({*published_names()} - PUBLISHED_ONES)
MINE = ProtocolChoice.own(json.dumps({**specification("jury").to_dict(), "name": "mine"}))


@each("choice", [*map(ProtocolChoice.of, OTHERS), MINE])
def test_every_other_protocol_says_why_and_what_seats_earn(choice):
    with pytest.raises(NoVerdictError) as caught:
        Valuation(choice).protocol()
    assert caught.value.reason in str(caught.value)
    values = at_random(choice)
    assert [row["seat"] for row in random_rows(values)] == [*choice.rules.seat_names]
    assert "turns on average" in random_in_short(values)


def test_a_sample_has_errors():
    values = play_values(specification("jury"), most=1, plays=100)
    assert all(row["standard error"] >= 0 for row in random_rows(values))
    assert "From 100 plays." in random_in_short(values)


@each("choice", [*map(ProtocolChoice.of, ("jury", "open_consultancy", "trusted_monitor")), MINE])
def test_the_python_runs_with_a_habit(choice):
    out, code = io.StringIO(), habits_python(choice)
    with contextlib.redirect_stdout(out):
        exec(compile(code, "<shown>", "exec"), {})
    first = next(c for c in choice.rules.choices if c.by in choice.rules.seat_names)
    habit = Habit(first.name, dict(zip(choice.rules.options[first.name], (2, 1), strict=False)))
    for seat, mean in play_values(choice.rules, [habit]).means.items():
        assert f"{seat} {float(mean)}\n" in out.getvalue()
