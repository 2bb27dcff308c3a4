"""A turn copies a message from one channel to another."""

import dataclasses
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import Episode, Move
from nip_core.errors import SpecError, UnsupportedError
from nip_core.language import Specification, to_version_1
from nip_core.language.rounds import Rounds
from nip_core.transcript import dump, dumps, load, to_plain_text
from tests.depth import cases, each
from tests.language.playing import deal_of, played, releases
from tests.language.strategies import accepted, documents
from tests.language.zoo import published


def relay(**turn):
    """Return a protocol in which a controller decides which of two drafts a reader gets."""
    return {
        "name": "relay",
        "seats": {"ann": "", "bea": {"anonymous": True}, "control": "", "reader": ""},
        "channels": {
            "one": ["ann", "control"],
            "two": {"bea": "start"},
            "out": {"reader": "start"},
        },
        "choices": {
            "pick": {"by": "control", "options": ["first", "second", "neither"], "seen": []},
            "grade": {"by": "reader", "options": [1, 2]},
        },
        "stages": [
            {
                "name": "drafts",
                "times": 2,
                "turns": [
                    {"ann": "one", "bea": "two"},
                    {
                        "control": {"choose": "pick"},
                        "copy": {"out": "one if pick = first else two if pick = second else none"},
                        **turn,
                    },
                ],
            },
            {"name": "end", "turns": [{"reader": {"choose": "grade"}}]} | {"name": "grading"},
        ],
    }


def after(*picks, document=None):
    """Return the episode after repetitions with these picks."""
    episode = Episode(Specification.from_dict(document or relay()), {})
    for number, pick in enumerate(picks):
        episode.play(Move("ann", {"one": f"A{number}"}))
        episode.play(Move("bea", {"two": f"B{number}"}))
        episode.play(Move("control", choices={"pick": pick}))
    return episode


def read(episode, seat):
    rounds = episode.view_for(seat).rounds
    return [(m.sender, m.channel, m.text, m.copied) for seen in rounds for m in seen.messages]


def test_the_last_message_of_the_repetition_appears_with_its_author():
    episode = after("first", "second")
    # The second author is anonymous.
    assert read(episode, "reader") == [("ann", "out", "A0", True), (None, "out", "B1", True)]
    assert read(episode, "bea") == [("bea", "two", "B0", False), ("bea", "two", "B1", False)]
    assert read(after("neither", "neither"), "reader") == []


def test_a_copy_can_be_copied_and_its_author_reads_it_where_it_reads():
    document = relay()
    document["channels"]["board"] = {"ann": "start"}
    turns = document["stages"][0]["turns"]
    turns.append({"copy": {"board": "out"}})
    episode = after("first", document=document)
    assert read(episode, "ann") == [("ann", "one", "A0", False), ("ann", "board", "A0", True)]
    said = episode.view_for("ann").portable_messages()[-1]["content"]
    assert "what you had written was copied to Board:\n| A0" in said
    to_reader = episode.view_for("reader").portable_messages()[-1]["content"]
    assert "In turn 2, what Ann had written was copied to Out:\n| A0" in to_reader


def test_copies_are_not_counted_again_and_quotes_keep_their_result():
    document = relay()
    document["parts"] = {"text": {"seen": ["ann"], "quotable": True}}
    document["limits"] = [{"seat": "ann", "of": "quoted words", "most": 2, "per": "game"}]
    episode = Episode(Specification.from_dict(document), {"text": "the cat sat"})
    episode.play(Move("ann", {"one": "<quote>the cat</quote>"}))
    episode.play(Move("bea", {"two": "B"}))
    episode.play(Move("control", choices={"pick": "first"}))
    ((quotes,),) = [seen.quotes for seen in episode.view_for("reader").rounds if seen.quotes]
    assert [quote.found for quote in quotes] == [True]
    assert next(left for _, left in episode.legal("ann").left) == 0


def test_transcripts_and_texts_show_copies():
    episode = after("first", "second")
    episode.play(Move("reader", choices={"grade": 2}))
    document = dump(episode)
    copies = [position["copies"] for position in document["positions"] if "copies" in position]
    assert copies[0] == [{"agent": "ann", "from": "one", "to": "out", "text": "A0"}]
    assert document["positions"][2]["reads"]["reader"]["messages"] == [[2, "ann", "out", "copied"]]
    assert load(dumps(episode)).nodes == episode.nodes
    assert "Ann (copied)" in to_plain_text(episode, None)
    assert "somebody (copied)" in to_plain_text(episode, "reader")


@settings(max_examples=cases(150), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_copies_are_those_of_a_slow_look(document, seed):
    spec = accepted(document)
    rng = random.Random(seed)
    _, states = played(deal_of(spec, seed, rng), rng)
    path = states[-1].path()
    for number, release in enumerate(releases(states[-1])):
        place, expected = release.place, []
        for target, text in spec.turn(place).copies:
            after_turn = {**path[number + 1].registers, "repeat": place.repeat + 1, "over": False}
            source = spec.channel_expression(text).value(after_turn)
            before = [
                message
                for earlier in releases(states[-1])[: number + 1]
                for message in earlier.messages
                if earlier.place[:2] == place[:2] and message.channel == source
                if earlier is not release or not message.source
            ]
            if before:
                expected.append((before[-1].seat, source, target, before[-1].text))
        copies = [m for m in release.messages if m.source]
        assert [(m.seat, m.source, m.channel, m.text) for m in copies] == expected


@each(
    ("copy", "message"),
    [
        ({"outt": "one"}, "no channel 'outt' to copy to. Did you mean 'out'?"),
        ({"out": "oen"}, "Did you mean 'one'?"),
        ({"out": "out"}, "it copies from 'out' to itself. Name another channel"),
        ({"out": "out if pick = first else one"}, "it copies from 'out' to itself"),
        ({"out": "pick"}, "'pick' is 'first'; what is copied is the last message on a channel"),
        ({"out": "1"}, "'1' is a number; what is copied is the last message on a channel"),
        ({"out": "none"}, "'none' is none; what is copied"),
        ({"out": "one if over else two"}, "`over` is known once a turn has been played"),
    ],
)
def test_what_cannot_be_copied_is_refused_with_a_remedy(copy, message):
    with pytest.raises(SpecError) as caught:
        Specification.from_dict(relay(copy=copy))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_seat_of_an_older_document_may_be_called_copy():
    document = json.loads(json.dumps(relay()).replace('"control"', '"copy"'))
    document["stages"][0]["turns"][1] = {"copy": {"choose": "pick"}}
    spec = Specification.from_dict(document)
    assert not spec.has_copies
    assert [act.seat for act in spec.stages[0].turns[1].acts] == ["copy"]
    assert Specification.from_dict(spec.to_dict()) == spec


def test_remarks_know_copies():
    codes = {(r.code, r.agents, r.choice) for r in Specification.from_dict(relay()).lint()}
    assert ("copy-tells", ("reader",), "pick") in codes
    assert not [code for code, *_ in codes if code.startswith("channel")]
    document = relay()
    document["stages"][1]["turns"][0]["copy"] = {"out": "one"}
    found = [r for r in Specification.from_dict(document).lint() if r.code == "copy-nothing"]
    assert [r.place for r in found] == ["stage 'grading', turn 1, copy 'out'"]


def test_sentences_say_what_is_copied():
    spec = published("resampling")
    episode = Episode(spec, deal_of(spec).task)
    said = episode.view_for("user").prompt
    assert (
        "If the replaced is swapped, the last message on replacement is copied to executed; "
        "otherwise, the last message on sample."
    ) in said
    assert "executed gets a copy of" in str(spec.table().rows)


def test_protocols_with_copies_have_no_short_forms():
    spec = published("nip")
    stages = (
        dataclasses.replace(
            spec.stages[0],
            turns=(dataclasses.replace(spec.stages[0].turns[0], copies=(("main", "side"),)),),
        ),
    )
    copied = spec.replace(
        channels=(*spec.channels, dataclasses.replace(spec.channels[0], name="side")), stages=stages
    )
    for form in (to_version_1, Rounds.of):
        with pytest.raises(UnsupportedError, match="copie"):
            form(copied)
