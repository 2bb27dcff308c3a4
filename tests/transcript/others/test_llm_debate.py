"""Tests of llm_debate.py, older_forms.py and replaying.py, with files that are written for them."""

import pytest

from nip_core.errors import TranscriptError
from nip_core.transcript.others import Judgement, read_llm_debate, read_records
from tests.depth import each
from tests.transcript.others.khan_samples import (
    DEBATED,
    OF_TEXT,
    SAID,
    STORY,
    of_lists,
    spoken,
    table,
    transcript,
)


def read(*rows, **more):
    """Return the records of some rows."""
    return list(read_llm_debate(table(*rows), **more))


def said(episode, seat="judge"):
    """Return what a seat reads."""
    return [m.text for each in episode.view_for(seat).rounds for m in each.messages]


def quotes(episode):
    """Return all quotes that a judge reads, and whether they were found."""
    seen = [each for turn in episode.view_for("judge").rounds for each in turn.quotes]
    return [(quote.text, quote.found) for quotes in seen for quote in quotes]


def test_a_debate_is_replayed_with_its_quotes_and_verdict():
    (found,) = read({**DEBATED, "correct": "True", "confidence_correct": "0.85"})
    assert repr(found) == "Recorded('Bread', khan_debate, 0 differences)"
    episode = found.episode
    assert episode.over
    assert episode.result().totals == {"alice": 1, "bob": -1, "judge": 1}
    assert said(episode) == [SAID, "No.", "Yes.", "No."]
    assert quotes(episode) == [("he lied", True), ("he wept", False)]
    assert found.judgements == (Judgement("7", False, (0.85,)),)


def test_if_the_right_answer_is_b_its_debater_is_b():
    row = {"transcript": transcript(spoken(), swap=True), "answer_judge": "Answer: <B>"}
    (found,) = read({**row, "correct": "true"})
    assert found.differences == ()
    assert said(found.episode) == ["No.", "Yes."]
    assert found.episode.result().choices["truth"] == "B"
    assert found.episode.result().totals == {"alice": -1, "bob": 1, "judge": 1}
    assert found.judgements == (Judgement("answer_judge", False, (1.0,)),)


@each(
    ("answer", "swap", "belief"),
    [
        ("Answer: B", False, 0.0),
        ("I have read it.\nFinal Answer: A\n", False, 1.0),
        ("A", True, 0.0),
        ("B)", True, 1.0),
        ("Logit A: -1, Logit B: -2, Prob A: 0.7311, Prob B: 0.2689\nAnswer: A", False, 0.7311),
        ("Prob A: 0.25", True, 0.75),
        ("It is clear.\n\nConfidence correct: 0.05", True, 0.05),
        ("Answer: A\nAnswer: B", False, None),
        ("Prob A: 7", False, None),
        ("Confidence correct: ...", False, None),
        ("", False, None),
    ],
)
def test_what_judges_write_is_understood(answer, swap, belief):
    (found,) = read({"transcript": transcript(spoken(), swap=swap), "answer_judge": answer})
    given = [each.beliefs for each in found.judgements]
    assert given == ([] if belief is None else [(pytest.approx(belief),)])
    assert found.episode.over == (belief is not None)


def test_percents_are_told_from_fractions_by_the_whole_file():
    rows = [{**DEBATED, "confidence_correct": given} for given in ("1", "95", "120", "x", "nan")]
    beliefs = [tuple(each.beliefs for each in found.judgements) for found in read(*rows)]
    assert beliefs == [((0.01,),), ((0.95,),), (), (), ()]


def test_a_judge_who_asks_has_the_interactive_debate():
    row = transcript(spoken(), spoken(judge="Who saw it?"), spoken(cross_examiner="And when?"))
    (found,) = read({"transcript": row, "answer_judge": "A"})
    assert found.episode.rules.name == "khan_debate_interactive"
    assert "Who saw it?" in said(found.episode)
    assert "And when?" in said(found.episode)
    assert found.judgements[0].live
    (found,) = read({"transcript": transcript(spoken(judge="Well?"), spoken())})
    assert "A question is left out, since khan_debate_interactive" in found.differences[0]
    assert found.differences[1:] == (
        "A round came without a question of the judge.",
        "It was not judged.",
    )


def test_later_rounds_may_be_one_after_the_other():
    row = transcript(spoken(), spoken(kind="seq"))
    (found,) = read({"transcript": row, "answer_judge": "A"})
    assert found.episode.rules.name == "khan_debate_sequential"
    assert found.differences == ()


@each(("swap", "side"), [(False, "A"), (True, "B")])
def test_a_consultant_has_the_side_of_the_file(swap, side):
    rounds = (spoken(SAID, None), spoken("Trust me.", None, judge="Why?"))
    row = transcript(*rounds, swap=swap)
    (found,) = read({"transcript": row, "confidence_correct": "0.2"})
    assert found.episode.rules.name == "khan_consultancy"
    assert found.episode.chosen(0)["side"] == side
    assert found.episode.result().totals == {"consultant": -1, "judge": 0}
    assert found.differences == ()


def test_differences_are_sentences():
    (found,) = read({**DEBATED, "correct": "False", "answer_judge": "A"})
    assert found.differences == (
        "By what the judge said it was right; the column “correct” says wrong.",
    )
    (found,) = read({"transcript": transcript(spoken("word " * 151), responses=[spoken()])})
    assert found.differences == (
        "Debater A wrote 151 words; the rules allowed 150.",
        "It was not judged.",
        "Candidates that were not chosen (`responses`) are left out.",
    )
    (found,) = read({"transcript": transcript()})
    assert found.differences == ("Nobody argued.",)
    (found,) = read({"transcript": transcript(spoken(None, "No."))})
    assert found.episode is None
    assert found.differences[0].startswith("It cannot be replayed: ")


def test_a_missing_passage_can_be_named():
    row = {"transcript": transcript(spoken(SAID), story=None), "answer_judge": "A"}
    (found,) = read(row)
    assert found.episode is None
    assert found.differences[0].startswith("The file leaves the passage out, so that its quotes")
    assert found.judgements
    (found,) = read(row, passages={"Did the baker lie?": STORY})
    assert found.episode.over
    (found,) = read({**row, "story": STORY})
    assert found.episode.over


def test_marks_of_verified_quotes_replace_a_missing_passage():
    marked = "See <v_quote>he lied</v_quote>, and <u_quote>he wept</u_quote>."
    (found,) = read({"transcript": transcript(spoken(marked), story="<TRUNCATED>")})
    assert found.differences[0].startswith("The file leaves the passage out; quotes that it marks")
    assert said(found.episode)[0] == SAID
    assert quotes(found.episode) == [("he lied", True), ("he wept", False)]


@each("swap", [False, True])
@each("letters", ["12", "AB"])
def test_the_older_form_of_lists(swap, letters):
    said_by = ["No.", SAID] if swap else [SAID, "No."]
    row = of_lists(said_by, ["Yes.", "No."], swap=swap, letters=letters)
    (found,) = read({"transcript": row, "answer_judge": "B" if swap else "A"})
    assert found.episode.result().totals["judge"] == 1
    assert said(found.episode) == [*said_by, "Yes.", "No."]


def test_the_older_form_of_lists_needs_the_side_of_a_consultant():
    row = {"transcript": of_lists([SAID], ["Trust me."])}
    (found,) = read({**row, "consultant_type": "incorrect"})
    assert found.episode.chosen(0)["side"] == "B"
    (found,) = read(row)
    assert "give a column consultant_type (correct or incorrect)." in found.differences[0]


def test_the_older_form_of_text():
    row = {
        "question": "Did the baker lie?",
        "correct answer": "Yes, he did.",
        "negative answer": "He did not.",
        "story": STORY,
        "transcript": OF_TEXT,
        "answer_judge": "Answer: B",
    }
    (found,) = read(row)
    assert found.differences == ()
    assert said(found.episode) == ["He was honest.", SAID, "Look again.", "I have."]
    assert found.episode.result().totals == {"alice": -1, "bob": 1, "judge": 1}
    (found,) = read({**row, "transcript": "Something else."})
    assert "does not begin with two debaters who say “I claim the answer is”" in str(
        found.differences
    )
    (found,) = read({**row, "question": ""})
    assert "is plain text, so it needs a column 'question'." in found.differences[0]


@each(
    ("row", "reason"),
    [
        (transcript(spoken(), swap=1), "transcript.swap is 1; it must be true or false"),
        (transcript(spoken(3)), "transcript.rounds[0].correct is 3; it must be a text"),
        (transcript(spoken("\ud800")), "a text without halves of characters"),
        (transcript(*[spoken()] * 21), "its transcript has 21 rounds; read are 20."),
        (transcript(answers=[]), "transcript.answers is a list; it must be an object"),
        (transcript(rounds={}), "transcript.rounds is an object; it must be a list"),
        (of_lists(["a"], ["b", "c"]), "consultant was right"),
        (of_lists(["a", "b"], ["c"]), "it must be a list of lists of 2"),
        ("{", "transcript is not JSON"),
        ('{"a": NaN}', "transcript holds NaN"),
        ('{"a": ' + "[" * 50 + "]" * 50 + "}", "transcript is nested too deeply"),
        ("{" + f'"a": {"9" * 5000}' + "}", "a number has over 4,300 digits"),
    ],
)
def test_rows_that_are_wrong_say_why_and_the_rest_is_read(row, reason):
    wrong, right = read({"transcript": row}, DEBATED)
    assert wrong.episode is None
    assert wrong.differences[0].startswith("Line 2 cannot be read: ")
    assert reason in wrong.differences[0]
    assert right.title == "Bread"


def test_a_row_of_another_width_is_named():
    wrong, right = read_llm_debate(
        table(DEBATED).replace("transcript\r\n", "transcript\r\n1,2,3\r\n")
    )
    assert wrong.differences == ("Line 2 cannot be read: it has 3 fields; the first line has 2.",)
    assert right.episode


def test_files_that_are_something_else():
    with pytest.raises(TranscriptError, match="It has no column “transcript”"):
        list(read_llm_debate("a,b\n1,2\n"))
    with pytest.raises(TranscriptError, match=r"It has 2,001 rows; read are 2,000\. Split it"):
        list(read_llm_debate("transcript\n" + "x\n" * 2_001))


def test_the_format_is_recognised():
    (found,) = read_records(table(DEBATED).encode("utf-8-sig"))
    assert found.title == "Bread"
    # A passage makes a field longer than what Python's module reads by itself.
    long = transcript(spoken(SAID), responses=[spoken("word " * 40_000)])
    (found,) = read_records(table({"transcript": long}))
    assert found.episode
