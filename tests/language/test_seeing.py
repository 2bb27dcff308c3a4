"""Who sees what since when: the short forms of documents, and what is seen late."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import SpecError
from nip_core.language import Specification
from nip_core.language.rounds import Rounds
from tests.depth import cases, each
from tests.language.playing import deal_of, played, sees_by_hand, turns_of
from tests.language.strategies import accepted, documents


def seen_of(seen):
    """Return a small document in which a choice of one of three seats has this field."""
    choice = {"by": "ann", "options": ["x", "y"], "seen": seen}
    return {
        "name": "small",
        "seats": dict.fromkeys(["ann", "bea", "cid"], ""),
        "parts": {"text": seen},
        "choices": {"k": choice},
        "stages": [{"name": "late", "turns": [{"ann": {"choose": "k"}}]}],
    }


@each(
    ("short", "pairs"),
    [
        ("everyone", {"ann": "start", "bea": "start", "cid": "start"}),
        ("end", {"bea": "end", "cid": "end"}),
        ("late", {"bea": "late", "cid": "late"}),
        ("start", {"bea": "start", "cid": "start"}),
        ({"everyone": "end", "cid": "late"}, {"bea": "end", "cid": "late"}),
        ({"everyone": "start", "ann": "end"}, {"bea": "start", "cid": "start", "ann": "end"}),
        (["cid", "bea"], {"cid": "start", "bea": "start"}),
        ([], {}),
    ],
)
def test_short_forms_of_seen_are_written_out_when_read(short, pairs):
    # Who makes a choice sees it anyway, so that short forms do not mean it.
    spec = Specification.from_dict(seen_of(short))
    assert spec.choice("k").seen == tuple(pairs.items())
    assert spec == Specification.from_dict(spec.to_dict())
    for seat, since in pairs.items():
        assert seat == "ann" or dict(spec.parts[0].seen)[seat] == since


@each(
    ("pairs", "short"),
    [
        ({"bea": "end", "cid": "end"}, "end"),
        ({"ann": "end", "bea": "end", "cid": "end"}, {"ann": "end", "bea": "end", "cid": "end"}),
        ({"bea": "late", "cid": "late"}, "late"),
        ({"bea": "start", "cid": "start"}, ["bea", "cid"]),
        ({"bea": "start", "cid": "end"}, {"bea": "start", "cid": "end"}),
    ],
)
def test_what_is_written_in_full_is_kept_in_its_shortest_form(pairs, short):
    assert Specification.from_dict(seen_of(pairs)).to_dict()["choices"]["k"]["seen"] == short


def test_a_part_is_kept_with_exceptions():
    pairs = {"ann": "start", "bea": "start", "cid": "end"}
    kept = Specification.from_dict(seen_of(pairs)).to_dict()["parts"]["text"]["seen"]
    assert kept == {"everyone": "start", "cid": "end"}


def test_seats_and_stages_called_everyone_keep_their_meaning():
    document = json.loads(json.dumps(seen_of({"cid": "end"})).replace("bea", "everyone"))
    document["choices"]["k"]["seen"] = {"everyone": "end"}
    document["parts"]["text"] = {"ann": "end", "everyone": "end", "cid": "start"}
    spec = Specification.from_dict(document)
    assert spec.choice("k").seen == (("everyone", "end"),)
    assert Specification.from_dict(spec.to_dict()) == spec
    document = json.loads(json.dumps(seen_of({"bea": "late", "cid": "late"})))
    spec = Specification.from_dict(json.loads(json.dumps(document).replace("late", "everyone")))
    assert spec.choice("k").seen == (("bea", "everyone"), ("cid", "everyone"))
    assert Specification.from_dict(spec.to_dict()) == spec


# -- late sight ------------------------------------------------------------------------------------


def debate(late):
    """Return a debate of two repetitions, in which the judge says something after each of them."""
    turns = [{"ann": "floor"}, {"bea": "floor"}, {"judge": {"choose": "mood"}}]
    return Specification.from_dict(
        {
            "name": "late",
            "seats": dict.fromkeys(["ann", "bea", "judge"], ""),
            "channels": {"floor": {"everyone": "start", "judge": late}},
            "choices": {
                "mood": {"by": "judge", "options": ["calm", "cross"], "seen": late},
                "truth": {"by": "task", "options": ["A", "B"], "seen": "end"},
                "verdict": {"by": "judge", "options": ["A", "B"]},
            },
            "stages": [
                {"name": "talk", "times": 2, "turns": turns},
                {"name": "judgement", "turns": [{"judge": {"choose": "verdict"}}]},
            ],
            "verdict": "verdict",
        }
    )


@settings(max_examples=cases(200), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_views_are_those_of_a_slow_look_at_all_turns(document, seed):
    spec = accepted(document)
    rng = random.Random(seed)
    _, states = played(deal_of(spec, seed, rng), rng)
    for episode in states:
        turns = turns_of(episode)
        for seat in spec.seat_names:
            for number, (node, seen) in enumerate(
                zip(episode.path()[1:], episode.view_for(seat).rounds, strict=True)
            ):
                read = [
                    (message.channel, message.text)
                    for message in node.release.messages
                    if (message.seat == seat and not message.source)
                    or sees_by_hand(spec, seat, spec.channel(message.channel).seen, turns, number)
                ]
                assert sorted(read) == sorted((m.channel, m.text) for m in seen.messages)
                known = {
                    name
                    for name in node.release.choices
                    if spec.choice(name).by == seat
                    or sees_by_hand(spec, seat, spec.choice(name).seen, turns, number)
                }
                assert known == {*seen.choices}


@each(
    ("late", "heard"),
    [("end of repetition", [0, 0, 2, 0, 0, 2, 0]), ("end of stage", [0, 0, 0, 0, 0, 4, 0])],
)
def test_values_count_messages_where_they_are_heard(late, heard):
    rounds = Rounds.of(debate(late))
    assert [len(rounds.kinds[kind].heard) for kind in rounds.turns[0]] == heard


LATE_COIN = {"by": "chance", "options": [1, 2], "seen": "end of repetition"}


@each(
    ("change", "message"),
    [
        (
            {"parts": {"text": "end of stage"}},
            "part 'text', seen: it is seen at the end of each stage",
        ),
        (
            {"parts": {"text": {"ann": "start", "bea": "end of repetition"}}},
            "Write since which stage it is seen ('talk', 'judgement'), or 'end'.",
        ),
        ({"choices": {"coin": LATE_COIN}}, "choice 'coin', seen: it is seen at the end of each"),
        (
            {"stages": [{"name": "end of stage", "turns": [{"ann": "floor"}]}]},
            "this word means something else in the language",
        ),
    ],
)
def test_what_is_there_before_play_is_not_seen_late(change, message):
    document = debate("end of stage").to_dict()
    for key, value in change.items():
        document[key] = value if isinstance(value, list) else document.get(key, {}) | value
    with pytest.raises(SpecError) as caught:
        Specification.from_dict(document)
    assert message in str(caught.value)


def test_remarks_know_what_is_seen_late():
    def told(turn, when, late="end of repetition"):
        document = debate(late).to_dict()
        document["stages"][0]["turns"].insert(turn, {"ann": {"say": "floor", "when": when}})
        remarks = Specification.from_dict(document).lint()
        return [each.agents for each in remarks if each.code == "asked-tells"]

    assert told(3, "mood = calm") == [("ann",)]
    assert told(3, "true") == []
    # Of the repetition before, everybody knows it.
    assert told(0, "mood != calm") == []
    assert told(0, "mood != calm", "end of stage") == [("ann",)]
