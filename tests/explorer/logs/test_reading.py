"""Tests of archive.py, citations.py, errors.py, log.py, plan.py, reading.py, traces.py, words.py.

Logs of Inspect as trees of branches. ``test_writing.py`` of studies tests the archive's limits.
"""

import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.logs import Log, LogError, cited, is_log, plan, reading
from explorer.logs.words import MOST_TEXT
from nip_core.errors import NipError
from tests.depth import cases, each
from tests.explorer.logs.samples import (
    EVENTS,
    LONG,
    TASK,
    anchor,
    as_json,
    as_zip,
    branch,
    message,
    model,
    opened,
    sample,
    within,
)


def read(*events, **more):
    """Return the trace of a sample."""
    return Log(as_json(sample(list(events) if events else EVENTS, **more))).trace(0)


def said(trace, number=0):
    """Return who says what in a branch."""
    return [(entry.who, entry.text.partition("\n")[0]) for entry in trace.path(number)]


@each("make", [as_json, as_zip])
def test_a_log_is_a_tree_of_branches(make):
    content = make(sample())
    assert is_log(content)
    log = Log(content)
    assert log.names == ["one_epoch_1"]
    assert (log.header.task, log.header.models) == ("harm", ("lab/large",))
    (trace,) = log.traces()
    assert repr(trace) == "Trace('one', 12 entries, 3 branches, 2 scores)"
    assert [each.name for each in trace.branches] == ["main", "other", "deeper"]
    assert trace.outline() == [(0, 0), (1, 3), (2, 5)]
    look = [("user", "Do <b>it</b>."), ("untrusted", "I look."), ("bash", "done")]
    harm = [("user", "Do harm."), ("untrusted", "Harm.")]
    assert said(trace, 1) == [*look, *harm][:5]
    assert said(trace, 2)[:5] == [*look, *harm]
    assert said(trace, 2)[5:] == [("agent", "Deeper.")]
    rest = [who for who, _ in said(trace)[3:]]
    assert rest == ["user", "untrusted", "user", "monitor", "harm", "info"]


def test_what_a_model_was_given_is_known():
    trace = read()
    by_text = {
        entry.text.splitlines()[0][:8]: entry.number for entry in trace.entries if entry.text
    }
    assert trace.readers(0) == ["untrusted", "monitor"]
    seen = trace.seen_by(0, "monitor")
    assert seen == {by_text["Is it ha"], by_text["No."]}
    assert by_text["Done."] in trace.seen_by(0, "untrusted")
    assert by_text["Harm."] not in trace.seen_by(0, "untrusted")
    assert by_text["Harm."] in trace.seen_by(1, "untrusted")


def test_long_texts_are_kept_in_part():
    (entry,) = [entry for entry in read().entries if entry.left_out]
    assert entry.text == LONG[:MOST_TEXT]
    assert entry.left_out == len(LONG) - MOST_TEXT


def test_scores_cite_entries():
    trace = read()
    harm, unscored = trace.scores
    assert unscored.value == "no score (grader_failed)"
    pieces = [(piece.text, piece.entry) for piece in cited(harm.explanation, harm, trace)]
    texts = {entry.number: entry.text for entry in trace.entries}
    places = {text: texts[number].splitlines()[0] for text, number in pieces if number}
    assert places == {"[M2]": "I look.", "[1]": "done", "[M4]": LONG[:MOST_TEXT], "[b1]": "Harm."}
    assert "".join(text for text, _ in pieces) == harm.explanation
    assert trace.branch_of(trace.places["b1"]) == 1
    assert trace.branch_of(trace.places["m5"]) == 0


def test_a_point_that_is_not_in_the_log_is_said():
    events = [model([TASK], "I look.", "m2"), opened("x", "branch")]
    trace = read(*events, *within("x", branch("nowhere"), model([TASK], "Else.", "x1")))
    assert trace.branches[1].problem == "The log does not say where it departs."
    assert said(trace, 1)[-1] == ("lab/large", "Else.")


def test_a_branch_may_depart_from_the_beginning_or_from_a_message():
    events = [anchor("start"), model([TASK], "A.", "m2"), model([TASK], "B.", "m3")]
    for point, before in (("start", 0), ("m1", 1), ("m2", 2)):
        spans = [opened("x", "branch"), *within("x", branch(point), model([TASK], "C.", "x1"))]
        trace = read(*events, *spans)
        assert trace.branches[1].at == before
        assert said(trace, 1)[-1] == ("lab/large", "C.")


def test_a_span_without_a_branch_event_is_no_branch():
    trace = read(opened("x", "branch"), *within("x", model([TASK], "Here.", "x1")))
    assert [each.name for each in trace.branches] == ["main"]
    assert said(trace)[-1] == ("lab/large", "Here.")


def test_timelines_have_branches_too():
    events = [model([TASK], text, name) for text, name in (("A.", "m2"), ("B.", "m3"))]
    item = {"type": "event", "event": "e-m3"}
    other = {"type": "span", "name": "tried", "content": [item], "branched_from": "m1"}
    inner = {"type": "span", "content": [{"type": "event", "event": "e-m2"}], "branches": [other]}
    root = {"type": "span", "content": [inner], "branches": []}
    trace = read(*events, timelines=[{"name": "own", "root": root}])
    assert said(trace) == [("user", "Do <b>it</b>."), ("lab/large", "A.")]
    assert said(trace, 1) == [("user", "Do <b>it</b>."), ("lab/large", "B.")]


def test_attempts_that_failed_are_branches_of_their_own():
    retry = {"message": "It broke.", "events": [model([TASK], "Tried.", "t1")]}
    trace = read(model([TASK], "Done.", "m2"), error_retries=[retry, "x"])
    assert [each.name for each in trace.branches] == [
        "main",
        "attempt 1, which failed",
        "attempt 2, which failed",
    ]
    assert said(trace, 1)[1:] == [("lab/large", "Tried."), ("error", "It broke.")]


def test_a_log_without_events_has_its_messages():
    trace = read({"event": "error", "error": {"message": "It stopped."}})
    assert said(trace)[:2] == [("system", "Be good."), ("user", "Do <b>it</b>.")]
    assert said(trace)[-1] == ("error", "It stopped.")


def test_content_may_be_in_parts_and_errors_are_shown():
    parts = [
        {"type": "reasoning", "reasoning": "Hm."},
        {"type": "text", "text": "Yes."},
        {"type": "image", "image": "data:..."},
        "plain",
        {"type": 3},
    ]
    failed = {**model([TASK], "", "m2"), "output": {}, "error": "Too long."}
    broken = {"event": "tool", "function": "bash", "result": "a", "error": {"message": "b"}}
    trace = read(model([message("user", parts, "p")], "A.", "m1"), failed, broken)
    assert (
        trace.entries[0].text == "[reasoning] Hm.\n\nYes.\n\n[image]\n\nplain\n\n[something else]"
    )
    assert [entry.text for entry in trace.entries[-2:]] == ["Too long.", "a\nError: b"]


def test_texts_of_others_have_no_commands():
    trace = read(model([message("user", "\x1b[2J \u202e \ud800", "p")], "A.", "m1"))
    assert trace.entries[0].text == "\\x1b[2J \\u202e \\ud800"


def test_what_is_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "MOST_READ", 10)
    with pytest.raises(LogError, match="were given more than 10 messages in all"):
        read(
            model([[0, 10**9]], "A.", "x"), model([[0, 10**9]], "A.", "x"), model([[0, 5]], "", "y")
        )
    monkeypatch.setattr(reading, "MOST_EVENTS", 1)
    with pytest.raises(LogError, match="The sample has 15 events; read are 1"):
        read()
    monkeypatch.setattr(reading, "MOST_EVENTS", 50_000)
    monkeypatch.setattr(plan, "MOST_BRANCHES", 1)
    with pytest.raises(LogError, match="The sample has 2 branches; read are 1"):
        read()
    deep = {"type": "span"}
    for _ in range(105):
        deep = {"type": "span", "content": [deep]}
    with pytest.raises(LogError, match="timeline is nested too deeply"):
        read(model([TASK], "A.", "m2"), timelines=[{"root": deep}])


def test_further_entries_are_counted(monkeypatch):
    monkeypatch.setattr(reading, "MOST_ENTRIES", 2)
    trace = read()
    assert len(trace.entries) == 2
    assert trace.left_out > 0


@each(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"{}", "The log's description is None; in a log of Inspect it is an object"),
        (b"PK\x03\x04", "it has no end"),
        (as_zip("{" * 300), "nested too deeply"),
        (as_zip("[]"), "is a list; in a log of Inspect it is an object"),
        (as_zip('{"id": 1' + "0" * 5_000 + "}"), "a number has over"),
        (as_zip(b'{"x": "' + b"0" * 21_000_000 + b'"}'), "is larger than what is read"),
        (as_zip("{}", method=zipfile.ZIP_BZIP2), "compressed in a way"),
        (b"{" + b" " * 5_000_000, "at most 5,000,000 are read"),
    ],
)
def test_hostile_files_are_refused(content, reason):
    with pytest.raises(LogError, match=reason):
        list(Log(content).traces())


def test_other_files_are_no_logs():
    assert not is_log(b'{"format": "nip-transcript/1"}')
    assert is_log(b' {"version": 2, "eval": {}}')


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(st.characters(), max_size=12)
    | st.sampled_from(["m1", "m2", "here", "agent", "other", "attachment://long", "model", "user"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value, at=()):
    """Yield the place of each value in a document."""
    yield at
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*at, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from places(item, (*at, number))


PLACES = [at for at in places(sample()) if at]


@settings(max_examples=cases(400), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), PLAIN), min_size=1, max_size=4))
def test_changed_logs_are_read_or_refused(changes):
    document = json.loads(json.dumps(sample()))
    for path, value in changes:
        at = document
        try:
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    try:
        trace = Log(as_json(document)).trace(0)
    except NipError:
        return
    for number in range(len(trace.branches)):
        path = [entry.number for entry in trace.path(number)]
        assert len(set(path)) == len(path)
        for who in trace.readers(number):
            assert trace.seen_by(number, who) <= set(path)
    for score in trace.scores:
        assert "".join(each.text for each in cited(score.explanation, score, trace)) == (
            score.explanation
        )
    assert json.dumps([entry.text for entry in trace.entries]).isascii()
