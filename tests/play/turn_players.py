"""Random players of version 2 episodes, which use only a seat's view."""

import random

from nip_core import Episode, Move
from nip_core.errors import IllegalMoveError
from nip_core.language.totals import open_for_total
from tests.language.playing import PART, TEXTS


def given(spec, rng):
    """Return a task for a protocol: a text for each part, and random facts."""
    facts = {c.name: rng.choice(spec.options[c.name]) for c in spec.drawn if c.by == "task"}
    return {**{part.name: PART for part in spec.parts}, **facts}


def begun(spec, seed):
    rng = random.Random(seed)
    return Episode(spec, given(spec, rng), seed), rng


def random_turn(view, rng):
    """Return a legal move of a seat, made from its view alone."""
    legal, made = view.legal, {}
    names = [*legal.choices]
    for number, name in enumerate(names):
        options = legal.choices[name]
        if legal.total is not None:
            rest = [legal.choices[other] for other in names[number + 1 :]]
            options = open_for_total(options, rest, legal.total - sum(made.values()))
        made[name] = rng.choice(options)
    texts = [*TEXTS]
    rng.shuffle(texts)
    silent = legal.is_silent(view.rules, made)
    for text in (*texts, "So."):
        said = {} if silent else dict.fromkeys(legal.channels, text)
        move = Move(view.agent, said, choices=made)
        try:
            view.verify(move)
        except IllegalMoveError:
            continue
        return move
    raise AssertionError("somebody can make no move")


def play_on(episode, rng):
    """Play an episode to the end of its variation."""
    while not episode.over:
        seat = rng.choice(episode.to_move)
        episode.play(random_turn(episode.view_for(seat), rng))
