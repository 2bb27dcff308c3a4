"""Tests of answers.py, expected.py, confidence.py, data_in_answers.py, doubts.py, grammar.py,
lines.py, parts.py, plain.py and thoughts.py.

What language models mean by their answers.
"""

import contextlib
import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nip_core.errors import (
    InvalidDecisionError,
    InvalidResponseError,
    NotAllActiveChannelsInResponseError,
)
from nip_core.parameters import HyperParameters
from nip_core.play import Episode, Move
from nip_core.tasks import bundled_tasks
from nip_core.text.answers import REASONS, read_answer
from nip_core.text.confidence import read_confidence
from nip_core.text.expected import VERDICT, Expected
from nip_core.text.parsing import split_at_headers
from nip_core.text.parts import has_part, split_parts
from nip_core.text.thoughts import loose_thought, split_thoughts
from tests.depth import FULL, each
from tests.growth import seconds

TABLE = Path(__file__).parent / "model_answers.txt"
REASONS_TABLE = Path(__file__).parent / "answers_with_reasons.txt"
CONFIDENCES = Path(__file__).parent / "model_confidences.txt"
HEADERS = {"one": "Question for Expert_1:", "two": "Question for Expert_2:"}


def rows_of(table):
    """Yield (the head of the group, the answer) for each answer of a table."""
    _, *groups = table.read_text(encoding="utf-8").split("\n== ")
    for group in groups:
        head, _, body = group.partition("\n")
        yield from ((head.split(), text) for text in body.split("\n--\n"))


ROWS = [(text, head, bool(parts)) for (head, *parts), text in rows_of(TABLE)]
SURE = [(text, None if head == "none" else int(head)) for (head,), text in rows_of(CONFIDENCES)]


def verdict_in(text, *, last=False, parts=False):
    """Return the reading of an answer as a word, or the error."""
    headers = HEADERS if parts else {"main": "Main:"}
    try:
        read = read_answer(text, Expected(VERDICT, headers, instead=True, last=last))
    except InvalidResponseError as error:
        return error
    return read.choices.get("decision", "message")


def reading(text, **options):
    found = verdict_in(text, **options)
    return "again" if isinstance(found, InvalidResponseError) else found


def test_the_table_is_long_and_has_all_readings():
    assert len(ROWS) >= 200
    assert len({text for text, *_ in ROWS}) == len(ROWS)
    assert {head for _, head, _ in ROWS} == {"accept", "reject", "message", "again"}


@each(("text", "expected", "parts"), ROWS)
def test_an_answer_is_read_as_it_is_meant(text, expected, parts):
    assert reading(text, parts=parts) == expected
    assert reading(text, last=True, parts=parts) == expected.replace("message", "again")


@each(
    ("text", "said", "thought"),
    [
        ("plain", "plain", ""),
        ("<think>a</think>b", "b", "<think>a</think>"),
        ("a</think>b</think>c", "c", "a</think>b</think>"),
        ("<think>cut off at the limit", "", "<think>cut off at the limit"),
        ("said\n<think>more", "said", "<think>more"),
        ("a < b and <b> stay, as does x `<think>` in a line", None, ""),
        ("</THINKING> said", "said", "</THINKING>"),
        ("mid-thought, from a template\n</think>\n\nsaid", "said", None),
        ("<think>a <think>b</think> c</think> said", "said", None),
        ("<think>a</think>said<think>b</think>more", "more", None),
        ('<thinking type="deep">a</thinking>said', "said", None),
        ("<thought_process>a</thought_process>said", "said", None),
        ("<think >a</ think>said", "said", None),
        ("[THINK]a[/THINK]said", "said", "[THINK]a[/THINK]"),
        ("[THINK]never closed", "", None),
        ("\u25c1think\u25b7a\u25c1/think\u25b7said", "said", None),
        ("\u25c1think\u25b7never closed", "", None),
        ("<|channel>thought\na<channel|>said", "said", None),
        ("<|channel>thought\nnever closed", "", None),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>said<|END_RESPONSE|>", "said", None),
        (
            "<|begin_of_thought|>a<|end_of_thought|>\n<|begin_of_solution|>said<|end_of_solution|>",
            "said",
            None,
        ),
        ("<think>a</think><answer>said</answer>", "said", None),
        ("<think>a</think><answer>b</answer> said", "<answer>b</answer> said", None),
        ("<answer>alone</answer>", "<answer>alone</answer>", ""),
        ("<seed:think>a</seed:think>said", "said", None),
        ("analysisThe loop is wrong.assistantfinalsaid", "said", None),
        ("analysisThe loop is wrong, and", "", None),
        ("analysis of the loop: said", "analysis of the loop: said", ""),
        ("<scratchpad>\na\n</scratchpad>\nsaid", "said", None),
        ("```thinking\na\n```\nsaid", "said", "```thinking\na\n```"),
        ("```thinking\nnever closed", "", None),
        ("<scratchpad>\nnever closed: Decision: accept", "", None),
        ("said\n<scratchpad>afterthought", "said", "<scratchpad>afterthought"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary"
            "<|message|>b",
            "",
            None,
        ),
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


@each(("text", "percent"), SURE)
def test_how_sure_a_model_is(text, percent):
    assert read_confidence(split_thoughts(text).text) == percent
    assert reading(text, last=True) in ("accept", "reject")


def test_the_table_of_confidences_is_long():
    assert len(SURE) >= 80
    assert len({text for text, _ in SURE}) == len(SURE)


@given(st.text() | st.lists(st.sampled_from([text for text, _ in SURE])).map("\n".join))
def test_any_confidence_is_a_percentage_or_none(text):
    found = read_confidence(text)
    if found is not None:
        assert type(found) is int
        assert 0 <= found <= 100


@each(
    ("text", "loose"),
    [
        ("Scratchpad:\nIt is wrong.\n\nWhy line 3?", True),
        ("**Scratchpad**\nIt is wrong.", True),
        ("## Scratch pad\nIt is wrong.", True),
        ("```scratchpad\nIt is wrong.\n```\nWhy?", True),
        ("The loop ends. [Scratchpad] is a list.", False),
        ("Scratchpad: it is wrong. Message: why?", True),
        ("The scratchpad in line 3 is never used. Why?", False),
        ("Scratchpads are not used. Why?", False),
        ("Why is there a scratchpad: what is it for?", False),
    ],
)
def test_thoughts_under_a_heading_are_noticed(text, loose):
    assert loose_thought(text) is loose


# The parts of answers that make a bad reader slow.
GROWING = [
    *("a", " ", "*", "<", "[", "|", ">", "`", "#", "_", "\n", "0", ".", "%", "-", "{", "(", "\\"),
    *("<think", "<think>", "</think>", "< /", "<|channel|>", "<|channel|>final<|message|>"),
    *("decision", "decision:", "Decision: accept", "Decision: accept ", "verdict is ", "my final "),
    *("confidence", "confidence:", "confidence: 80%", "80% ", "with a high ", "confidence of "),
    *("assistantfinal", "analysisA", "<answer>", "</answer>", "scratchpad ", "```\n", "> ", "so "),
    *("Question for Expert_1:", "Question ", "\n**", "\n- ", "~", "Decision\n", "Confidence\n"),
    *("<|START_RESPONSE|>", "accept ", "is\t", "my ", "80", "80 to ", "<thinking a=b"),
]
SIZES = (2_000, 16_000) if FULL else (1_000, 8_000)
BEFORE = ["", "Decision: ", "<answer>", "Confidence: ", "\n"]


def read_all(text):
    said = split_thoughts(text).text
    for whole in (text, said):
        reading(whole, parts=has_part(whole, HEADERS))
        reading(whole, last=True)
        read_confidence(whole)
        loose_thought(whole)
        with contextlib.suppress(NotAllActiveChannelsInResponseError):
            split_parts(whole, HEADERS)


@pytest.mark.parametrize("part", range(4))
def test_no_answer_makes_the_reader_slow(part):
    """Eight times the text may take eight times as long, and some more; not sixty-four times."""
    for before, piece in itertools.product(BEFORE if FULL else BEFORE[:1], GROWING[part::4]):
        few, many = (before + piece * (size // len(piece)) for size in SIZES)
        limit = 24 * seconds(lambda text=few: read_all(text), tries=2) + 0.05
        taken = seconds(lambda text=many: read_all(text), tries=2, enough=limit)
        assert taken < limit, (before, piece)


@given(st.text("ab \n"), st.text("cd \n"), st.sampled_from(["</think>", "[/THINK]", "</Thinking>"]))
def test_nothing_before_the_last_mark_is_part_of_the_message(thought, said, mark):
    found = split_thoughts(thought + mark + said)
    assert found.text == said.strip()
    assert not set("ab") & set(found.text)


@each("dress", ["{}", "**{}**", "## {}", "- {}", "1. {}", "  *{}*", "**{}** "])
@each("spelling", ["Question for Expert_1:", "question for expert 1:", "x"])
def test_headers_are_found_in_any_markup(dress, spelling):
    if spelling == "x":
        first = dress.format("Question for Expert\\_1").rstrip() + ":"
    else:
        first = dress.format(spelling)
    text = f"Well.\n{first} why?\n\n{dress.format('Question for Expert 2:')}\nand how?\n"
    parts = split_parts(text, HEADERS)
    assert parts == {"one": "why?", "two": "and how?"}
    assert has_part(text, HEADERS)


def test_a_header_inside_a_sentence_is_read_as_documented():
    text = "I have a Question for Expert_1: why? And a question for expert_2: how?"
    parts = split_parts(text, HEADERS)
    cut = split_at_headers(text, HEADERS)
    assert parts["two"] == "how?"
    assert {channel: part.partition(": ")[2] for channel, part in cut.items()} == parts
    assert not has_part(text, HEADERS)
    with pytest.raises(NotAllActiveChannelsInResponseError):
        split_parts("Question for Expert_1: why?", HEADERS)


@given(st.text())
def test_any_text_is_read(text):
    for options in ({}, {"parts": True}, {"last": True}):
        assert reading(text, **options) in ("accept", "reject", "message", "again")
    assert reading(text, last=True) != "message"


def test_the_documented_reading_differs():
    """The table differs from the documented reading where it should."""
    from nip_core.text.parsing import parse_decision

    fooled = 0
    for text, middle, _ in ROWS:
        try:
            old = ("reject", "accept", "message")[parse_decision(text)]
        except InvalidDecisionError:
            old = "again"
        fooled += old in ("accept", "reject") and middle in ("message", "again")
    assert fooled >= 20


def escapes(text):
    return re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), text)


REASONED = [(escapes(text), head) for (head,), text in rows_of(REASONS_TABLE)]


def reason_of(text, **options):
    found = verdict_in(text, **options)
    if not isinstance(found, InvalidResponseError):
        return found
    if not isinstance(found, InvalidDecisionError):
        return "thought"
    assert '"Decision: accept" or "Decision: reject"' in str(found)
    (reason,) = (name for name, start in REASONS.items() if str(found).startswith(start))
    return reason


@each(("text", "expected"), REASONED)
def test_one_rule_reads_every_answer_and_says_what_is_wrong(text, expected):
    assert reason_of(text) == expected
    last = reason_of(text, last=True)
    assert last == ({"message": "owed", "unclear": "owed"}.get(expected, expected))


def test_the_table_of_reasons_is_long_and_has_every_reason_that_a_text_can_have():
    assert len(REASONED) >= 120
    assert len({text for text, _ in REASONED}) == len(REASONED)
    assert {head for _, head in REASONED} >= {*REASONS} - {"owed", "tool", "structure", "retracted"}


@each("protocol", ["nip", "mnip", "debate", "adp"])
def test_every_protocol_reads_a_verdict_by_the_same_rule(protocol):
    episode = Episode(HyperParameters(interaction_protocol=protocol), bundled_tasks()[0])
    while not episode.view_for("verifier").legal.may_decide:
        for agent in episode.to_move:
            channels = episode.view_for(agent).legal.channels
            episode.play(Move(agent, dict.fromkeys(channels, "Line 3 is right.")))
    view = episode.view_for("verifier")
    for text, expected in REASONED:
        if expected in ("accept", "reject"):
            assert view.read_answer(text).decision == (expected == "accept"), text
        elif expected != "message":
            with pytest.raises(InvalidResponseError):
                view.read_answer(text)


@each("said", ["", "Sure! ", "1. ", "**", "Line 3 is right. "])
@each("mark", ["<think>", "<THINKING>", "[THINK]", "<reasoning>", "<|channel|>analysis"])
def test_an_unfinished_thought_is_never_part_of_the_message(said, mark):
    episode = Episode(HyperParameters(interaction_protocol="adp"), bundled_tasks()[0])
    view = episode.view_for("prover")
    with pytest.raises(InvalidResponseError):
        view.read_answer(f"{said}{mark}SECRET\nmore of it")
    assert "SECRET" not in split_thoughts(f"{said}{mark}SECRET\nmore of it").text


def test_a_message_that_is_an_empty_quote_makes_no_choice_doubtful():
    text = "\n".join(
        [*(f"{header} <quote></quote>" for header in HEADERS.values()), "Decision: accept"]
    )
    read = read_answer(text, Expected(VERDICT, HEADERS, instead=False))
    assert read.choices == {"decision": "accept"}
    with pytest.raises(InvalidResponseError):
        read_answer(text.replace("<quote></quote>", ""), Expected(VERDICT, HEADERS, instead=False))
