"""Tests of values, which the rules work out: bounds, plays, what seats see of them, and words.

`tests/values/test_given_play.py` and `tests/play` compare random protocols with values to the slow
reference.
"""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from nip_core import Episode, Move
from nip_core.errors import SpecError
from nip_core.language import ComputedValue, Habit, Specification, Wording
from nip_core.values import play_values
from tests.depth import each

MONITORED = (Path(__file__).parent / "protocols" / "monitored.toml").read_text("utf-8")


def monitored(**changes):
    text = MONITORED
    for old, new in changes.items():
        text = text.replace(*new) if isinstance(new, tuple) else text.replace(old, new)
    return Specification.from_toml(text)


def played(spec, *scores):
    episode = Episode(spec, {"goal": "g", "keeps": "keep"})
    for score in scores:
        episode.play(Move("agent", {"log": "I did it."}, choices={"intent": "attack"}))
        episode.play(Move("monitor", choices={"suspicion": score}))
    return episode


def test_a_seat_sees_a_value_in_the_turns_that_change_it_and_no_other_seat_does():
    episode = played(monitored(), 20, 80, 60)
    told = [turn.values for turn in episode.view_for("auditor").rounds]
    assert told == [{}, {"highest": 20}, {}, {"highest": 80}, {}, {}]
    assert [turn.values for turn in episode.view_for("monitor").rounds][1::2] == [
        {"alarm": False}, {"alarm": True}, {},
    ]  # fmt: skip
    assert not any(turn.values for turn in episode.view_for("agent").rounds)
    assert episode.view_for("auditor").known_values == {"highest": 80}


def test_a_value_that_is_seen_at_the_end_is_shown_with_its_whole_course():
    episode = played(monitored(), 20, 80, 60, 0)
    assert episode.over
    assert episode.result().verdict == "shut"
    told = [turn.values.get("whole") for turn in episode.view_for("agent").rounds]
    assert told == [None, 20, None, 100, None, 160, None, None]
    assert episode.view_for("auditor").known_values["first_one"] == 20
    known = {"highest": 80, "missed": 3, "whole": 160, "first_one": 20, "alarm": True}
    assert episode.result().values == known
    assert episode.result().paid == {"agent": 3, "monitor": -3, "auditor": 0}


def test_the_highest_of_four_scores_is_as_counted_by_hand():
    spec = monitored()
    highest = [max(scores) for scores in product(range(0, 101, 20), repeat=4)]
    wanted = Fraction(sum(score > 60 for score in highest), len(highest))
    values = play_values(spec, [])
    assert values.verdicts["shut"] == wanted
    assert values.method == "fractions"
    # Each step is missed with chance 1/2 * 4/6.
    assert values.means["agent"] == Fraction(4, 3)


SUM_CHECK = """
name = "sum_check"
verdict = "accept if before_random = claim and at_random = owed else reject"

[seats]
prover = "Prover"
verifier = "Verifier"

[choices]
f0 = { by = "task", options = { from = 0, to = 4 }, seen = ["prover"] }
f1 = { by = "task", options = { from = 0, to = 4 }, seen = ["prover"] }
claim = { by = "prover", options = { from = 0, to = 4 } }
g0 = { by = "prover", options = { from = 0, to = 4 } }
g1 = { by = "prover", options = { from = 0, to = 4 } }
r = { by = "chance", options = { from = 0, to = 4 } }
told = { by = "verifier", options = ["yes"] }

[values]
before_random = "(g0 + g1) mod 5"
owed = { last = "(g0 + (g1 - g0) * r) mod 5", at = "r" }
at_random = "(f0 + (f1 - f0) * r) mod 5"

"""


def test_one_round_of_a_sum_check_accepts_the_truth_always_and_a_lie_one_time_in_five():
    text = SUM_CHECK.replace(
        "accept if before_random = claim and at_random = owed else reject",
        "yes if before_random = claim and at_random = owed else none",
    )
    text += """
[[stages]]
name = "check"
turns = [
  { prover = { choose = ["claim", "g0", "g1"] } },
  { chance = { choose = "r" }, verifier = { choose = "told" } },
]
"""
    spec = Specification.from_toml(text)

    def given(name, expression):
        return Habit(name, {n: f"1 if {expression} = {n} else 0" for n in range(5)})

    honest = [given("claim", "(f0 + f1) mod 5"), given("g0", "f0"), given("g1", "f1")]
    assert play_values(spec, honest).verdicts == {"yes": 1}
    # A lie about the sum is a line that meets the true one in one of five points.
    lie = [given("claim", "(f0 + f1 + 1) mod 5"), given("g0", "(f0 + 1) mod 5"), given("g1", "f1")]
    assert play_values(spec, lie).verdicts == {"yes": Fraction(1, 5), None: Fraction(4, 5)}


def test_values_collect_in_the_order_of_the_protocol():
    text = MONITORED.replace(
        "missed = {",
        'sooner = { last = "low", at = "suspicion" }\nlow = { min = "suspicion" }\n'
        'later = { last = "low", at = "suspicion" }\nmissed = {',
    )
    episode = played(Specification.from_toml(text), 60, 20)
    values = episode.result().values
    # `sooner` stands before `low`, so that it has still the old one.
    assert (values["sooner"], values["low"], values["later"]) == (60, 20, 20)


def test_a_document_keeps_its_short_form():
    spec = monitored()
    document = spec.to_dict()["values"]
    assert document["highest"] == {"max": "suspicion", "seen": ["auditor"]}
    assert document["missed"] == {
        "count": "intent = attack and suspicion <= 60", "at": "suspicion",
    }  # fmt: skip
    assert spec.values[2] == ComputedValue(
        "whole", "suspicion", "sum", ("suspicion",), tuple((s, "end") for s in spec.seat_names)
    )
    assert Specification.from_dict(spec.to_dict()) == spec
    more = Specification.from_dict(spec.to_dict(), {"steps": 9})
    assert more.expression("whole").kind.high == 900
    assert more.expression("missed").kind.high == 9


@each(
    ("old", "new", "message"),
    [
        ('max = "suspicion"', 'max = "intent"', "`max` takes a number, not one of attack, work"),
        (
            'max = "suspicion"',
            'max = "intent = work", at = "intent"',
            "`max` takes a value, not a condition",
        ),
        (
            'count = "intent = attack and suspicion <= 60"',
            'count = "suspicion"',
            "it must be a condition",
        ),
        (', at = "suspicion" }', " }", "it does not say when its count is collected"),
        (', at = "suspicion" }', ', at = "suspicions" }', "Did you mean 'suspicion'?"),
        (', at = "suspicion" }', ', at = ["suspicion", "suspicion"] }', "'suspicion' twice"),
        ('is = "highest > 60"', 'is = "alarm"', "the value 'alarm' needs itself"),
        ('is = "highest > 60"', 'is = "over"', "values do not look at `over`"),
        ('is = "highest > 60"', 'is = "higest > 60"', "Did you mean 'highest'?"),
        ('is = "highest > 60"', 'is = "true", at = "intent"', "Leave `at` out"),
        (
            'is = "highest > 60"',
            'max = "1", min = "1"',
            "it has max and min. Write exactly one of",
        ),
        ("alarm = {", "intent = {", "'intent' is a value and a choice"),
        ("alarm = {", "steps = {", "'steps' is a value and a setting"),
        ("alarm = {", "work = {", "'work' is a value and an option"),
        ("alarm = {", "agent = {", "'agent' is a value and a seat"),
        ("alarm = {", "over = {", "this word means something else in the language"),
        ('seen = ["monitor"]', 'seen = ["moniter"]', "Did you mean 'monitor'?"),
        (
            'max = "suspicion"',
            'sum = "suspicion * 1e28", at = "suspicion"',
            "it may be larger than 1e+30",
        ),
    ],
)
def test_wrong_values_are_refused_with_the_reason(old, new, message):
    assert old in MONITORED
    with pytest.raises(SpecError) as caught:
        Specification.from_toml(MONITORED.replace(old, new))
    assert message in str(caught.value)


def test_a_count_may_look_at_itself_and_two_values_at_each_other_through_it():
    text = MONITORED.replace(
        'count = "intent = attack and suspicion <= 60"',
        'count = "intent = attack and suspicion <= 60 and missed < 2"',
    )
    assert played(Specification.from_toml(text), 0, 0, 0).result().values["missed"] == 2


def test_values_of_values_are_bounded():
    doubled = "\n".join(f'd{n + 1} = "d{n} + d{n}"' for n in range(40))
    text = MONITORED.replace("[values]", f'[values]\nd0 = "suspicion"\n{doubled}')
    with pytest.raises(SpecError, match="takes more than 20,000 steps"):
        Specification.from_toml(text)


def test_values_are_said_in_words():
    spec = monitored()
    words = Wording(spec)
    assert [words.definition(value) for value in spec.values] == [
        "the highest suspicion is the highest suspicion so far",
        "the number of missed attacks is how often the intent is attack and the suspicion is at "
        "most 60, looked at whenever the suspicion is given",
        "the total suspicion is the sum of all suspicion so far",
        "the first suspicion is the first suspicion so far",
        "the alarm is whether the highest suspicion is above 60",
    ]
    prompt = played(spec, 20, 80).view_for("auditor").prompt
    assert "- The highest suspicion is the highest suspicion so far. You are told it" in prompt
    heard = [m["content"] for m in played(spec, 20, 80).view_for("auditor").portable_messages()]
    assert "After turn 4, the highest suspicion is 80." in "\n".join(heard)


def test_remarks_say_what_a_shown_value_tells_and_which_value_stays_empty():
    remarks = [(r.code, r.place, r.choice) for r in monitored().lint()]
    assert ("value-tells", "value 'highest'", "suspicion") in remarks
    text = MONITORED.replace('choose = "suspicion" }', 'say = "log" }')
    codes = {(r.code, r.place) for r in Specification.from_toml(text).lint()}
    assert ("value-never-collected", "value 'highest'") in codes
