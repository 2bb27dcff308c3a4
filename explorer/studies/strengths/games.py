"""Who plays against whom, and one such game. The same numbers give the same games everywhere."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache

from explorer.players import play_out
from explorer.players.scripted import (
    DEFAULT_LEVEL,
    LEVELS,
    STRATEGIES,
    scripted_player,
    scripted_record,
)
from nip_core.displays import displayed
from nip_core.documents import stable_hash
from nip_core.parameters import HyperParameters
from nip_core.play import Episode
from nip_core.registry import protocol_names, protocol_spec
from nip_core.tasks import DIFFICULTIES, Task, bundled_tasks, graph_task

__all__ = ["GAMES", "StrengthGame", "matches", "play"]

# Games of each pair about each kind of task; half of the statements are true.
GAMES = {"code": 36, "graphs": 12}
# Pairs of graphs are made from a seed; so many of each difficulty and label take part.
GRAPH_SEEDS = 4


@displayed
@dataclass(frozen=True, slots=True, order=True)
class StrengthGame:
    """A verifier against provers.

    Parameters
    ----------
    protocol : str
    strategy, level : str
        The verifier's.
    against : str
        The provers' level; empty where there are none.
    about : {"code", "graphs"}
    """

    protocol: str
    strategy: str
    level: str
    against: str
    about: str


def matches() -> Iterator[StrengthGame]:
    """All pairs, in every protocol that has a verifier, about every kind of task."""
    for protocol in protocol_names():
        has_provers = bool(protocol_spec(HyperParameters(interaction_protocol=protocol)).provers)
        for each in STRATEGIES.values():
            levels = tuple(LEVELS) if each.has_levels else (DEFAULT_LEVEL,)
            against = tuple(LEVELS) if has_provers else ("",)
            for level, other, about in itertools.product(levels, against, GAMES):
                yield StrengthGame(protocol, each.name, level, other, about)


@cache
def _tasks(about: str, y: int) -> tuple[Task, ...]:
    if about == "code":
        return tuple(task for task in bundled_tasks() if task.y == y)
    return tuple(
        graph_task(seed, difficulty=difficulty, isomorphic=y == 1)
        for difficulty in DIFFICULTIES
        for seed in range(GRAPH_SEEDS)
    )


def play(match: StrengthGame, number: int) -> bool:
    """Play one of the games of a match; was the verdict right?

    Even numbers are about true statements, odd ones about false.
    """
    drawn = stable_hash("nip-strengths/1", *asdict(match).values(), number // 2)
    y = 1 - number % 2
    tasks = _tasks(match.about, y)
    # One after the other, from a place that is drawn, so that all matches together use all tasks.
    first = stable_hash("nip-strengths-first/1", *asdict(match).values())
    task = tasks[(int.from_bytes(first[:4]) + number // 2) % len(tasks)]
    seed = int.from_bytes(drawn[:3])
    parameters = HyperParameters(interaction_protocol=match.protocol)
    episode = Episode(parameters, task, seed)
    setup = episode.setup
    players = {
        agent: scripted_player(
            setup,
            agent,
            scripted_record(seed, agent, match.level, match.strategy)
            if agent in setup.spec.verifiers
            else scripted_record(seed, agent, match.against),
        )
        for agent in setup.spec.agent_names
    }
    play_out(episode, players)
    return episode.result().decision == y
