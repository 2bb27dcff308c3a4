"""What language models mean by their answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nip_core.errors import InvalidDecisionError, NotAllActiveChannelsInResponseError
from nip_core.text.answers import has_part, read_verdict, split_parts, split_thoughts
from nip_core.text.parsing import split_at_headers

TABLE = Path(__file__).parent / "model_answers.txt"
HEADERS = {"one": "Question for Expert_1:", "two": "Question for Expert_2:"}


def answers():
    """(text, reading in the middle, reading in the last turn, does it hold parts?)."""
    _, *groups = TABLE.read_text(encoding="utf-8").split("\n== ")
    for group in groups:
        head, _, body = group.partition("\n")
        middle, last, *parts = head.split()
        for text in body.split("\n--\n"):
            yield text, middle, last, bool(parts)


ROWS = list(answers())


def reading(text, *, last_turn, asks):
    try:
        verdict = read_verdict(split_thoughts(text).text, last_turn=last_turn, asks=asks)
    except InvalidDecisionError as error:
        told = str(error)
    else:
        return ("reject", "accept", "message")[verdict]
    assert '"Decision: accept" or "Decision: reject"' in told
    return "again"


def test_the_table_is_long_and_has_all_readings():
    assert len(ROWS) >= 200
    assert len({text for text, *_ in ROWS}) == len(ROWS)
    assert {middle for _, middle, *_ in ROWS} == {"accept", "reject", "message", "again"}


@pytest.mark.parametrize(("text", "middle", "last", "parts"), ROWS)
def test_an_answer_is_read_as_it_is_meant(text, middle, last, parts):
    assert reading(text, last_turn=False, asks=parts) == middle
    assert reading(text, last_turn=True, asks=parts) == last


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("plain", "plain", ""),
        ("<think>a</think>b", "b", "<think>a</think>"),
        ("a</think>b</think>c", "c", "a</think>b</think>"),
        ("<think>cut off at the limit", "", "<think>cut off at the limit"),
        ("said\n<think>more", "said", "<think>more"),
        ("a < b and <b> stay, as does x <think> in a line", None, ""),
        ("</THINKING> said", "said", "</THINKING>"),
        ("<|channel|>analysis<|message|>only thought", "", None),
        ("<|channel|>final<|message|>said<|return|>", "said", ""),
        (
            "<|channel|>commentary to=x<|message|>a<|end|><|start|>assistant<|channel|>final"
            "<|message|>said",
            "said",
            None,
        ),
    ],
)
def test_thoughts_are_kept_apart(text, said, thought):
    found = split_thoughts(text)
    assert found.text == (text if said is None else said)
    if thought is not None:
        assert found.thoughts == thought


@given(st.text("ab \n"), st.text("cd \n"), st.sampled_from(["</think>", "[/THINK]", "</Thinking>"]))
def test_nothing_before_the_last_mark_is_said(thought, said, mark):
    found = split_thoughts(thought + mark + said)
    assert found.text == said.strip()
    assert not set("ab") & set(found.text)


@pytest.mark.parametrize(
    "dress",
    [
        "{}",
        "**{}**",
        "## {}",
        "- {}",
        "1. {}",
        "  *{}*",
        "**{}** ",
    ],
)
@pytest.mark.parametrize("spelling", ["Question for Expert_1:", "question for expert 1:", "x"])
def test_headers_are_found_however_they_are_dressed(dress, spelling):
    if spelling == "x":
        first = dress.format("Question for Expert\\_1").rstrip() + ":"
    else:
        first = dress.format(spelling)
    text = f"Well.\n{first} why?\n\n{dress.format('Question for Expert 2:')}\nand how?\n"
    parts = split_parts(text, HEADERS)
    assert parts == {
        "one": "Question for Expert_1: why?",
        "two": "Question for Expert_2: and how?",
    }
    assert has_part(text, HEADERS)


def test_a_header_inside_a_sentence_is_read_as_documented():
    text = "I have a Question for Expert_1: why? And a question for expert_2: how?"
    assert split_parts(text, HEADERS) == split_at_headers(text, HEADERS)
    assert not has_part(text, HEADERS)
    with pytest.raises(NotAllActiveChannelsInResponseError):
        split_parts("Question for Expert_1: why?", HEADERS)


@given(st.text())
def test_any_text_is_read(text):
    for last in (False, True):
        for asks in (False, True):
            assert reading(text, last_turn=last, asks=asks) in (
                "accept",
                "reject",
                "message",
                "again",
            )
    assert reading(text, last_turn=True, asks=False) != "message"


@given(st.sampled_from([row for row in ROWS if row[1] in ("accept", "reject")]), st.text("xyz .\n"))
def test_a_verdict_is_found_after_other_lines(row, before):
    text, middle, *_ = row
    alone = re.fullmatch(r"\W*(accept|reject)(ed)?\W*", text, re.IGNORECASE)
    if alone or "{" in text or "<|" in text:
        return  # one word or one document is a verdict only if it is all
    assert reading(f"{before}\n{text}", last_turn=False, asks=False) == middle


def test_the_documented_reading_is_another():
    """What is new is new: the table differs from the documented reading where it should."""
    from nip_core.text.parsing import parse_decision

    fooled = 0
    for text, middle, *_ in ROWS:
        try:
            old = ("reject", "accept", "message")[parse_decision(text)]
        except InvalidDecisionError:
            old = "again"
        fooled += old in ("accept", "reject") and middle in ("message", "again")
    assert fooled >= 20
