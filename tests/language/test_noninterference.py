"""Tests of quotes.py and view.py.

What a seat may not see changes nothing in its view, and a view that leaks is caught.
"""

import dataclasses
import json
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nip_core.errors import IllegalMoveError, SpecError
from nip_core.language import Message, Move, Specification, view_for
from nip_core.language.quotes import checked_quotes
from tests.depth import cases, each
from tests.language.playing import deal_of, played
from tests.language.strategies import documents
from tests.language.zoo import everything, published


def shown(view):
    return json.dumps(view.to_dict())


def is_hidden(spec, seat, seen, state):
    return not state.over and not spec.sees(seat, seen, state.place.stage)


def states_of(deal, moves):
    states = [deal.begin()]
    for move in moves:
        states.append(deal.play(states[-1], move))
    return states


def other_worlds(deal, moves, seat):
    """Yield the play with something else where a seat may not look: (what, who sees it, ...)."""
    spec = deal.spec
    for part in spec.parts:
        # A quoted part stays quoted: quotes are shown to readers on purpose.
        parts = deal.parts | {part.name: deal.parts[part.name] + " And more."}
        other = dataclasses.replace(deal, parts=parts)
        yield "part", part.seen, other, states_of(other, moves)
    for number, move in enumerate(moves):
        for channel, text in move.messages.items():
            if move.seat == seat:
                continue
            messages = {**move.messages, channel: f"{text} Also."}
            changed = dataclasses.replace(move, messages=messages)
            try:
                states = states_of(deal, [*moves[:number], changed, *moves[number + 1 :]])
            except IllegalMoveError:
                continue  # too long now
            yield "message", spec.channel(channel).seen, deal, states


def leaks(deal, moves, states, seat, view=view_for):
    """Return what a seat's views reveal that it may not know."""
    found = set()
    for what, seen, other, changed in other_worlds(deal, moves, seat):
        for one, two in zip(states, changed, strict=True):
            if is_hidden(deal.spec, seat, seen, one):
                same = shown(view(deal, one, seat)) == shown(view(other, two, seat))
                found |= set() if same else {what}
    for number, move in enumerate(moves):
        before, after = states[number], states[number + 1]
        if len(before.releases) != len(after.releases):
            continue
        # Another seat's move that waits for the others.
        if move.seat != seat and shown(view(deal, before, seat)) != shown(view(deal, after, seat)):
            found.add("arrival")
        swapped = moves[number : number + 2][::-1]
        if seat not in {m.seat for m in swapped}:
            end = deal.replay([*moves[:number], *swapped])
            if shown(view(deal, end, seat)) != shown(view(deal, states[number + 2], seat)):
                found.add("order")
    return found


@settings(max_examples=cases(300), deadline=None)
@given(documents(), st.integers(0, 1_000))
def test_views_of_random_protocols_reveal_nothing_hidden(document, seed):
    try:
        spec = Specification.from_dict(document)
    except SpecError:
        assume(False)
    rng = random.Random(seed)
    deal = deal_of(spec, seed, rng)
    moves, states = played(deal, rng)
    for seat in spec.seat_names:
        assert leaks(deal, moves, states, seat) == set()


@each(("name", "spec"), everything())
def test_views_of_published_protocols_reveal_nothing_hidden(name, spec):
    rng = random.Random(name)
    deal = deal_of(spec, 1, rng)
    moves, states = played(deal, rng)
    for seat in spec.seat_names:
        assert leaks(deal, moves, states, seat) == set()


def with_parts(deal, state, seat):
    return dataclasses.replace(view_for(deal, state, seat), parts=deal.parts)


def with_all_messages(deal, state, seat):
    view = view_for(deal, state, seat)
    turns = zip(view.turns, state.releases, strict=True)
    turns = tuple(dataclasses.replace(turn, messages=r.messages) for turn, r in turns)
    return dataclasses.replace(view, turns=turns)


def with_count_of_moves(deal, state, seat):
    return dataclasses.replace(view_for(deal, state, seat), facts={"moved": len(state.held)})


def in_order_of_arrival(deal, state, seat):
    return dataclasses.replace(view_for(deal, state, seat), facts={"order": list(state.held)})


def with_oracle(deal, state, seat):
    """Looks quotes up in parts that their author cannot see."""
    view = view_for(deal, state, seat)

    def asked(message):
        return Message(
            message.seat,
            message.channel,
            message.text,
            checked_quotes("<quote>And more</quote>", deal.parts.values()),
        )

    turns = tuple(
        dataclasses.replace(turn, messages=tuple(map(asked, turn.messages))) for turn in view.turns
    )
    return dataclasses.replace(view, turns=turns)


@pytest.mark.parametrize(
    ("view", "name", "seat", "what"),
    [
        (with_parts, "khan_debate", "judge", "part"),
        (with_all_messages, "doubly_efficient_debate", "vera", "message"),
        (with_count_of_moves, "jury", "juror1", "arrival"),
        (in_order_of_arrival, "jury", "juror3", "order"),
        (with_oracle, "khan_debate", "judge", "part"),
    ],
)
def test_planted_leaks_are_caught(view, name, seat, what):
    deal = deal_of(published(name), 1)
    found = set()
    for seed in range(4):
        moves, states = played(deal, random.Random(seed))
        found |= leaks(deal, moves, states, seat, view)
    assert what in found


@each(
    "name",
    ["khan_debate", "michael_debate", "open_debate", "michael_consultancy", "open_consultancy"],
)
def test_a_hidden_passage_never_reaches_a_judge(name):
    deal = deal_of(published(name))
    secret = dataclasses.replace(deal, parts=deal.parts | {"passage": "It was the gardener."})
    _, states = played(secret, random.Random(name))
    assert [
        s for s in states if not s.over and "gardener" in shown(view_for(secret, s, "judge"))
    ] == []
    assert "gardener" in shown(view_for(secret, states[-1], "judge"))


def test_nameless_seats_stay_nameless():
    document = published("khan_debate").to_dict()
    for seat in ("alice", "bob"):
        document["seats"][seat]["anonymous"] = True
    deal = deal_of(Specification.from_dict(document))
    one = deal.replay([Move("alice", {"debate": "Z"}), Move("bob", {"debate": "A"})])
    two = deal.replay([Move("alice", {"debate": "A"}), Move("bob", {"debate": "Z"})])
    assert shown(view_for(deal, one, "judge")) == shown(view_for(deal, two, "judge"))
    assert [m.seat for m in view_for(deal, one, "alice").turns[0].messages] == ["alice", None]
