"""Tests of values, which the rules work out: bounds, plays, what seats see of them, and words.

`tests/values/test_given_play.py` and `tests/play` compare random protocols with values to the slow
reference.
"""

from pathlib import Path

import pytest

from nip_core import Episode, Move
from nip_core.errors import SpecError
from nip_core.language import ComputedValue, Specification, Wording
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
        ('is = "highest > 60"', 'max = "1", min = "1"', "it has max and min. Write exactly one of"),
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
