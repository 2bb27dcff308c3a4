"""Sampled play: many episodes at once, turn by turn, by a handler's own step or a table of states.

If values cannot be computed exactly (for a subclass whose rules depend on more than the ending),
they can still be sampled; otherwise a sample shows how fast an estimate approaches the exact value.
Episodes are played in chunks, of which only the counts are kept, so memory does not grow with their
number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from nip_core.language import Specification
from nip_core.registry import AnyProtocol
from nip_core.values.bounds import reward_bounds
from nip_core.values.checks import Kind, a_protocol, checked, optional, refuse, whole
from nip_core.values.chunks import Ended, ModelTable, chunk_size, play
from nip_core.values.histograms import Scale, histogram, scales_of
from nip_core.values.judged import judged
from nip_core.values.play_models import MODEL, PlayModel
from nip_core.values.samples import Sample

__all__ = ["rollouts", "sample"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]


def _checked_device(name: str, value: Any) -> None:
    try:
        is_fit = isinstance(value, str | torch.device) and torch.Generator(value)
    except (RuntimeError, AssertionError):
        is_fit = False
    if not is_fit:
        refuse(name, value, "a device that torch has here, such as 'cpu'")


_KINDS: dict[str, Kind] = {
    "handler": a_protocol,
    "model": MODEL,
    "seed": whole(0),
    "chunk": optional(whole(1)),
    "device": _checked_device,
}


@checked(**_KINDS, episodes=whole(1))
def sample(
    handler: AnyProtocol,
    model: PlayModel,
    episodes: int,
    *,
    seed: int = 0,
    chunk: int | None = None,
    device: str | torch.device = "cpu",
) -> Sample:
    """Play a number of episodes; the parameters are those of :func:`rollouts`."""
    *_, last = rollouts(handler, model, seed=seed, chunk=chunk, device=device, episodes=episodes)
    return last


@checked(**_KINDS, episodes=optional(whole(1)))
def rollouts(
    handler: AnyProtocol,
    model: PlayModel,
    *,
    seed: int = 0,
    chunk: int | None = None,
    device: str | torch.device = "cpu",
    episodes: int | None = None,
) -> Iterator[Sample]:
    """Play episodes chunk by chunk, until the caller stops or enough have been played.

    Parameters
    ----------
    handler : ProtocolHandler, Specification, or anything else that identifies a protocol
    model : PlayModel
    seed : int
        The same seed, chunks and kind of device give the same episodes.
    chunk : int, optional
        The number of episodes that are played at once.
    device : str or torch.device
    episodes : int, optional
        The total number.

    Yields
    ------
    sample : Sample
        The results of all episodes so far.
    """
    game = judged(handler)
    size = chunk_size(game, model) if chunk is None else int(chunk)
    table = ModelTable(game, model, torch.device(device))
    generator = torch.Generator(device).manual_seed(int(seed))
    bounds = reward_bounds(game.given)
    scales = scales_of(game, model, bounds)
    played: Sample | None = None
    while episodes is None or played is None or played.episodes < episodes:
        left = size if episodes is None else int(episodes) - (played.episodes if played else 0)
        ended = play(table, min(size, left), generator)
        fresh = _count(game.spec, ended, played, bounds, scales)
        played = fresh if played is None else played.merged(fresh)
        yield played


def _count(
    spec: Specification,
    ended: Ended,
    before: Sample | None,
    bounds: Floats,
    scales: list[Scale],
) -> Sample:
    totals = ended.totals.cpu().numpy()
    verdict = ended.verdict.cpu().numpy()
    histograms = tuple(
        histogram(totals[:, agent], before.histograms[agent] if before else None, scales[agent])
        for agent in range(totals.shape[1])
    )
    return Sample(
        spec=spec,
        episodes=len(verdict),
        verdicts=np.bincount(verdict, minlength=3),
        right=int((ended.verdict == ended.label).sum()),
        rounds=np.array(ended.ends),
        sums=ended.totals.sum(dim=0).cpu().numpy(),
        histograms=histograms,
        bounds=bounds,
    )
