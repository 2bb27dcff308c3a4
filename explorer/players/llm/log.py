"""Every request and reply, to be looked at. In memory only, and without keys."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

__all__ = ["Exchange", "RequestLog"]


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
    request: dict[str, Any]
    text: str
    outcome: str
    ok: bool
    tokens_in: int
    tokens_out: int
    seconds: float


class RequestLog:
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

    def add(self, exchange: Exchange) -> None:
        """Note an exchange."""
        self._kept.append(exchange)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What has been noted."""
        return tuple(self._kept)
