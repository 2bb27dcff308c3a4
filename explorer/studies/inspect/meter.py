"""What models are asked for, as it happens."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

import anyio

from explorer.usage import Usage

__all__ = ["FirstCallGate", "Meter"]


@dataclass
class Meter:
    """Counts the requests of an episode. A subclass may refuse them, or look at what they took.

    Attributes
    ----------
    used : Usage
    """

    used: Usage = field(default_factory=Usage)

    def allow(self) -> None:
        """Count a request that is about to be made; raise to refuse it."""
        self.used += Usage(calls=1)

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

    def add(self, usage: Usage) -> None:
        """Count what a request took, which was counted itself before it was made."""
        self.used += replace(usage, calls=0)


@dataclass
class FirstCallGate:
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
