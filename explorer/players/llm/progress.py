"""How far a model is with its answer, for whoever waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nip_core.displays import displayed

__all__ = ["Progress", "Stage"]

Stage = Literal["asked", "waiting", "thinking", "writing"]


@displayed
@dataclass(frozen=True, slots=True)
class Progress:
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
