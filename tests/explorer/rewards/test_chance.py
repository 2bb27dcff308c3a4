"""Tests of chance.py, payoffs.py, seats.py, charts.py and files.py: values by chance, in words."""

import json
from importlib import import_module

import pytest

from explorer.choice import ProtocolChoice
from explorer.rewards import (
    at_once_by_chance,
    by_chance,
    chance_python,
    main_seat,
    pay_chart,
    payoffs,
    quickly_by_chance,
    results_json,
)
from explorer.rewards.chance import with_similarity
from nip_core import protocol_names, published_names, specification
from nip_core.values import play_values
from tests.depth import each


def found(name, **settings):
    spec = specification(name, **settings)
    (values,) = quickly_by_chance(spec)
    return spec, values


def test_values_are_those_of_random_play():
    spec, values = found("nip")
    exact = play_values(spec)
    assert {own.seat: own.mean for own in values.seats} == {
        s: float(m) for s, m in exact.means.items()
    }
    assert (values.is_exact, values.digest) == (True, spec.digest)
    assert (values.of("verifier").fraction, values.of("prover").fraction) == ("−1/81", "40/81")
    for own in values.seats:
        assert sum(own.chances) == pytest.approx(1)
        mean = sum(v * c for v, c in zip(own.values, own.chances, strict=True))
        assert mean == pytest.approx(own.mean)


def test_most_protocols_need_no_other_process():
    at_once = {name: at_once_by_chance(specification(name)) for name in published_names()}
    assert at_once["trusted_monitor"] is None
    known = {name: values for name, values in at_once.items() if values is not None}
    assert len(known) >= 25
    assert known["khan_debate"] == next(quickly_by_chance(specification("khan_debate")))
    assert all(values.is_exact for values in known.values())


def test_a_large_one_is_sampled_first_with_intervals(monkeypatch):
    # A busy machine may not sample a play in the time that a page waits.
    monkeypatch.setattr(import_module("explorer.rewards.chance"), "QUICK", 60.0)
    spec = specification("trusted_monitor")
    (values,) = quickly_by_chance(spec)
    monitor = values.of("monitor")
    assert not values.is_exact
    assert monitor.low < monitor.mean < monitor.high
    assert "Sampled" in values.how
    (more,) = by_chance(spec)
    assert more.plays == 0 or more.plays >= values.plays


@each(
    ("name", "seat", "why"),
    [
        ("nip", "verifier", "1.2% of plays end without a verdict and count as wrong"),
        ("khan_debate", "alice", "half of all verdicts are for its side"),
        ("jury", "juror1", "48.1% of plays end without a verdict"),
        ("michael_debate", "judge", "pay depends on more than whether the verdict is right"),
        ("trusted_monitor", "monitor", "no verdict is right or wrong"),
    ],
)
def test_it_says_why_the_mid_point_differs(name, seat, why):
    _, values = found(name)
    assert why in values.of(seat).why


def test_the_parts_of_a_difference_are_the_difference():
    _, values = found("nip", max_message_rounds=2)
    verifier = values.of("verifier")
    none = values.open_chance
    assert verifier.mean - verifier.mid_point == pytest.approx(-none)
    assert f"{none:.1%} of plays" in verifier.why


@each(
    ("name", "sentences"),
    [
        (
            "nip",
            [
                "a right verdict pays +1, a wrong one −1",
                "an accepted claim pays +1, a rejected one 0",
            ],
        ),
        (
            "khan_debate",
            [
                "a right verdict pays +1, a wrong one 0",
                "the verdict for its side pays +1, against it −1",
            ],
        ),
    ],
)
def test_payoffs_are_one_sentence_for_seats_that_are_paid_alike(name, sentences):
    assert [pay.text for pay in payoffs(specification(name))] == sentences


def test_other_pay_is_in_the_words_of_the_rules():
    judge = payoffs(specification("michael_debate"))[0]
    assert judge.seats == ("judge",)
    assert judge.text.startswith("gets the logarithmic score of the estimate; each time")
    assert not judge.is_short


def test_every_seat_that_is_paid_has_a_sentence():
    for name in (*protocol_names(), *published_names()):
        spec = specification(name)
        paid = {seat for pay in spec.pay for seat, _ in pay.to}
        assert {seat for pay in payoffs(spec) for seat in pay.seats} == paid


@each(
    ("name", "seat"),
    [
        ("mnip", "verifier"),
        ("khan_debate", "judge"),
        ("trusted_monitor", "monitor"),
        ("untrusted_monitoring", "developer"),
        # The verifier decides but is paid nothing.
        ("doubly_efficient_debate", "alice"),
    ],
)
def test_the_main_seat_decides_or_defends(name, seat):
    assert main_seat(specification(name)) == seat


def test_a_zero_knowledge_variant_is_paid_for_similarity():
    choice, _ = ProtocolChoice.read(
        {"protocol": "nip", "protocol_common.zero_knowledge": "true"}, "nip"
    )
    (values,) = with_similarity(choice.rules, choice.parameters)
    assert values.of("verifier").mean == pytest.approx(-1 / 81)
    assert len(values.of("simulator").values) > 50
    assert pay_chart(choice.rules, values).panels


def test_files_have_the_document_and_its_digest():
    choice = ProtocolChoice.of("khan_debate")
    (values,) = quickly_by_chance(choice.rules)
    kept = json.loads(results_json(choice, {"digest": values.digest}))
    assert kept["document"] == choice.rules.to_dict()
    assert kept["digest"] == choice.rules.digest


@pytest.mark.parametrize("name", ["nip", "jury"])
def test_the_python_computes_the_same(name, capsys):
    exec(chance_python(ProtocolChoice.of(name)), {})
    assert "mid-point" in capsys.readouterr().out
