"""Plays that go on in a protocol that was changed."""

import random

import pytest

from explorer.players import RandomPlayer, step
from nip_core.editing import Rename, template
from nip_core.play import Continued, Episode, Move, Setup, continued, sample_task
from nip_core.registry import protocol_names, published_names, specification
from tests.depth import each
from tests.editing.at_random import gesture_at_random

FIRST = {"stage": 0, "turn": 0}


def game(rules, seed=1):
    return Episode.from_setup(Setup(rules, sample_task(rules, seed), seed))


def played(rules, seed=1, moves=50):
    episode = game(rules, seed)
    players = dict.fromkeys(rules.seat_names, RandomPlayer(seed))
    for _ in range(moves):
        if step(episode, players) is None:
            break
    return episode


def said(episode):
    return [[*node.moves.values()] for node in episode.path()[1:] if node.moves]


def edits_of(before, after):
    return [edit for step in after.steps[before.at :] for edit in step.edits]


@each("name", [*protocol_names(), *published_names()])
def test_in_the_same_protocol_it_goes_on_from_the_same_position(name):
    rules = specification(name)
    for seed in range(3):
        episode = played(rules, seed, 2 + seed)
        found = continued(episode, rules)
        assert found.is_whole, found.why
        assert said(found.episode) == said(episode)
        assert found.episode.node.place == episode.node.place
        assert found.episode.node.registers == episode.node.registers
        assert found.episode.held == episode.held
        assert found.turns == found.of == len(said(episode))


def one_prover():
    history = template("one prover")
    episode = game(history.draft.spec)
    for move in (
        Move("verifier", {"main": "Why?"}, choices={"verdict": "wait"}),
        Move("prover", {"main": "So."}),
    ):
        episode.play(move)
    return history, episode


def test_a_later_change_leaves_the_position_and_an_earlier_one_offers_the_nearest():
    history, episode = one_prover()
    more, _ = history.do("repeat", {"stage": 0, "times": 9})
    assert continued(episode, more.draft.spec).is_whole
    less, result = history.do("write", {"seat": "prover", "channel": "main", "on": False,
                                        "stage": 0, "turn": 1})  # fmt: skip
    assert result.refused is None
    found = continued(episode, less.draft.spec)
    assert (found.turns, found.of) == (1, 2)
    assert found.why == "The prover does not act there any more."
    assert said(found.episode) == said(episode)[:1]
    # Undoing the change brings the position back.
    assert continued(episode, less.undo().draft.spec).is_whole


def test_a_seat_that_has_to_act_as_well_is_named():
    history, episode = one_prover()
    joined, result = history.do("write", {"seat": "prover", "channel": "main", **FIRST})
    assert result.refused is None
    found = continued(episode, joined.draft.spec)
    assert found.turns == 0
    assert found.why == "The prover would have to act as well."


def test_a_play_goes_on_under_new_names():
    history, episode = one_prover()
    renamed = history
    for gesture, arguments in (
        ("rename", {"kind": "seat", "name": "prover", "new": "expert"}),
        ("rename", {"kind": "channel", "name": "main", "new": "talk"}),
        ("rename", {"kind": "choice", "name": "verdict", "new": "ruling"}),
    ):
        renamed, result = renamed.do(gesture, arguments)
        assert result.refused is None, result.refused
    edits = edits_of(history, renamed)
    found = continued(episode, renamed.draft.spec, [e for e in edits if isinstance(e, Rename)])
    assert found.is_whole, found.why
    assert [m.agent for moves in said(found.episode) for m in moves] == ["verifier", "expert"]
    assert not continued(episode, renamed.draft.spec).is_whole


def test_what_was_drawn_stays_and_new_parts_have_a_text():
    history = template("debate")
    episode = played(history.draft.spec, 3, 1)
    more, result = history.do("add_part", {"title": "hint"})
    assert result.refused is None
    found = continued(episode, more.draft.spec)
    assert found.is_whole
    assert "stands for" in found.episode.setup.task.parts["hint"]
    assert found.episode.path()[0].registers == episode.path()[0].registers


def test_a_protocol_that_is_too_long_to_be_played_says_so():
    history, episode = one_prover()
    longer, result = history.do("repeat", {"stage": 0, "times": 900})
    assert result.refused is None
    found = continued(episode, longer.draft.spec)
    assert found.episode is None
    assert "at most" in found.why


@pytest.mark.parametrize("name", ["debate", "audits", "critique"])
def test_after_any_gesture_the_part_that_is_left_is_legal(name):
    source = random.Random(name)
    history = template(name)
    episode = played(history.draft.spec, 2, 6)
    stopped = 0
    for _ in range(60):
        gesture, arguments = gesture_at_random(source, history.draft.document)
        made, result = history.do(gesture, arguments)
        if result.refused is not None or not result.edits:
            continue
        found = continued(
            episode, made.draft.spec, [e for e in result.edits if isinstance(e, Rename)]
        )
        assert isinstance(found, Continued)
        stopped += not found.is_whole
        if found.episode is not None:
            # Of its last turn, a move may be missing now.
            lacks = found.turns - len(said(found.episode))
            assert lacks == 0 or (lacks == 1 and found.is_whole and found.episode.held)
            # It is played by the rules of the changed protocol alone.
            again = Episode.from_setup(found.episode.setup, found.episode.events)
            assert again.node.registers == found.episode.node.registers
    assert stopped
