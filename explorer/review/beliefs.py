"""How sure whoever decided was, round by round, against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from nip_core.displays import displayed
from nip_core.play import Episode

__all__ = ["Course", "courses"]


@displayed
@dataclass(frozen=True, slots=True)
class Course:
    """What a verifier noted of its confidence on a line.

    Parameters
    ----------
    agent : str
    notes : tuple of (round, value)
        Rounds from 0; how likely it thought the statement to be true, in percent.
    brier : float
        The mean of ``(value / 100 - y) ** 2``: 0 is best, and always saying 50 costs 0.25.
    swing : (round, points), optional
        Its largest change, and the round in which it was noted.
    """

    agent: str
    notes: tuple[tuple[int, int], ...]
    brier: float
    swing: tuple[int, int] | None


def courses(episode: Episode, node: int | None = None) -> list[Course]:
    """The course of every verifier that noted anything on a line, the present one by default.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    result = episode.finished().result(node)
    return [
        Course(agent, notes, result.brier[agent], _swing(notes))
        for agent, notes in result.confidence.items()
    ]


def _swing(notes: tuple[tuple[int, int], ...]) -> tuple[int, int] | None:
    changes = [(abs(now - before), -round_id) for (_, before), (round_id, now) in pairwise(notes)]
    points, round_id = max(changes, default=(0, 0))
    return (-round_id, points) if points else None
