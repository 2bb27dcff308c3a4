"""Tests of history.py, templates.py: gestures to undo, redo, keep, replay and merge."""

import json
import random

import pytest

from nip_core.editing import TEMPLATES, Draft, History, template
from nip_core.errors import EditError, UnknownNameError
from tests.depth import each
from tests.editing.at_random import gesture_at_random, play_to_the_end
from tests.editing.steps import AT, draft_of


def same(one, other):
    return json.dumps(one.draft.document) == json.dumps(other.draft.document)


@each("name", TEMPLATES)
def test_templates_can_be_played_and_replayed(name):
    history = template(name)
    assert len(history.steps) == len(TEMPLATES[name])
    play_to_the_end(history.draft.spec, random.Random(1))
    drafts = [*history.drafts()]
    assert len(drafts) == len(history.steps) + 1
    assert drafts[-1][1].document == history.draft.document
    assert all(words for words, _ in drafts[1:])


def test_undo_redo_and_jump():
    history = template("debate")
    passed = [history]
    while history.can_undo:
        history = history.undo()
        passed.append(history)
    assert json.dumps(history.draft.document) == json.dumps(Draft.blank().document)
    for earlier in reversed(passed[:-1]):
        history = history.redo()
        assert same(history, earlier)
    assert not history.can_redo
    assert same(history.jump(3), passed[-4])
    assert history.redo() is history
    # A new gesture forgets what was undone.
    shorter, _ = history.jump(3).do("add_seat", {"title": "Critic"})
    assert len(shorter.steps) == 4


@each("seed", range(6))
def test_random_histories_are_kept_and_undone(seed):
    rng = random.Random(seed)
    history = History.of(draft_of("open_debate"))
    for _ in range(12):
        history, _ = history.do(*gesture_at_random(rng, history.draft.document))
    kept = History.from_plain(json.loads(json.dumps(history.to_plain())))
    assert same(kept, history)
    assert [step.words for step in kept.steps] == [step.words for step in history.steps]
    assert json.dumps(history.jump(0).draft.document) == json.dumps(history.first)
    assert same(history.jump(0).jump(history.at), history)


def test_a_history_that_was_undone_is_kept_so():
    history = template("one prover").jump(4)
    kept = History.from_plain(history.to_plain())
    assert kept.at == 4
    assert kept.can_redo
    assert same(kept, history)


def test_words():
    history = History.of(draft_of("michael_debate"))
    arguments = {"kind": "part", "name": "passage", "seat": "judge", "since": "start"}
    history, result = history.do("see", arguments)
    assert result.words == "let the judge read the passage"
    history, result = history.do("see", {**arguments, "since": None})
    assert result.words == "let the judge never read the passage"


def test_two_tabs_are_merged():
    base = template("one prover")
    one, _ = base.do("add_seat", {"title": "Critic"})
    two, _ = base.do("repeat", {"stage": 0, "times": 2})
    two, _ = two.do("add_part", {"title": "hint"})
    both, left = one.merged(two)
    assert left == ()
    assert "critic" in both.draft.document["seats"]
    assert both.draft.document["stages"][0]["times"] == 2
    # What does not fit any more is said.
    removed, _ = base.do("remove", {"kind": "seat", "name": "prover"})
    acting, _ = base.do("clear", {"seat": "prover", "stage": 0, "turn": 1})
    _, left = removed.merged(acting)
    assert len(left) == 1
    assert "There is no seat 'prover'" in left[0]
    with pytest.raises(EditError, match="begin with the same"):
        one.merged(History.of(draft_of("jury")))


def test_tabs_that_merge_each_other_again_and_again_come_to_have_the_same():
    base = template("one prover")
    one, _ = base.do("add_seat", {"title": "Critic"})
    one, _ = one.do("repeat", {"stage": 0, "times": 3})
    two, _ = base.do("add_part", {"title": "hint"})
    here, _ = one.merged(two)
    there, _ = two.merged(one)
    assert here.steps != there.steps
    for _ in range(3):
        here, there = here.merged(there)[0], there.merged(here)[0]
    assert here.steps == there.steps
    assert len(here.steps) == len(base.steps) + 3
    assert here.draft == there.draft
    # What another tab does not know yet is kept.
    assert here.merged(base) == (here, ())
    assert base.merged(here) == (here, ())


def test_what_is_refused_is_no_step():
    history = template("nothing")
    same_history, result = history.do("decide", {"by": "nobody", **AT})
    assert same_history is history
    assert result.refused is not None


def test_unknown_templates():
    with pytest.raises(UnknownNameError, match="There is no template"):
        template("debte")


@each(
    "data, words",
    [([], "no history of a"), ({"format": "nip-history/1", "steps": 3}, "has a list of")],
)
def test_what_is_no_history(data, words):
    with pytest.raises(EditError, match=words):
        History.from_plain(data)


def test_a_place_that_is_not_there():
    with pytest.raises(EditError, match="is no place among"):
        template("nothing").jump(7)
