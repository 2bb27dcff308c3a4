"""Tests of wit.py: honest play beside best replies."""

from types import SimpleNamespace

import pytest

from explorer.choice import ProtocolChoice
from explorer.rewards import ByWit, by_wit, wit_chart, wit_python
from explorer.rewards.wit import WITH_REPLIES, _gains
from nip_core import specification
from nip_core.values import Evidence, card
from tests.depth import each


def found(name, **evidence):
    spec = specification(name)
    *_, card = by_wit(spec, tuple(evidence.items()))
    return ByWit(spec, card)


def test_cases_are_from_random_play_to_all_experts():
    wit = found("open_consultancy", own="0.5")
    names = [case.name for case in wit.cases()]
    assert names == [
        "Everybody plays at random",
        "Experts show what they have",
        "The consultant replies best",
    ]
    honest, best = wit.cases()[1:]
    # A sceptical judge loses, and one who trusts is always deceived, at no cost.
    assert [round(mark.value, 2) for mark in honest.marks] == [0.7, 1.0]
    assert [round(mark.value, 2) for mark in best.marks] == [0.48, 0.0]
    assert best.note == "gains 0.28 or 0.00"
    assert float(wit.worst.value) == pytest.approx(0.48)


@each(
    ("values", "note"),
    [
        ([], ""),
        ([0, 0], "gains nothing"),
        ([0.25], "gains 0.25"),
        ([0.25, 0.25], "gains 0.25"),
        ([-0.5, 0], "gains −0.50 or 0.00"),
    ],
)
def test_what_a_seat_gains_is_said_in_words(values, note):
    assert _gains({str(n): SimpleNamespace(value=value) for n, value in enumerate(values)}) == note


def test_without_a_verdict_the_judges_pay_is_measured():
    wit = found("trusted_monitor")
    assert not wit.is_compared
    assert wit.measure == "pay of the trusted monitor"
    assert wit.cases()[0].name == "Everybody plays at random"


def test_it_is_said_why_there_is_no_number_unless_two_others_tell_enough():
    alone = found("solo_verifier")
    assert (len(alone.cases()), alone.missing) == (2, [])
    hurried = {}
    for name in ("market_making", "open_consultancy"):
        spec = specification(name)
        hurried[name] = ByWit(spec, card(spec, Evidence(), seconds=0.001, keys=WITH_REPLIES))
    what = "Judge right if experts are honest"
    assert f"{what}: nothing says what is true." in hurried["market_making"].missing
    assert hurried["open_consultancy"].missing[0].startswith(f"{what}: not computed")


def test_the_picture_says_what_it_shows():
    chart = wit_chart(found("nip"))
    assert chart.title == "How often the verdict is right"
    assert "The prover replies best: 70.0%" in chart.words
    assert chart.picture().svg().startswith("<svg")


def test_evidence_changes_the_numbers():
    honest = found("nip", shows="1", fakes="0").cases()[1]
    assert honest.marks[0].value == pytest.approx(1)


def test_the_python_computes_the_same(capsys):
    exec(wit_python(ProtocolChoice.of("nip"), Evidence(shows="0.9")), {})
    assert "Judge right if experts are honest" in capsys.readouterr().out
