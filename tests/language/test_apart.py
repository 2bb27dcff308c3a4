"""Acts with `apart`: the questions in which a model is asked for what they hold."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import Episode, Move
from nip_core.errors import SpecError
from nip_core.language import Specification, formatted, questions_of, toml_text
from tests.depth import cases, each
from tests.language.playing import begin, deal_of, random_move
from tests.language.strategies import accepted, documents

DRAFTS = {"say": "draft", "choose": ["score", "mood"], "apart": True}


def drafting(act=DRAFTS, **more):
    """Return a protocol in which one seat writes drafts before another one decides."""
    return {
        "name": "drafting",
        "settings": {"drafts": 3},
        "seats": {"ann": "Ann", "judge": "Judge"},
        "channels": {
            "draft": {"seen": "start", "count": "drafts"},
            "talk": "everyone",
            "aside": "everyone",
        },
        "choices": {
            "score": {"by": "ann", "options": [0, 50, 100], "count": "drafts", "seen": "start"},
            "mood": {"by": "ann", "options": ["calm", "cross"], "seen": "start"},
            "best": {"by": "judge", "options": [1, 2, 3]},
            "coin": {"by": "chance", "options": ["a", "b"]},
        },
        "stages": [
            {"name": "s", "turns": [{"ann": act}, {"judge": {"choose": "best"}}, {"ann": act}]}
        ],
        "pay": [{"to": "ann", "amount": "max(score)", "when": "best >= 1"}],
        **more,
    }


def begun(act=DRAFTS, **more):
    return Episode(Specification.from_dict(drafting(act, **more)), {})


def parts(spec):
    act = spec.stages[0].turns[0].acts[0]
    asked = questions_of(act, spec.families)
    return [(*question.say, *(name for name, _ in question.choose)) for question in asked]


@each(
    ("act", "questions"),
    [
        (DRAFTS, [("draft1", "score1"), ("draft2", "score2"), ("draft3", "score3"), ("mood",)]),
        ({"choose": "score", "apart": True}, [("score1",), ("score2",), ("score3",)]),
        ({"say": ["talk", "aside"], "apart": True}, [("talk",), ("aside",)]),
        ({"may_say": "talk", "choose": ["mood"], "apart": True}, [("talk",), ("mood",)]),
        ({"say": "draft", "choose": "mood"}, [("draft1", "draft2", "draft3", "mood")]),
    ],
)
def test_items_of_one_number_go_together(act, questions):
    spec = Specification.from_dict(drafting(act))
    assert parts(spec) == questions
    again = Specification.from_dict(spec.to_dict())
    assert again == spec
    assert Specification.from_toml(toml_text(spec.to_dict())) == spec
    assert Specification.from_toml(formatted(toml_text(drafting(act)))) == spec


def test_a_seat_of_a_family_is_asked_for_each_of_its_own():
    document = {
        "name": "jury",
        "seats": {"juror": {"count": 2}},
        "choices": {
            "vote": {"by": "juror", "options": ["A", "B"]},
            "sure": {"by": "juror", "options": [0, 100]},
        },
        "verdict": "majority(vote)",
        "stages": [
            {"name": "s", "turns": [{"juror": {"choose": ["vote", "sure"], "apart": True}}]}
        ],
    }
    assert parts(Specification.from_dict(document)) == [("vote1",), ("sure1",)]


def test_a_setting_says_how_many_questions_there_are():
    spec = Specification.from_dict(drafting(), {"drafts": 1})
    assert parts(spec) == [("draft1", "score1"), ("mood",)]


def test_answers_share_limits_for_the_whole_play():
    quotes = {"seat": "ann", "of": "quoted words", "most": 5, "per": "game"}
    parts = {"text": {"seen": "start", "quotable": True}}
    spec = Specification.from_dict(drafting(parts=parts, limits=[quotes]))
    episode = Episode(spec, {"text": "one two three"})
    asked = episode.view_for("ann").questions()
    limits = [{limit.of: left for limit, left in view.legal.left} for view in asked]
    assert [left.get("quoted words") for left in limits] == [1, 1, 1, None]
    assert "1 quoted words in this answer" in asked[0].portable_messages()[-1]["content"]


@settings(max_examples=cases(30), deadline=None)
@given(documents(), st.integers(0, 9))
def test_answers_to_all_questions_are_one_legal_move(document, seed):
    episode = begin(deal_of(accepted(document), seed))
    rng = random.Random(seed)
    while not episode.over:
        seat = episode.to_move[0]
        view = episode.view_for(seat)
        questions = view.questions()
        names = [name for one in questions for name in (*one.legal.channels, *one.legal.choices)]
        assert sorted(names) == sorted((*view.legal.channels, *view.legal.choices))
        move = random_move(episode, seat, rng)
        move = replace(move, messages=dict.fromkeys(move.messages, "So."))
        parts = [
            Move(
                seat,
                {on: text for on, text in move.messages.items() if on in one.legal.channels},
                choices={name: move.choices[name] for name in one.legal.choices},
            )
            for one in questions
        ]
        for one, part in zip(questions, parts, strict=True):
            one.verify(part)
            assert one.portable_messages()
        assert view.merged(parts) == move
        episode.play(view.merged(parts))


def test_people_make_one_move():
    episode = begun()
    view = episode.view_for("ann")
    assert view.legal.apart
    assert [*view.legal.choices] == ["score1", "score2", "score3", "mood"]
    text = view.portable_messages()[-1]["content"]
    assert "question" not in text
    (one,) = begun({"say": "talk"}).view_for("ann").questions()
    assert one.legal.question is None


def test_views_of_questions_are_told_apart_in_documents():
    view = begun().view_for("ann")
    texts = {question.to_json() for question in (view, *view.questions())}
    assert len(texts) == 5
    assert [each.legal.question for each in view.questions()] == [(n, 4) for n in range(1, 5)]


@each(
    ("act", "message"),
    [
        ({"choose": "score", "total": 100, "apart": True}, "Leave `apart` or `total` out."),
        (
            {"say": "talk", "choose": "mood", "silent": "mood = calm", "apart": True},
            "Leave `apart` or `silent` out.",
        ),
        ({"say": "talk", "apart": "yes"}, "apart"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(act, message):
    with pytest.raises(SpecError) as caught:
        Specification.from_dict(drafting(act))
    assert message in str(caught.value)


def test_chance_is_not_asked():
    stages = [{"name": "s", "turns": [{"chance": {"choose": "coin", "apart": True}}]}]
    with pytest.raises(SpecError, match="chance is not asked"):
        Specification.from_dict(drafting(stages=stages))


def test_one_question_is_remarked_on():
    for act, remarked in (({"say": "talk", "apart": True}, True), (DRAFTS, False)):
        remarks = Specification.from_dict(drafting(act)).lint()
        assert ("apart-alone" in [remark.code for remark in remarks]) == remarked
