"""Random episodes to store, with everything that can happen in one."""

import random

from nip_core.play import Commented, Episode, Seated, Setup
from tests.noninterference import some_move, some_text
from tests.play_worlds import setups

SETUPS = setups(informed=False, seed=3)
NIP = SETUPS["nip"]


def step(rng: random.Random, episode: Episode) -> None:
    """Let one thing happen, most often a move."""
    chance, at = rng.random(), rng.choice([None, "2026-01-02T03:04:05Z"])
    agent = rng.choice(episode.rules.seat_names)
    if not episode.to_move or chance < 0.08:
        episode.goto(rng.randrange(len(episode.nodes)), at=at)
    elif chance < 0.16 and episode.held:
        episode.undo(rng.choice(sorted(episode.held)))
    elif chance < 0.24:
        # What a program records may contain characters that databases refuse in text.
        player = {"kind": "llm", "name": rng.choice(["\0", "\ud800", "\\", '"', "é"]), "n": [{}]}
        episode.apply(Seated(agent=agent, player=player))
    elif chance < 0.32:
        node = rng.randrange(len(episode.nodes))
        episode.apply(Commented(node=node, text=some_text(rng), at=at))
    else:
        mover = rng.choice(episode.to_move)
        origin = rng.choice([{}, {"tokens": 12, "raw": "\0"}])
        episode.play(some_move(rng, episode, mover), at=at, origin=origin)


def played(rng: random.Random, events: int, setup: Setup = NIP) -> Episode:
    """Return an episode in which so many things have happened."""
    episode = Episode.from_setup(setup)
    while len(episode.events) < events:
        step(rng, episode)
    return episode


def finished(setup: Setup = NIP, seed: int = 0) -> Episode:
    """Return an episode that was played to its end."""
    rng, episode = random.Random(seed), Episode.from_setup(setup)
    while not episode.over:
        episode.play(some_move(rng, episode, episode.to_move[0]))
    return episode


def same(first: Episode, second: Episode) -> bool:
    """Return whether two episodes are the same, including what would be written of them."""
    return (
        first.setup.to_dict() == second.setup.to_dict()
        and [e.to_dict() for e in first.events] == [e.to_dict() for e in second.events]
        and first.nodes == second.nodes
        and first.held == second.held
        and first.node == second.node
    )
