"""What was recorded: how verifiers decided, and what everybody was paid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from nip_core.play import NO_DECISION, Episode
from nip_core.spec import ProtocolSpec

__all__ = ["recorded_play", "recorded_rewards"]


def recorded_play(
    episodes: Iterable[Episode], spec: ProtocolSpec
) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """The label, the seed and the verifier's decisions of every line that was played to its end."""
    found: list[tuple[int, int, tuple[int, ...]]] = []
    for episode, leaf in _finished(episodes):
        moves = [node.moves.get(spec.verifier) for node in episode.path(leaf)[1:]]
        decisions = tuple(NO_DECISION if move is None else move.decision for move in moves)
        found.append((episode.task.y, episode.setup.seed, decisions))
    return tuple(found)


def recorded_rewards(episodes: Iterable[Episode]) -> pd.DataFrame:
    """``seat`` and ``reward`` of every line that was played to its end."""
    rows: list[dict[str, Any]] = []
    for episode, leaf in _finished(episodes):
        totals = episode.result(leaf).totals
        rows += [{"seat": seat, "reward": total} for seat, total in totals.items()]
    return pd.DataFrame(rows, columns=["seat", "reward"])


def _finished(episodes: Iterable[Episode]) -> Iterator[tuple[Episode, int]]:
    """Every line that was played to its end, by its last node."""
    for episode in episodes:
        yield from ((episode, leaf.id) for leaf in episode.leaves if leaf.over)
