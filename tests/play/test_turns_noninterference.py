"""What a seat may not see of a version 2 episode changes nothing that it gets, and leaks show."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import Episode, Move, specification
from nip_core.errors import IllegalMoveError
from nip_core.play import rules
from tests.depth import cases, each
from tests.language.playing import releases, sees_by_hand, turns_of
from tests.language.strategies import accepted, documents
from tests.language.zoo import everything
from tests.noninterference import TURN_SURFACES
from tests.play.turn_players import begun, play_on


def shown(episode, seat):
    return {name: surface(episode, seat) for name, surface in TURN_SURFACES.items()}


def hidden(episode, seat, seen, turn=0):
    """Return whether a seat may not see what happened in a turn."""
    return not episode.over and not sees_by_hand(episode.rules, seat, seen, turns_of(episode), turn)


def copied_to(episode, seat, author, text):
    """Return whether a seat may read a copy of a message."""
    return any(
        message.source
        and (message.seat, message.text) == (author, text)
        and not hidden(episode, seat, episode.rules.channel(message.channel).seen, number)
        for number, release in enumerate(releases(episode))
        for message in release.messages
    )


def copies(node):
    return [(each.source, each.channel) for each in node.release.messages if each.source]


def turns_of_moves(episode):
    """Return the turns in which moves were made, or, held back, are being made."""
    nodes = episode.path()[1:]
    made = [number for number, node in enumerate(nodes) for _ in node.moves]
    return made + [len(nodes)] * len(episode.held)


def replayed(setup, moves):
    """Return the episode after these moves; None if one of them is not allowed now."""
    episode = Episode.from_setup(setup)
    try:
        for move in moves:
            episode.play(move)
    except IllegalMoveError:
        return None
    return episode


def others(episode, moves, seat):
    """Yield the play with something else where a seat may not look: (what, another episode)."""
    spec, setup = episode.rules, episode.setup
    for part in spec.parts:
        if hidden(episode, seat, part.seen):
            task = setup.task
            parts = {**task.parts, part.name: task.parts[part.name] + " And more."}
            changed = dataclasses.replace(setup, task=dataclasses.replace(task, parts=parts))
            yield "part", replayed(changed, moves)
    turns = turns_of_moves(episode)
    for number, (move, turn) in enumerate(zip(moves, turns, strict=True)):
        if move.agent == seat:
            continue
        for channel, text in move.messages.items():
            unseen = hidden(episode, seat, spec.channel(channel).seen, turn)
            if unseen and not copied_to(episode, seat, move.agent, text):
                said = {**move.messages, channel: f"{text} Also."}
                changed = dataclasses.replace(move, messages=said)
                yield "message", replayed(setup, [*moves[:number], changed, *moves[number + 1 :]])
        for name in move.choices:
            if hidden(episode, seat, spec.choice(name).seen, turn):
                for option in spec.options[name][:3]:
                    if option == move.choices[name]:
                        continue
                    changed = dataclasses.replace(move, choices={**move.choices, name: option})
                    other = [*moves[:number], changed, *moves[number + 1 :]]
                    yield "choice", same_play(episode, replayed(setup, other), seat)
    if len(episode.held) > 1:
        count = len(episode.held)
        yield "order", replayed(setup, [*moves[:-count], *reversed(moves[-count:])])
    if episode.held and moves[-1].agent != seat:
        yield "arrival", replayed(setup, moves[:-1])


def same_play(episode, other, seat):
    """Return the other episode, unless the choice steers play, or a value that the seat sees.

    The linter reports both.
    """
    if other is None or [n.place for n in other.path()] != [n.place for n in episode.path()]:
        return None
    for one, two in zip(episode.path(), other.path(), strict=True):
        if one.speakers != two.speakers:
            return None
        # What is copied depends on the choice, which the linter reports.
        if one.release is not None and copies(one) != copies(two):
            return None
    chance = {choice.name for choice in episode.rules.choices if choice.by == "chance"}
    stage = None if other.node.place is None else other.node.place.stage
    told = episode.rules.sight(seat, stage).values
    for one, two in zip(episode.path()[1:], other.path()[1:], strict=True):
        if any(one.release.choices.get(n) != two.release.choices.get(n) for n in chance):
            return None
        if any(one.release.values.get(name) != two.release.values.get(name) for name in told):
            return None
    seats = episode.rules.seat_names
    argued = ([each.view_for(seat).argues for seat in seats] for each in (episode, other))
    return other if next(argued) == next(argued) else None


def leaks(episode, moves):
    """Return what seats can distinguish that they may not, as (what, surface)."""
    found = set()
    for seat in episode.rules.seat_names:
        known = shown(episode, seat)
        for what, other in others(episode, moves, seat):
            if other is not None and not other.over:
                now = shown(other, seat)
                found |= {(what, name) for name in TURN_SURFACES if known[name] != now[name]}
    return found


def check(spec, seed):
    """Compare worlds at every moment of a play; return all leaks."""
    whole, rng = begun(spec, seed)
    play_on(whole, rng)
    moves = [event.move for event in whole.events]
    found = set()
    steps = range(len(moves) + 1)
    for step in sorted(rng.sample(steps, min(6, len(steps)))):
        episode = replayed(whole.setup, moves[:step])
        if not episode.over:
            found |= leaks(episode, moves[:step])
    return found


@settings(max_examples=cases(80), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_seats_of_random_protocols_learn_nothing_else(document, seed):
    assert check(accepted(document), seed) == set()


@each(("name", "spec"), everything())
def test_seats_of_published_protocols_learn_nothing_else(name, spec):
    assert check(spec, 1) == set()


def planted(monkeypatch, change):
    """Make every view leak something."""
    plain = rules.Rules.view

    def view(self, path, agent, **given):
        return change(self, path, plain(self, path, agent, **given))

    monkeypatch.setattr(rules.Rules, "view", view)


def with_part(self, path, view):
    return dataclasses.replace(view, parts=self.setup.task.parts)


def with_choice(self, path, view):
    return dataclasses.replace(view, title=json.dumps(dict(path[-1].registers), default=str))


def with_quotes(self, path, view):
    found = "And more" in "".join(self.setup.task.parts.values())
    return dataclasses.replace(view, title=f"quote found: {found}")


def with_messages(self, path, view):
    return dataclasses.replace(view, title=repr([dict(node.moves) for node in path]))


@pytest.mark.parametrize(
    ("change", "name", "what"),
    [
        (with_part, "khan_debate", "part"),
        (with_quotes, "khan_debate", "part"),
        (with_choice, "legible_prover", "choice"),
        (with_messages, "doubly_efficient_debate", "message"),
    ],
)
def test_planted_leaks_are_caught(monkeypatch, change, name, what):
    planted(monkeypatch, change)
    spec = specification(name)
    assert any(what == leak for seed in range(4) for leak, _ in check(spec, seed))


@pytest.mark.parametrize("what", ["order", "arrival"])
def test_a_leak_of_the_order_of_moves_is_found(monkeypatch, what):
    spec = specification("jury", rounds=1)
    task = {"question": "Who?", "answers": "A, B", "truth": "A"}
    moves = [Move("alice", {"debate": "So."}), Move("bob", {"debate": "No."})]
    moves += [Move(f"juror{n}", choices={f"vote{n}": "A"}) for n in (1, 2)]
    episode = replayed(Episode(spec, task).setup, moves)
    assert leaks(episode, moves) == set()
    plain = Episode.view_for

    def view_for(self, agent, node=None):
        names = [*self.held] if what == "order" else sorted(self.held)
        return dataclasses.replace(plain(self, agent, node), title=repr(names))

    monkeypatch.setattr(Episode, "view_for", view_for)
    assert what in {leak for leak, _ in leaks(episode, moves)}
