"""How far a model is with its answer, and every request and reply, in memory and without keys."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal

from nip_core.displays import Table, Tabular, displayed, line

__all__ = ["AnswerProgress", "Exchange", "RequestLog", "Stage"]

Stage = Literal["asked", "waiting", "thinking", "writing"]


@displayed
@dataclass(frozen=True, slots=True)
class AnswerProgress:
    """What goes on at the moment.

    Parameters
    ----------
    stage : str
        The model has been asked, is waited for because of some trouble, thinks, or writes.
    attempt, attempts : int
        Which request this is, and how many are made at most.
    trouble : str
        Why there is more than one, or why one waits, without anything that a prompt or an answer
        may have in it.
    pause : float
        Seconds until the next request.
    thought : int
        Tokens of thoughts so far.
    written : int
        Words of the answer so far.
    tokens : int
        Used for this move so far, with all that came to nothing.
    cost : float, optional
        Of those, by the person's own prices.
    """

    stage: Stage
    attempt: int = 1
    attempts: int = 1
    trouble: str = ""
    pause: float = 0.0
    thought: int = 0
    written: int = 0
    tokens: int = 0
    cost: float | None = None

    @property
    def for_others(self) -> str:
        """What those who may not know what the model thinks and writes are told."""
        if self.stage == "waiting":
            return f"{self.trouble} The next request comes in {self.pause:.0f} s.{self._count}"
        return f"{self.trouble}{self._count}".strip() if self.attempt > 1 else ""

    @property
    def for_its_seat(self) -> str:
        """The same for the seat that the model plays."""
        doing = {
            "asked": "It has been asked.",
            "waiting": self.for_others,
            "thinking": f"It is thinking: {self.thought:,} tokens so far.",
            "writing": f"It is writing: {self.written:,} words so far.",
        }[self.stage]
        again = self.for_others if self.stage != "waiting" else ""
        paid = "" if self.cost is None else f", {self.cost:.4g} by your own prices"
        used = f"{self.tokens:,} tokens used{paid}." if self.tokens else ""
        return " ".join(filter(None, (doing, again, used)))

    @property
    def _count(self) -> str:
        return f" (Attempt {self.attempt} of {self.attempts}.)" if self.attempts > 1 else ""


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
