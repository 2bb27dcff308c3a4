"""Random players, what they write, and plays as values: each move makes a new one."""

import random
from copy import copy

from nip_core.errors import IllegalMoveError
from nip_core.play import Episode, Material, Setup
from nip_core.play import Move as PlayedMove

PART = "The butler, it seems, was in the garden."
TEXTS = (
    "So.",
    "No, never.",
    "<quote>was in the garden</quote>",
    "See: <quote>it seems</quote> and <quote>the moon</quote>",
    "<quote></quote>",
)


def Move(seat, messages=None, choices=None):
    """Return a move without a note of confidence and the like."""
    return PlayedMove(seat, {} if messages is None else messages, choices=choices or {})


def deal_of(spec, seed=0, rng=None, **facts):
    """Return a setup with texts for all parts, and random facts."""
    rng = rng or random.Random(seed)
    drawn = {
        each.name: rng.choice(spec.options[each.name]) for each in spec.drawn if each.by == "task"
    }
    return Setup(spec, Material({part.name: PART for part in spec.parts}, {**drawn, **facts}), seed)


def begin(setup):
    """Return an episode at its beginning."""
    return Episode.from_setup(setup)


def after(episode, *moves):
    """Return another episode, with these moves made."""
    episode = copy(episode)
    for move in moves:
        episode.play(move)
    return episode


def releases(episode):
    """Return what the turns of an episode have revealed."""
    return [node.release for node in episode.path()[1:]]


def sees_by_hand(spec, seat, seen, turns, number):
    """Return whether a seat sees what happened in a turn, by a slow look at all that followed.

    Parameters
    ----------
    turns : list of Place
        The places of the turns that were played, then the present one (None at the end).
    number : int
        The number of the turn.
    """
    since = dict(seen).get(seat)
    now = turns[-1]
    if since in (None, "start"):
        return since == "start"
    if now is None or since == "end":
        return now is None
    if since == "end of stage":
        return any(place.stage != turns[number].stage for place in turns[number:])
    if since == "end of repetition":
        return any(place[:2] != turns[number][:2] for place in turns[number:])
    return now.stage >= [stage.name for stage in spec.stages].index(since)


def turns_of(episode):
    """Return the places of the turns that were played, and of the present one."""
    return [release.place for release in releases(episode)] + [episode.node.place]


def random_move(episode, seat, rng):
    """Return a legal move of a seat, found from its view."""
    legal, made = episode.legal(seat), {}
    for name in legal.choices:
        made[name] = rng.choice(legal.open_options(name, made))
    silent = legal.is_silent(episode.rules, made)
    texts = list(TEXTS)
    rng.shuffle(texts)
    for text in (*texts, "So."):
        left_out = silent or (legal.optional and rng.random() < 0.5)
        move = Move(seat, {} if left_out else dict.fromkeys(legal.channels, text), made)
        try:
            episode.verify(move)
        except IllegalMoveError:
            continue
        return move
    raise AssertionError("somebody can make no move")


def played(setup, rng):
    """Play to the end; return all moves, and the episode after each."""
    states, moves = [begin(setup)], []
    while not states[-1].over:
        seat = rng.choice(states[-1].to_move)
        moves.append(random_move(states[-1], seat, rng))
        states.append(after(states[-1], moves[-1]))
    return moves, states
