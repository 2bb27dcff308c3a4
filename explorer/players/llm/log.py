"""Every request and reply, to be looked at. In memory only, and without keys."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from nip_core.displays import Table, Tabular, displayed, line

__all__ = ["Exchange", "RequestLog"]


@displayed
@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came of it.

    Parameters
    ----------
    at : str
        When it was sent.
    host : str
    request : dict
        The body: model, messages and options.
    text : str
        What was received, be it only a part.
    outcome : str
        Why the answer ended, or what went wrong, in words.
    ok : bool
    tokens_in, tokens_out : int
    seconds : float
    """

    at: str
    host: str
    request: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    outcome: str
    ok: bool
    tokens_in: int
    tokens_out: int
    seconds: float


class RequestLog(Tabular):
    """The latest exchanges, the oldest first.

    They show what a seat was told: before the end of an episode they are for the eyes of that
    seat only.

    Parameters
    ----------
    size : int
        How many are kept.
    """

    def __init__(self, size: int = 100) -> None:
        self._kept: deque[Exchange] = deque(maxlen=size)

    def __repr__(self) -> str:
        return line(self, f"{len(self._kept):,} requests")

    def table(self) -> Table:
        """What was asked where, and what came of it; not what was said."""
        names = "at", "host", "outcome", "tokens_in", "tokens_out", "seconds"
        return Table(names, [tuple(getattr(each, n) for n in names) for each in self._kept])

    def add(self, exchange: Exchange) -> None:
        """Note an exchange."""
        self._kept.append(exchange)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What has been noted."""
        return tuple(self._kept)
