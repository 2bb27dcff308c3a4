"""Tests of work.py, draft.py, cells.py, choices.py, course.py, things.py, anything.py.

Random gestures are made, or refused with nothing changed; each can be undone exactly.
"""

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.editing import Draft, apply, do
from nip_core.editing.work import GESTURES
from nip_core.errors import SpecError
from tests.depth import cases, each, exhaustive, seeds
from tests.editing.at_random import ALL, gesture_at_random, play_to_the_end
from tests.editing.steps import TWO_PROVERS, draft_of, made
from tests.language import strategies


def checked_gesture(draft, rng):
    """Make a random gesture, check all that is promised of it, and return what came of it."""
    name, arguments = gesture_at_random(rng, draft.document)
    before = json.dumps(draft.document)
    result = do(draft, name, arguments)
    assert json.dumps(draft.document) == before, "documents are never changed in place"
    if result.refused is not None:
        assert result.draft is draft
        assert result.edits == ()
        assert result.refused.message
        return result
    assert result.words
    assert result.words[0].islower(), result.words
    assert "…" not in result.words, (name, result.words)
    back, forth = apply(result.draft.document, result.back)
    assert json.dumps(back) == before, (name, arguments)
    again, _ = apply(back, result.edits)
    assert json.dumps(again) == json.dumps(result.draft.document), (name, arguments)
    del forth
    return result


def walk(seed, steps):
    """Make random gestures one after the other, from a shipped protocol or from nothing."""
    rng = random.Random(seed)
    draft = draft_of(rng.choice(ALL)) if seed % 3 else Draft.blank()
    for _ in range(steps):
        result = checked_gesture(draft, rng)
        # A play that takes too long says nothing new.
        if result.draft.spec.longest <= 300:
            draft = result.draft
    return draft, rng


def tried(seed, steps):
    draft, rng = walk(seed, steps)
    assert play_to_the_end(draft.spec, rng) >= 0
    if seed % 10 == 0:
        draft.spec.lint()


@each("seed", range(12))
def test_random_gestures_are_legal_or_refused_unchanged(seed):
    tried(seed, 4)


@exhaustive
@each("seed", seeds(500))
def test_5000_random_gestures(seed):
    tried(seed, 20)


def walk_from(document, seed, steps):
    """Make random gestures from a random protocol, and play what comes of it."""
    try:
        draft = Draft.read(document)
    except SpecError:
        return
    rng = random.Random(seed)
    for _ in range(steps):
        result = checked_gesture(draft, rng)
        if result.draft.spec.longest <= 300:
            draft = result.draft
    play_to_the_end(draft.spec, rng)


@settings(max_examples=cases(20), deadline=None)
@given(strategies.documents(), st.integers(0, 10**6))
def test_random_gestures_from_random_protocols(document, seed):
    walk_from(document, seed, 3)


@exhaustive
@settings(max_examples=cases(600), deadline=None)
@given(strategies.documents(), st.integers(0, 10**6))
def test_more_random_gestures_from_random_protocols(document, seed):
    walk_from(document, seed, 8)


def test_every_gesture_has_words_and_a_sentence():
    for gesture in GESTURES.values():
        assert gesture.words[0].islower()
        assert gesture.about.endswith("."), gesture.name
        assert gesture.parameters.checks is not None


def test_a_block_of_cells_is_copied():
    draft = draft_of("khan_debate")
    arguments = {"stage": 0, "turn": 0, "to_stage": 0, "to_turn": 1, "seats": ["bob"]}
    result = do(draft, "copy_cells", arguments)
    assert [act.seat for act in result.draft.spec.stages[0].turns[1].acts] == ["bob"]
    assert result.words == "copy cells of debater B to turn 2 of “arguments”"


def test_who_knows_the_truth():
    draft = draft_of("khan_debate")
    result = do(draft, "know_truth", {"seats": ["alice"]})
    assert result.draft.spec.roles.experts == ("alice",)
    renamed = do(result.draft, "rename", {"kind": "seat", "name": "alice", "new": "ann"})
    assert renamed.draft.spec.roles.experts == ("ann",)


def test_turns_of_a_family_that_acts_one_by_one_are_one_turn_of_the_document():
    result = do(draft_of("jury"), "one_by_one", {"seat": "juror", "stage": 1, "turn": 0})
    assert len(result.draft.spec.stages[1].turns) == 3
    assert result.draft.turn_numbers(1) == [0, 0, 0]
    assert draft_of("mnip").turn_numbers(0) == [0, 1]


def test_a_turn_goes_and_the_only_one_is_empty_again():
    draft = made(Draft.blank(), *TWO_PROVERS)
    for left in (1, 1):
        draft = made(draft, ("remove_turn", {"stage": 0, "turn": 0}))
        assert len(draft.spec.stages[0].turns) == left
    assert draft.spec.stages[0].turns[0].acts == ()
