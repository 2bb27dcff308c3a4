"""Tests of families.py: what is written out is what one would write by hand, and mistakes name it.

Random protocols are written with a family in place of one of their seats, by renaming.
"""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import Episode
from nip_core.errors import PlayError, SpecError
from nip_core.language import Family, Specification
from nip_core.language.syntax import as_text, parse
from tests.depth import cases, each
from tests.language.strategies import Writer
from tests.language.zoo import published

SERUM = (Path(__file__).parent / "protocols" / "truth_serum.toml").read_text("utf-8")


def serum(**changes):
    return Specification.from_toml(SERUM, changes or None)


def test_every_member_has_its_own():
    spec = serum()
    assert spec.seat_names == ("person1", "person2", "person3", "centre")
    assert [spec.seat_name(seat) for seat in spec.seat_names] == [
        "Person 1", "Person 2", "Person 3", "Centre",
    ]  # fmt: skip
    assert {c.name: c.by for c in spec.choices if c.name.startswith("answer")} == {
        "answer1": "person1", "answer2": "person2", "answer3": "person3",
    }  # fmt: skip
    assert dict(spec.channel("note2").seen) == {"centre": "start", "person2": "start"}
    assert spec.families[0] == Family("person", "seats", ("person1", "person2", "person3"))
    assert spec.families[1] == Family("note", "channels", ("note1", "note2", "note3"), "person")
    turns = spec.stages[0].turns
    assert [[act.seat for act in turn.acts] for turn in turns] == [
        ["person1", "person2", "person3"], ["person1"], ["person2"], ["person3"], ["centre"],
    ]  # fmt: skip
    assert turns[0].acts[1].say == ("note2",)
    assert turns[0].acts[1].choose == (("answer2", ()), ("share2", ()))
    assert turns[-1].acts[0].say == ("open", "note1", "note2", "note3")
    assert {limit.seat for limit in spec.limits} == {"person1", "person2", "person3"}
    assert dict(next(v.seen for v in spec.values if v.name == "said_yes2"))["person2"] == "start"


def test_expressions_are_about_members():
    spec = serum()
    assert [pay.amount for pay in spec.pay[:3]] == [
        "log(share1, answer1 = yes) - mean(log(share2, answer1 = yes), log(share3, answer1 = yes))",
        "log(share2, answer2 = yes) - mean(log(share1, answer2 = yes), log(share3, answer2 = yes))",
        "log(share3, answer3 = yes) - mean(log(share1, answer3 = yes), log(share2, answer3 = yes))",
    ]
    values = {value.name: value.expression for value in spec.values}
    assert values["total"] == "count(answer1 = yes, answer2 = yes, answer3 = yes)"
    assert values["before_me1"] == "0"
    assert values["before_me3"] == "count(answer1 = yes, answer2 = yes)"
    assert values["picked"] == "at(drawn, coin1, coin2)"
    others = Specification.from_toml(SERUM.replace("if j < me", "if not j >= me"))
    assert {value.name: value.expression for value in others.values} == values
    assert [(pay.at, pay.amount) for pay in spec.pay if pay.at != "end"] == [
        (f"answer{n}", f"1 if answer{n} = fact else 0") for n in (1, 2, 3)
    ]


def test_a_setting_changes_the_number_afterwards_and_the_document_stays_short():
    spec = serum()
    assert spec.to_dict()["seats"]["person"] == {"title": "Person", "count": "people"}
    assert Specification.from_dict(spec.to_dict()) == spec
    five = spec.with_settings(people=5)
    assert len(five.seats) == 6
    assert five == serum(people=5)
    assert five.to_dict()["settings"] == {"people": 5}
    assert Specification.from_json(five.short) == five


def test_a_family_is_the_same_game_as_its_members_by_hand():
    family, by_hand = published("jury"), published("jury_by_hand")
    for name in ("seats", "channels", "choices", "stages", "pay", "verdict", "titles"):
        assert getattr(by_hand, name) == getattr(family, name), name
    assert family.to_dict()["verdict"] == "majority(vote)"


@each(
    ("old", "new", "message"),
    [
        ('count = "people"', "count = 0", "seat 'person', count: it is 0. Write a whole number"),
        ('count = "people"', 'count = "peopel"', "or the name of a setting that is one"),
        ('each = "person", seen = ["centre"]', 'each = "centre"', "'centre' is no family of seats"),
        ("answer[j] = yes for j in person", "answers[j] = yes for j in person", "is no family"),
        ("answer[j] = yes for j in person", "answer[j] = yes for j in persons", "is no family"),
        ("answer[j] = yes for j in person", "answer[9] = yes", "answer[9] does not exist"),
        ("answer[j] = yes for j in person", "answer = yes", "'answer' is a family of 3"),
        ("answer[j] = yes for j in person", "coin[1] = 1 for drawn in person", "something else"),
        ("if j < me", "if answer[j] = yes", "the condition after `for` is about numbers only"),
        ("1..people", "1..fact", "Write them as numbers or settings"),
        ("for j in others", "for j in other", "'other' is no family"),
        ('say = "note", choose', 'say = "notes", choose', "Did you mean 'note'?"),
        ('["answer", "share"]', '["answer", "shares"]', "Did you mean 'share'?"),
        ("count = 2, options", 'count = 2, each = "person", options', "Leave `count`"),
        ("one_by_one = true }", 'one_by_one = true }, centre = "open"', "a turn of their own"),
        ('drawn = {', 'coin1 = {', "letters"),
    ],
)  # fmt: skip
def test_mistakes_name_the_family_and_its_place(old, new, message):
    assert old in SERUM
    if new == "coin1 = {":
        # Not refused: the members have other names then.
        text = SERUM.replace(old, new).replace("[drawn]", "[coin1]")
        assert "coin2_" in Specification.from_toml(text).options
        return
    with pytest.raises(SpecError) as caught:
        Specification.from_toml(SERUM.replace(old, new))
    assert message in str(caught.value)
    assert not any(name in str(caught.value) for name in ("person1", "answer1", "share2", "note1"))
    mistakes = caught.value.mistakes
    assert all(mistake.line for mistake in mistakes)


@each(
    ("old", "new"),
    [
        ('["open", "note"]', '["open", "nope"]'),
        ('{ centre = { say = ["open", "note"] }, then = { end = "total = people" } }', '"centre"'),
    ],
)
def test_a_mistake_in_a_turn_after_members_one_by_one_has_its_line(old, new):
    assert old in SERUM
    with pytest.raises(SpecError) as caught:
        Specification.from_toml(SERUM.replace(old, new))
    (mistake,) = caught.value.mistakes
    assert SERUM.splitlines()[mistake.line - 1].strip().startswith("{ centre = ")
    assert mistake.path[:4] == ("stages", 0, "turns", 2)


CHOICES = {
    "side": {"options": ["x", "y"]},
    "vote": {"options": ["u", "v", "w"]},
    "score": {"options": [0, 50, 100]},
    "pick": {"options": [1, 2]},
}


@settings(max_examples=cases(300), deadline=None)
@given(st.data())
def test_an_expression_written_again_is_the_same(data):
    writer = Writer(data.draw, CHOICES)
    tree = parse(data.draw(st.sampled_from([writer.truth, writer.number, writer.option]))())
    assert parse(as_text(tree)) == tree


def test_words_of_families_may_be_names_of_choices():
    text = SERUM.replace("drawn", "me").replace("10 * me", "10")
    text = text.replace("if j < me", "if j < 2")
    spec = Specification.from_toml(text)
    assert "at(me, coin1, coin2)" in {value.expression for value in spec.values}


def test_remarks_name_the_family_once():
    remarks = {remark.code: remark for remark in serum().lint()}
    tells = remarks["value-tells"]
    assert (tells.place, tells.choice) == ("value 'before_me'", "answer")
    assert tells.message == "This value tells person something of 'answer'."
    assert tells.agents == ("person2", "person3")
    # The last turn is number 5 if those who act one by one are counted.
    assert remarks["course-tells"].place == "stage 'answers', turn 3"
    assert remarks["pay-constant"].place == "pay 2"


def test_a_task_gives_the_facts_of_a_family_as_a_list():
    spec = published("pixel_debate")
    pixels = [1, 0, 1, 0, 1, 0, 1, 0, 0]
    task = {"labels": "A or B", "picture": "# . #", "truth": "A", "x": pixels}
    episode = Episode(spec, task)
    assert [episode.task.facts[f"x{n}"] for n in range(1, 10)] == pixels
    with pytest.raises(PlayError, match="'x' has 8 items in the task; the protocol has 9 of it"):
        Episode(spec, {**task, "x": pixels[1:]})
