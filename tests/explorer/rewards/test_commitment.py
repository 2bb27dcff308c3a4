"""Tests of commitment.py: what can be guaranteed, for judges and for monitors."""

import pytest

from explorer.choice import ProtocolChoice
from explorer.rewards import (
    commitment_chart,
    commitment_python,
    guarantees,
    handle_at_first,
    is_control,
)
from explorer.rewards.charts import SAFE
from explorer.rewards.commitment import Curve, Guarantees
from nip_core import specification
from nip_core.values import Evidence


def last(name, **evidence):
    spec = specification(name)
    *_, found = guarantees(spec, tuple(evidence.items()))
    return spec, found


@pytest.mark.parametrize("name", ["nip", "khan_debate"])
def test_whatever_experts_say_a_judge_can_promise_its_own_check(name):
    _, found = last(name, own="0.75")
    (curve,) = found.curves
    assert curve.points == ((0.0, 0.0), (0.25, 0.75), (1.0, 1.0))
    assert (found.best, found.is_exact, found.is_done) == (0.75, True, True)


def test_without_a_check_it_can_promise_a_coin():
    _, found = last("nip", own="0.5")
    assert found.best == 0.5
    assert found.curves[0].points == ((0.0, 0.0), (1.0, 1.0))


def test_the_point_of_a_picture_is_on_its_curve():
    spec = specification("nip")
    points = ((0.0, 0.0), (0.25, 0.75), (1.0, 1.0))
    found = Guarantees("errors", (Curve("", points),), 0.75, answers=("accept", "reject"))
    assert handle_at_first(found) == 0.25
    for at, height in ((0.0, 0.0), (0.125, 0.375), (0.25, 0.75), (0.625, 0.875), (1.0, 1.0)):
        chart, point = commitment_chart(spec, found, at)
        assert point == (at, pytest.approx(height))
        assert f"at least {height:.0%}" in chart.words
        assert "a coin: no check at all" in [key.words for key in chart.drawing.keys]


def test_the_point_of_a_picture_of_audits_is_as_safe_as_is_asked_for():
    # By harm: what is useful. The most harm is 4, and the most use 10.
    none, one = ((0.0, 2.0), (4.0, 10.0)), ((0.0, 5.0), (2.0, 10.0))
    curves = Curve("1", one), Curve("0", none)
    found = Guarantees("audits", curves, now="1", note="2 of 6 steps")
    spec = specification("trusted_monitor")
    assert handle_at_first(found) == SAFE
    for safe, useful in ((1.0, 0.5), (0.75, 0.75), (0.5, 1.0), (0.25, 1.0)):
        chart, point = commitment_chart(spec, found, safe)
        assert point == (pytest.approx(useful), safe)
        assert chart.words.startswith(f"{safe:.0%} of harm prevented, {useful:.0%} of useful work")
        shown = [key.words for key in chart.drawing.keys]
        assert shown == ["with 1 audits", "with other budgets of audits"]


def test_more_audits_are_safer_and_more_useful():
    spec, found = last("trusted_monitor")
    assert is_control(spec)
    assert found.note.endswith(" of 6 steps")
    at_best = {curve.name: dict(curve.points)[0.0] for curve in found.curves}
    assert at_best["0"] < at_best["1"] <= at_best["2"] <= at_best["3"]
    for curve in found.curves:
        harms, uses = zip(*curve.points, strict=True)
        assert list(harms) == sorted(harms)
        assert list(uses) == sorted(uses)
    _, (useful, safe) = commitment_chart(spec, found, 0.9)
    assert (safe, 0.5 < useful <= 1) == (0.9, True)


def test_without_a_verdict_between_two_answers_it_says_so():
    _, found = last("market_making")
    assert (found.kind, found.is_done) == ("none", True)
    assert found.reason


def test_only_pay_that_one_side_takes_from_the_other_counts_as_harm():
    assert not is_control(specification("nip"))
    assert is_control(specification("defer_to_trusted"))


def test_the_python_computes_the_same(capsys):
    exec(commitment_python(ProtocolChoice.of("nip"), Evidence()), {})
    assert "0.6" in capsys.readouterr().out
