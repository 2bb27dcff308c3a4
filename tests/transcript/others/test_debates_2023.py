"""Tests of debates_2023.py, recorded.py and tokens.py, with files that are written for them."""

import math
from pathlib import Path

import pytest

from nip_core import transcript
from nip_core.errors import TranscriptError
from nip_core.transcript import dumps
from nip_core.transcript.others import Judgement, example_debate, read_debate_of_2023, read_records
from nip_core.transcript.others.tokens import Passage
from tests.depth import each
from tests.transcript.others.samples import (
    CONSULTED,
    FINISHED,
    STORY,
    changed,
    debate,
    judged,
    speech,
    spoken,
    text,
)


def test_a_passage_is_written_as_people_saw_it():
    passage = Passage(STORY)
    assert passage.text.splitlines() == [
        'Tom went to the market--it rained. "I haven\'t any bread," said the baker (he lied).',
        "",
        "So Tom's sister stayed at home.",
    ]
    assert passage.between(20, 24) == "(he lied)"
    assert passage.between(3, 3) == ""


def test_a_debate_is_replayed_with_its_quotes_and_scores():
    found = read_debate_of_2023(text(FINISHED))
    assert repr(found) == "Recorded('Bread', michael_debate, 0 differences)"
    episode = found.episode
    assert episode.over
    rounds = episode.view_for("judge").rounds
    said = [message.text for each in rounds for message in each.messages]
    assert said == [
        "See <quote>(he lied)</quote>",
        "He had none: <quote>\"I haven't any bread</quote>",
        "Who saw it?",
        "The text.",
        "Nobody.",
    ]
    assert episode.result().totals["judge"] == pytest.approx(math.log2(0.9) - 2 * 0.05)
    assert found.judgements == (
        Judgement("Name of Judge", True, (0.5, 0.75, 0.9)),
        Judgement("Reader", False, (0.5, 0.2)),
    )
    assert [each.is_right for each in found.judgements] == [True, False]
    assert Judgement("Even", True, (0.5,)).is_right is None


def test_a_consultant_has_the_side_of_the_file():
    found = read_debate_of_2023(CONSULTED)
    assert found.differences == ()
    assert found.episode.chosen(0)["side"] == "B"
    assert found.episode.result().totals["consultant"] == pytest.approx(math.log2(0.6))
    assert [each.is_right for each in found.judgements] == [False]


@each(
    ("document", "said"),
    [
        (debate(judged(0.5)), "It was not finished."),
        (debate(judged(0.005, ends=True)), "Rounded to whole percents from 1 to 99: 1 of"),
        (debate(judged(0.005, ends=True)), "The judge is paid -6.64 here, and -7.64 by its own"),
        (
            debate(judged(0.5), spoken(a=speech("no"), b=speech("x" * 30)), judged(0.5), chars=29),
            "Debater B wrote 30 characters; the rules allowed 29.",
        ),
        (
            debate(judged(0.5), spoken(a=speech((0, 9)), b=speech("x")), judged(0.5), quotes=33),
            "Debater A wrote 34 quoted characters; the rules allowed 33.",
        ),
        (debate(spoken(a=speech("x"), b=speech("y"))), "It cannot be replayed: "),
        (debate(roles=("Debater A", "Debater B")), "Nobody judged during the debate, so"),
        (debate(roles=("Judge",)), "Nobody argued."),
    ],
)
def test_differences_are_sentences(document, said):
    found = read_debate_of_2023(document)
    assert any(each.startswith(said) for each in found.differences), found.differences


def test_no_limit_means_none():
    found = read_debate_of_2023(
        debate(judged(0.5), spoken(a=speech((0, 9)), b=speech("x")), judged(0.5), quotes=None)
    )
    assert found.differences == ("It was not finished.",)


ROUND = ("rounds", 1, "SimultaneousSpeeches", "speeches", "0", "content", 1)


@each(
    ("path", "value", "said"),
    [
        (("setup", "question"), None, "setup.question is missing"),
        (("setup", "question"), 3, "setup.question is 3; it must be a text"),
        (("setup", "question"), "\ud800", "a text without halves of characters"),
        (("setup", "answers"), ["Yes."], "a list of two answers"),
        (("setup", "correctAnswerIndex"), 2, "a whole number from 0 to 1"),
        (("setup", "correctAnswerIndex"), True, "a whole number from 0 to 1"),
        (("setup", "roles"), [], "must be an object"),
        (("setup", "sourceMaterial"), {"Custom": {}}, "a story of QuALITY"),
        (("setup", "sourceMaterial"), {}, "an object with one key"),
        (("setup", "sourceMaterial", "QuALITYSourceMaterial", "contents"), [1], "texts"),
        (("setup", "sourceMaterial", "QuALITYSourceMaterial", "contents"), "x", "a list"),
        (("rounds",), {}, "must be a list"),
        (("rounds",), [judged(0.5)] * 61, "rounds has 61; read are at most 60"),
        (("rounds", 0, "JudgeFeedback", "distribution"), [0.5, 0.4], "whose sum is 1"),
        (("rounds", 0, "JudgeFeedback", "distribution"), [float("inf"), 0], "a probability"),
        (("rounds", 0, "JudgeFeedback", "endDebate"), 1, "must be true or false"),
        (("rounds", 0), {"Vote": {}}, "of a kind that is not known"),
        (ROUND, {"Image": {}}, "a Text or a Quote"),
        ((*ROUND, "Quote", "span"), [1], "two numbers of tokens"),
        ((*ROUND, "Quote", "span"), [-1, 2], "a whole number from 0"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(path, value, said):
    document = changed(FINISHED, path, value)
    with pytest.raises(TranscriptError) as error:
        read_debate_of_2023(document)
    assert said in str(error.value)


@each(
    ("path", "value"), [(("LogScoreWithLinearPenalty", "logBase"), 10.0), ((), {"Quadratic": {}})]
)
def test_with_another_score_there_is_no_replay(path, value):
    found = read_debate_of_2023(
        changed(FINISHED, ("setup", "rules", "scoringFunction", *path), value)
    )
    assert found.episode is None
    (said,) = found.differences
    assert said.startswith("It cannot be replayed: the judge was paid by another ")
    assert len(found.judgements) == 2


def test_too_long_a_list_is_refused():
    with pytest.raises(TranscriptError, match="100,001 entries; read are 100,000"):
        read_debate_of_2023(changed(FINISHED, ("setup", "answers"), ["x"] * 100_001))


def test_the_format_is_recognised():
    (found,) = read_records(text(FINISHED))
    assert found.title == "Bread"
    (consulted,) = read_records(text(CONSULTED))
    (own,) = read_records(dumps(consulted.episode))
    assert own.episode.over
    assert own.judgements == ()
    with pytest.raises(TranscriptError):
        list(read_records("{}"))


def test_feedback_is_read():
    answers = {"clarity": {"first": 2, "second": 4}, "why": "It was clear.", "reasoning": 3}
    given = {"Ann": {"Judge": {"answers": answers}}}
    found = read_debate_of_2023(changed(FINISHED, ("feedback",), given)).feedback
    assert [(each.who, each.role, each.question, each.answer) for each in found] == [
        ("Ann", "Judge", "clarity", "first 2, second 4"),
        ("Ann", "Judge", "why", "It was clear."),
        ("Ann", "Judge", "reasoning", "3"),
    ]
    with pytest.raises(TranscriptError, match=r"feedback\.Ann is a list; it must be an object"):
        read_debate_of_2023(changed(FINISHED, ("feedback",), {"Ann": []}))


def test_the_example_is_a_finished_debate_of_people():
    (found,) = read_records(example_debate())
    assert found.episode.over
    assert found.differences == ()
    assert found.argued == "people"
    assert [each.is_right for each in found.judgements] == [True]
    assert len(found.feedback) == 29
    folder = Path(transcript.__file__).parent / "others" / "example"
    assert "Creative Commons Attribution 4.0" in (folder / "NOTICE.md").read_text("utf-8")
