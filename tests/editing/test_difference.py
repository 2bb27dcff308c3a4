"""Tests of difference.py, edits.py, forms.py, meaning.py, naming.py: edits and their inverses."""

import json
from functools import cache

from hypothesis import given, settings

from nip_core import specification
from nip_core.editing import BLANK, apply, apply_one, difference, from_nothing, from_plain, to_plain
from nip_core.language import load_specification
from tests.depth import FULL, cases, each, exhaustive
from tests.editing.at_random import ALL
from tests.language import strategies


@cache
def document_of(name):
    return specification(name).to_dict()


def built(document):
    """Build a protocol from nothing; every step must be legal, and undone exactly."""
    now, undo = dict(BLANK), []
    for edit in from_nothing(document):
        assert from_plain(json.loads(json.dumps(to_plain(edit)))) == edit
        before = now
        now, back = apply_one(now, edit)
        assert json.dumps(apply_one(now, back)[0]) == json.dumps(before), edit
        load_specification(now)
        undo.append(back)
    return now, undo


@each("name", ALL if FULL else ALL[::6])
def test_every_protocol_is_built_from_nothing_and_every_step_is_legal(name):
    document = document_of(name)
    now, undo = built(document)
    assert now == document
    assert load_specification(now) == specification(name)
    for back in reversed(undo):
        now, _ = apply_one(now, back)
    assert json.dumps(now) == json.dumps(BLANK)


def leads(before, after):
    """Check the edits from one document to another, and those that undo them."""
    made, back = apply(before, difference(before, after))
    # A document may have an empty table that another one leaves out.
    assert {k: v for k, v in made.items() if v} == {k: v for k, v in after.items() if v}
    assert load_specification(made) == load_specification(after)
    assert json.dumps(apply(made, back)[0]) == json.dumps(before)


@each("name", ALL)
def test_edits_lead_from_any_protocol_to_the_next_ones(name):
    place = ALL.index(name)
    for step in (1, 7, 20) if FULL else (7,):
        leads(document_of(name), document_of(ALL[(place + step) % len(ALL)]))


@exhaustive
@settings(max_examples=cases(200), deadline=None)
@given(strategies.documents(), strategies.documents())
def test_random_documents_are_reached_and_built(one, other):
    specs = [strategies.accepted(document) for document in (one, other)]
    for spec in specs:
        now, _ = built(spec.to_dict())
        assert load_specification(now) == spec
    leads(specs[0].to_dict(), specs[1].to_dict())
    leads(one, other)


def test_nothing_leads_to_itself():
    for name in ALL:
        assert difference(document_of(name), document_of(name)) == []
