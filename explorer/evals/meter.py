"""What models are asked for, as it happens."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import anyio

__all__ = ["Meter", "Probation"]


@dataclass
class Meter:
    """Counts the requests of an episode. A subclass may refuse them, or look at what they took.

    Attributes
    ----------
    calls, tokens_in, tokens_out : int
    money : float
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0

    def allow(self) -> None:
        """Count a request that is about to be made; raise to refuse it."""
        self.calls += 1

    @property
    def halted(self) -> str:
        """Why requests on their way are dropped; empty if they are not."""
        return ""

    def asked(self) -> AbstractContextManager[None]:
        """While a request is on its way."""
        return nullcontext()

    def answered(self) -> None:
        """A request was answered."""

    def failed(self, trouble: str) -> None:
        """A request came to nothing, in a way that may pass."""

    def add(self, sent: int, written: int, money: float) -> None:
        """Count what a request took."""
        self.tokens_in += sent
        self.tokens_out += written
        self.money += money


@dataclass
class Probation:
    """Lets a model be asked by one alone until it has answered once.

    Where a key is wrong, that is then found out by one request, and not by as many as there are
    episodes at the same time.

    Attributes
    ----------
    over : bool
    hopeless : str
        Why nobody need ask any more.
    """

    over: bool = False
    hopeless: str = ""
    lock: anyio.Lock = field(default_factory=anyio.Lock)
