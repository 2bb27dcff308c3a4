"""How well confidence goes with the truth, over many episodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nip_core.play import Episode

__all__ = ["calibrated"]

BINS = 10


def calibrated(episodes: Iterable[Episode]) -> dict[str, Any] | None:
    """Of all that verifiers noted, how much was true, by how sure they were.

    Returns
    -------
    dict, optional
        ``bins`` with anything in them (``from`` and ``to`` in percent, ``count``, the mean
        ``confidence`` and the share that is ``true``, from 0 to 1), the number of ``notes``, and
        the ``brier`` score of all. None without a note.

    Raises
    ------
    PlayError
        If one of the episodes goes on.
    """
    notes: list[tuple[int, int]] = []
    for episode in episodes:
        told = episode.finished()
        for course in told.result().confidence.values():
            notes += [(value, told.task.y) for _, value in course]
    if not notes:
        return None
    bins: list[dict[str, Any]] = []
    for number in range(BINS):
        low, high = 100 * number // BINS, 100 * (number + 1) // BINS
        # 100 % belongs to the last one.
        here = [(v, y) for v, y in notes if low <= v < high or (v == 100 and high == 100)]
        if here:
            bins.append(
                {
                    "from": low,
                    "to": high,
                    "count": len(here),
                    "confidence": sum(v for v, _ in here) / len(here) / 100,
                    "true": sum(y for _, y in here) / len(here),
                }
            )
    brier = sum((v / 100 - y) ** 2 for v, y in notes) / len(notes)
    return {"bins": bins, "notes": len(notes), "brier": round(brier, 4)}
