"""Tests of random_play.py: protocols without one verdict."""

import contextlib
import io

import pytest

from explorer.choice import ProtocolChoice
from explorer.rewards.random_play import at_random, habits_python, random_in_short, random_rows
from explorer.rewards.valuation import Valuation
from nip_core import published_names, specification
from nip_core.errors import NoVerdictError
from nip_core.language import Habit
from nip_core.values import play_values
from tests.depth import each
from tests.language.one_verdict import PUBLISHED_ONES
from tests.language.zoo import PATHS, STRANGERS

OTHERS = [
    *map(ProtocolChoice.of, sorted({*published_names()} - PUBLISHED_ONES)),
    *(
        ProtocolChoice.own(PATHS[name].read_text("utf-8"))
        for name in STRANGERS
        if name not in PUBLISHED_ONES
    ),
]


@each("choice", OTHERS)
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


@each("choice", OTHERS)
def test_the_python_runs_with_a_habit(choice):
    out, code = io.StringIO(), habits_python(choice)
    with contextlib.redirect_stdout(out):
        exec(compile(code, "<shown>", "exec"), {})
    made = (c.name for c in choice.rules.choices if c.by in choice.rules.seat_names)
    habits = [
        Habit(name, dict(zip(choice.rules.options[name], (2, 1), strict=False)))
        for name in list(made)[:1]
    ]
    for seat, mean in play_values(choice.rules, habits).means.items():
        assert f"{seat} {float(mean)}\n" in out.getvalue()
