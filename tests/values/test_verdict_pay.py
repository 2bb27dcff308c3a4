"""Tests of verdict_pay.py: what verdicts pay each seat, and the mid-point."""

from fractions import Fraction

from nip_core import protocol_names, published_names, specification
from nip_core.language import Specification
from nip_core.values import verdict_pay
from tests.depth import each

# What a right verdict, a wrong one and none pay; seats that are not listed have no mid-point.
TOLD = {
    "nip": {"prover": (1, 0, 0), "verifier": (1, -1, -1)},
    "khan_debate": {"alice": (1, -1, -1), "bob": (1, -1, 1), "judge": (1, 0, 0)},
    "khan_consultancy": {"consultant": (1, -1, -1), "judge": (1, 0, 0)},
    "open_debate": {"protagonist": (1, -1, -1), "opponent": (1, -1, 1), "judge": (1, 0, 0)},
    # A verdict may be "undecided", which is neither right nor wrong.
    "jury": {"alice": (1, -1, 0), "bob": (1, -1, 0), **{f"juror{n}": (1, 0, 0) for n in (1, 2, 3)}},
    "jury_mean": {"alice": (1, -1, 0), "bob": (1, -1, 0)},
    # A score depends on how sure the verdict is.
    "michael_debate": {},
    # There is no verdict.
    "trusted_monitor": {},
    "prover_estimator": {},
}


def shown(spec):
    return {seat: (p.right, p.wrong, p.none) for seat, p in verdict_pay(spec).items()}


@each("name", TOLD)
def test_verdicts_pay_what_the_rules_say(name):
    assert shown(specification(name)) == TOLD[name]


def test_the_mid_point_is_half_way():
    pay = verdict_pay(specification("nip"))
    assert {seat: own.mid_point for seat, own in pay.items()} == {
        "prover": Fraction(1, 2),
        "verifier": 0,
    }
    assert all(own.only for own in pay.values())


def test_it_is_worked_out_for_every_protocol():
    for name in (*protocol_names(), *published_names()):
        for pay in verdict_pay(specification(name), most=1_000).values():
            assert pay.right != pay.wrong


DOCUMENT = """
name = "small"
verdict = "verdict"
[seats]
judge = "Judge"
[choices]
truth = { by = "task", options = ["A", "B"], seen = "end" }
going = { by = "judge", options = ["on", "stop"] }
verdict = { by = "judge", options = ["A", "B"] }
[[stages]]
name = "only"
turns = [{ judge = { choose = ["going", "verdict"] } }]
"""


def small(*rules):
    return Specification.from_toml(DOCUMENT + "".join(f"[[pay]]\n{rule}\n" for rule in rules))


RIGHT = 'to = "judge"\nwhen = "verdict = truth"'


def test_pay_during_play_is_noted():
    asks = 'to = "judge"\namount = "-1"\nwhen = "going = on"\nat = "going"'
    pay = verdict_pay(small(f'{RIGHT}\namount = "2"', asks))["judge"]
    assert (pay.right, pay.wrong, pay.mid_point, pay.only) == (2, 0, 1, False)


@each(
    "rule",
    [
        f'{RIGHT}\namount = "2 if going = on else 1"',  # it depends on something else, too
        'to = "judge"\namount = "1"',  # every verdict pays the same
    ],
)
def test_without_a_pay_for_verdicts_there_is_no_mid_point(rule):
    assert verdict_pay(small(rule)) == {}


def test_too_many_combinations_are_not_tried():
    assert "alice" not in verdict_pay(specification("jury_mean"), most=100)
