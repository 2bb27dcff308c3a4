"""Random players, and what they write."""

import random

from nip_core.errors import IllegalMoveError
from nip_core.language import Deal, Move

PART = "The butler, it seems, was in the garden."
TEXTS = (
    "So.",
    "No, never.",
    "<quote>was in the garden</quote>",
    "See: <quote>it seems</quote> and <quote>the moon</quote>",
    "<quote></quote>",
)


def deal_of(spec, seed=0, rng=None, **facts):
    """Return a deal with texts for all parts, and random facts."""
    rng = rng or random.Random(seed)
    drawn = {
        each.name: rng.choice(spec.options[each.name]) for each in spec.drawn if each.by == "task"
    }
    return Deal(spec, {part.name: PART for part in spec.parts}, {**drawn, **facts}, seed)


def random_move(deal, state, seat, rng):
    """Return a legal move of a seat, found from its view."""
    legal, made = deal.legal(state, seat), {}
    act = deal._act(state, seat)
    for name, options in legal.choices.items():
        if legal.total is not None:
            options = deal.machine.open_options(act, name, state.registers, made)
        made[name] = rng.choice(options)
    silent = deal.spec.expression(legal.silent).value({**state.registers, **made})
    texts = list(TEXTS)
    rng.shuffle(texts)
    for text in (*texts, "So."):
        move = Move(seat, {} if silent else dict.fromkeys(legal.say, text), made)
        try:
            deal.verify(state, move)
        except IllegalMoveError:
            continue
        return move
    raise AssertionError("somebody can make no move")


def played(deal, rng):
    """Play to the end; return all moves, and the states between them."""
    states, moves = [deal.begin()], []
    while not states[-1].over:
        seat = rng.choice(deal.to_move(states[-1]))
        moves.append(random_move(deal, states[-1], seat, rng))
        states.append(deal.play(states[-1], moves[-1]))
    return moves, states
