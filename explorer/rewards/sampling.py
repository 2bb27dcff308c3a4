"""Sampling in steps, so that one sees the means come near to what is exact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler
    from nip_core.values import PlayModel, Sample

__all__ = ["sampled"]

FIRST = 64


def sampled(
    handler: ProtocolHandler, model: PlayModel, most: int, seed: int = 0
) -> Iterator[Sample]:
    """Play episodes, as many again at each step, and give all of them so far.

    Parameters
    ----------
    handler : ProtocolHandler
    model : PlayModel
    most : int
        It ends when so many have been played.
    seed : int
        Of the first step; the next one has the next seed.
    """
    from nip_core.values import sample

    whole = sample(handler, model, min(FIRST, most), seed=seed)
    yield whole
    while whole.episodes < most:
        seed += 1
        # Each as large as all before it, so that the steps are even on a logarithmic axis.
        size = min(whole.episodes, most - whole.episodes)
        whole = whole.merged(sample(handler, model, size, seed=seed))
        yield whole
