"""The episodes of ours in an untrusted log of Inspect, one sample at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard, cast

from explorer.logs import LIMITS, Archive, ArchiveLimits, LogHeader, object_of, text_of
from nip_core.displays import displayed
from nip_core.documents import canonical
from nip_core.errors import NipError
from nip_core.play import Episode
from nip_core.transcript import dump, load

# The name of our transcript in a sample's store. It is kept as a text, since Inspect compares the
# store before and after every step, which takes long for nested data.
STORED = "nip_transcript"
MOST_EPOCHS = 1_000_000


@displayed
@dataclass(frozen=True, slots=True)
class LogSample:
    """One sample of a log."""

    id: str
    epoch: int
    metadata: Mapping[str, Any]  # untrusted text, like everything else here
    episode: Episode | None  # replayed from the transcript; None if the sample has no valid one
    problem: str = ""  # why there is no episode


def stored(episode: Episode) -> str:
    """Return an episode in the form of a sample's store."""
    return canonical(dump(episode))


def read_log(
    content: bytes, limits: ArchiveLimits = LIMITS
) -> tuple[LogHeader, Iterator[LogSample]]:
    """Read the content of an ``.eval`` or ``.json`` file; return its header and its samples.

    A LogError says that it is not a log, or exceeds a limit. Each sample is read on request: a
    LogError from the iterator ends the file; a sample without an episode of ours has a ``problem``.
    """
    archive = Archive(content, limits)
    return archive.header, map(_sample, archive.samples())


def _sample(document: object) -> LogSample:
    fields = object_of(document, "A sample")
    name, epoch = text_of(fields.get("id")), fields.get("epoch")
    metadata = fields.get("metadata")
    store = fields.get("store")
    about: Mapping[str, Any] = (
        cast("dict[str, object]", metadata) if isinstance(metadata, dict) else {}
    )
    stored = cast("dict[str, object]", store).get(STORED) if isinstance(store, dict) else None
    number = epoch if is_epoch(epoch, 1) else 1
    if not isinstance(stored, dict | str):
        return LogSample(name, number, about, None, "It holds no episode of a protocol.")
    try:
        episode = load(cast("dict[str, object] | str", stored))
    except NipError as error:
        return LogSample(name, number, about, None, str(error))
    if not episode.over:
        return LogSample(name, number, about, None, "Its episode has not come to an end.")
    return LogSample(name, number, about, episode)


def is_epoch(value: object, first: int) -> TypeGuard[int]:
    """Return whether a value is a valid epoch number, counted from `first`."""
    return type(value) is int and first <= value <= MOST_EPOCHS
