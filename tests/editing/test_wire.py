"""Tests of arguments.py, work.py: whatever a browser sends is made or refused."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.editing import GESTURES, Draft, History, do, template
from nip_core.errors import EditError, SpecError
from tests.depth import cases, exhaustive
from tests.editing.steps import draft_of
from tests.odd import json_values

ODD = (
    *(None, True, -1, 0, 1, 2, 10**9, 10**40, -(10**18), 0.5, 1e300, "", " ", "x" * 200),
    *("judge", "verdict", "end", "start", "true", "1e999999999", "9" * 39, "\0", "\ud800", "((("),
    *([], [[]], {}, {"judge": 1}, ["judge"], {"from": 0, "to": 10**12}, ["A"] * 2_000, [[1, 2]]),
)
values = st.sampled_from(ODD) | json_values(st.floats())


@st.composite
def sent(draw):
    """Draw what may come over the wire: a gesture with some odd arguments, or anything at all."""
    name = draw(st.sampled_from([*GESTURES]) | values)
    if not (isinstance(name, str) and name in GESTURES) or draw(st.integers(0, 9)) == 0:
        return name, draw(values)
    known = GESTURES[name].parameters.checks
    return name, {key: draw(values) for key in known if draw(st.integers(0, 9))}


def right(draft, name, arguments):
    """Make what was sent, and check that it was made as a whole or refused unchanged."""
    before = json.dumps(draft.document)
    result = do(draft, name, arguments)
    assert json.dumps(draft.document) == before
    if result.refused is None:
        assert Draft.read(result.draft.document).spec == result.draft.spec
    else:
        assert result.draft is draft
        assert len(result.refused.message) > 10
        assert "Traceback" not in result.refused.message
    return result


@settings(max_examples=cases(120), deadline=None)
@given(sent())
def test_what_is_sent_is_made_or_refused(message):
    right(draft_of("open_debate"), *message)


@exhaustive
@settings(max_examples=cases(6_000), deadline=None)
@given(sent(), st.sampled_from(["jury", "mnip", "trusted_monitor", "pixel_debate"]))
def test_whatever_is_sent_to_other_protocols_is_made_or_refused(message, name):
    right(draft_of(name), *message)


@exhaustive
@pytest.mark.parametrize("name", [*GESTURES])
def test_each_odd_value_in_each_place(name):
    fitting = {"seat": "judge", "stage": 0, "turn": 0, "choice": "verdict", "channel": "debate"}
    parameters = GESTURES[name].parameters.checks
    known = {key: fitting[key] for key in parameters if key in fitting}
    for parameter, odd in product(parameters, ODD):
        right(draft_of("open_debate"), name, {**known, parameter: odd})


PLACES = (
    *(("protocol",), ("seat", 0), ("part", 0), ("channel", 0), ("choice", 0), ("setting", 0)),
    *(("stage", 0), ("turn", 0, 0), ("act", 0, 0, 0), ("pay", 0), ("limit", 0), ("title", 0)),
)
FIELDS = ("", "title", "seen", "options", "by", "turns", "name", "titles", "stages", "pay", "to")


@exhaustive
def test_each_odd_value_of_any_field():
    draft = draft_of("trusted_monitor")
    for place, field, odd in product(PLACES, FIELDS, ODD):
        right(draft, "set_field", {"place": [*place], "field": field, "value": odd})


def test_a_title_that_is_no_text():
    result = right(
        draft_of("jury"), "set_field", {"place": ["seat", 0], "field": "title", "value": 2}
    )
    assert "not a text" in result.refused.message


def test_an_unknown_name_says_which_there_are():
    result = do(draft_of("open_debate"), "clear", {"seat": "juge", "stage": 0, "turn": 0})
    assert "Did you mean 'judge'?" in result.refused.message
    result = do(draft_of("open_debate"), "wriet")
    assert "Did you mean 'write'?" in result.refused.message


def test_a_member_of_a_family_means_the_family():
    draft = draft_of("jury")
    result = do(draft, "see", {"kind": "part", "name": "answers", "seat": "juror2", "since": "end"})
    assert result.refused is None
    assert result.draft.document["parts"]["answers"]["seen"] == {
        "everyone": "start",
        "juror": "end",
    }


KEPT = template("debate").to_plain()


@settings(max_examples=cases(80), deadline=None)
@given(values, st.sampled_from(["format", "first", "steps", "at"]))
def test_a_history_from_elsewhere_is_read_or_refused(value, key):
    try:
        history = History.from_plain({**KEPT, key: value})
    except (EditError, SpecError):
        return
    else:
        assert history.draft.spec is not None
