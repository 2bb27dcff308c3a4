"""Messages that a seat may leave out, and words that are options of no choice."""

import pytest

from nip_core import Episode, Move
from nip_core.errors import IllegalMoveError, InvalidResponseError, SpecError
from nip_core.language import Specification
from nip_core.transcript import dumps, load
from tests.depth import each
from tests.language.playing import deal_of
from tests.language.zoo import published


def floor(act, **more):
    """Return a protocol in which one seat may write before another one decides."""
    return {
        "name": "floor",
        "seats": {"ann": "", "judge": ""},
        "channels": {"talk": "everyone", "aside": "everyone"},
        "choices": {"mood": {"by": "ann", "options": ["calm", "cross"]}},
        "stages": [{"name": "s", "turns": [{"ann": act}, {"judge": {"say": "talk"}}]}],
        **more,
    }


def begun(act):
    return Episode(Specification.from_dict(floor(act)), {})


ALONE, BESIDE = {"may_say": "talk"}, {"may_say": ["talk"], "choose": ["mood"]}


def test_a_message_may_be_left_out_or_written():
    for messages in ({}, {"talk": ""}, {"talk": "Hello."}):
        episode = begun(ALONE)
        episode.play(Move("ann", messages))
        read = [m.text for seen in episode.view_for("judge").rounds for m in seen.messages]
        assert read == [text for text in messages.values() if text]
    with pytest.raises(IllegalMoveError, match="You do not write on 'aside'"):
        begun(ALONE).play(Move("ann", {"aside": "Hello."}))
    with pytest.raises(IllegalMoveError, match="is missing"):
        episode.play(Move("judge"))


def test_limits_hold_for_a_message_that_is_written():
    document = floor(ALONE, limits=[{"seat": "ann", "of": "words", "most": 1}])
    episode = Episode(Specification.from_dict(document), {})
    with pytest.raises(IllegalMoveError, match="2 words"):
        episode.play(Move("ann", {"talk": "Two words"}))
    episode.play(Move("ann"))


@each(
    ("act", "text", "messages", "choices"),
    [
        (ALONE, "Nothing", {}, {}),
        (ALONE, '"Nothing."', {}, {}),
        (ALONE, "Nothing is proved yet.", {"talk": "Nothing is proved yet."}, {}),
        (BESIDE, "Mood: calm", {}, {"mood": "calm"}),
        (BESIDE, "Nothing.\n\nMood: calm", {}, {"mood": "calm"}),
        (BESIDE, "I object.\n\nMood: cross", {"talk": "I object."}, {"mood": "cross"}),
    ],
)
def test_a_model_says_that_it_writes_nothing(act, text, messages, choices):
    episode = begun(act)
    view = episode.view_for("ann")
    move = view.read_answer(text)
    assert (dict(move.messages), dict(move.choices)) == (messages, choices)
    episode.play(move)
    assert view.portable_messages()[-1]["content"].count("or leave it out") == 1
    for message in episode.view_for("ann").portable_messages():
        assert message["content"]


def test_an_answer_without_its_choice_is_refused():
    with pytest.raises(InvalidResponseError):
        begun(BESIDE).view_for("ann").read_answer("I object.")


def test_it_is_kept_in_documents_and_transcripts():
    spec = Specification.from_dict(floor(ALONE))
    assert spec.to_dict()["stages"][0]["turns"][0] == {"ann": {"may_say": ["talk"]}}
    assert Specification.from_dict(spec.to_dict()) == spec
    episode = begun(ALONE)
    episode.play(Move("ann"))
    assert load(dumps(episode)).nodes == episode.nodes


@each(
    ("document", "message"),
    [
        (floor({"may_say": ["talk", "aside"]}), "it names 2 channels; one message can be left out"),
        (floor({"may_say": "talk", "say": "aside"}), "the act has `say`, too. Leave one of them"),
        (floor({"may_say": "tlak"}), "Did you mean 'talk'?"),
        (
            floor({"may_say": "talk", "choose": "mood", "silent": "mood = calm"}),
            "with `may_say`, the seat itself decides whether it writes",
        ),
        (floor(ALONE, labels=["two words"]), "'two words' is used in expressions. Use letters"),
        (floor(ALONE, labels=["yes", "yes"]), "'yes' stands twice"),
        (floor(ALONE, labels=["mood"]), "'mood' is a choice and an option"),
        (floor(ALONE, labels=["none"]), "'none' is a word of the language and an option"),
        (floor(ALONE, verdict="yes if mood = calm else no"), "'yes' is not a choice, option"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(document, message):
    with pytest.raises(SpecError) as caught:
        Specification.from_dict(document)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_verdict_is_a_label_with_a_title():
    spec = published("salon_of_labels")
    assert spec.to_dict()["labels"] == ["carried", "rejected"]
    episode = Episode(spec, deal_of(spec).task)
    while not episode.over:
        for seat in episode.to_move:
            choices = {name: options[0] for name, options in episode.legal(seat).choices.items()}
            episode.play(Move(seat, choices=choices))
    assert episode.result().verdict == "carried"
    assert "motion carried" in episode.view_for("member-1").prompt
