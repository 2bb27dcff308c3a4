"""Files of others that were changed anywhere are read, or refused with a reason.

Tests of recorded.py: see ``test_debates_2023.py`` for what is read.
"""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import NipError
from nip_core.transcript.others import read_records
from tests.depth import cases
from tests.odd import changed, json_values
from tests.transcript.others.khan_samples import OF_TEXT, of_lists, spoken, table, transcript
from tests.transcript.others.samples import CONSULTED, FINISHED

MARKS = ["<quote>", "</quote>", "\u202e", "\ud800", "\x1b[2J", "<b>", "NaN", "1e999"]
VALUES = json_values(st.floats(), st.sampled_from(MARKS))
DEBATES = (FINISHED, CONSULTED)
ROWS = (
    transcript(spoken("a <quote>b</quote>"), spoken(judge="Why?")),
    transcript(spoken("a", None), spoken("b", None, judge="Why?"), swap=True),
    of_lists(["a", "b"], ["c", "d"]),
)


def read(content):
    """Read a file; it may be refused, but must not break anything."""
    try:
        records = list(read_records(content))
    except NipError:
        return
    for record in records:
        record.title.encode()
        assert record.episode is not None or record.differences
        assert all(0 <= belief <= 1 for each in record.judgements for belief in each.beliefs)
        if record.episode is not None and record.episode.over:
            assert record.episode.result().totals


@settings(max_examples=cases(200), deadline=None)
@given(changed(DEBATES, VALUES))
def test_changed_debates_of_2023(document):
    read(json.dumps(document))


@settings(max_examples=cases(200), deadline=None)
@given(changed(ROWS, VALUES), st.text(max_size=30), st.text(max_size=10))
def test_changed_rows_of_llm_debate(document, judged, share):
    row = {"transcript": document, "answer_judge": judged, "confidence_correct": share}
    read(table(row).encode("utf-8", "surrogatepass"))


@settings(max_examples=cases(100), deadline=None)
@given(st.text(max_size=60), st.integers(0, len(OF_TEXT)))
def test_changed_texts_of_llm_debate(more, at):
    row = {
        "question": "Q?",
        "correct answer": "Yes, he did.",
        "negative answer": "He did not.",
        "story": "S",
        "transcript": OF_TEXT[:at] + more + OF_TEXT[at:],
    }
    read(table(row).encode("utf-8", "surrogatepass"))


@settings(max_examples=cases(100), deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes(content):
    read(content)
    read(b"transcript,answer_judge\n" + content)
