"""What has come of an episode of a version 2 protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nip_core.displays import Table, Tabular, displayed, line
from nip_core.language.data import Option
from nip_core.language.expressions import Value
from nip_core.spec import shown_round

__all__ = ["TurnEnding", "TurnResult"]


@displayed
@dataclass(frozen=True, slots=True)
class TurnEnding:
    """What everybody learns when an episode is over.

    Parameters
    ----------
    verdict : option, number or None
    paid : mapping of str to number
        What each seat got in all; a Fraction, unless a rule of pay is rounded.
    rewards : mapping of str to tuple of float
        By seat, then by turn.
    on_the_word_of : mapping of str to str
        What is only true because a seat (or the task) said so, and who did.
    """

    verdict: Value
    paid: Mapping[str, Value]
    rewards: Mapping[str, tuple[float, ...]]
    on_the_word_of: Mapping[str, str]

    @property
    def totals(self) -> dict[str, float]:
        """Each seat's reward for the whole episode."""
        return {seat: _rounded(amount) for seat, amount in self.paid.items()}


@dataclass(frozen=True, slots=True)
class TurnResult(Tabular):
    """How a line has gone so far.

    Parameters
    ----------
    verdict : option, number or None
        What has come out; None while it goes on, too.
    decision : {0, 1}, optional
        The verdict, if it is to reject or accept.
    done : bool
        Has it ended?
    terminated : bool
        Never: that an episode ends without a verdict is an ending like any other.
    right : bool, optional
        Is the verdict what the task's ``truth`` is? None where this is no question.
    choices : mapping of str to option
        What has been chosen last, by anybody, chance and the task included.
    paid : mapping of str to number
        What each seat got in all, as exact as it is.
    rewards : mapping of str to tuple of float
        By seat, then by turn.
    on_the_word_of : mapping of str to str
        What is only true because a seat (or the task) said so, and who did.
    tainted : frozenset of str
    """

    verdict: Value
    decision: int | None
    done: bool
    terminated: bool
    right: bool | None
    choices: Mapping[str, Option]
    paid: Mapping[str, Value]
    rewards: Mapping[str, tuple[float, ...]]
    on_the_word_of: Mapping[str, str]
    tainted: frozenset[str]

    @property
    def totals(self) -> dict[str, float]:
        """Each seat's reward for the whole line."""
        return {seat: _rounded(amount) for seat, amount in self.paid.items()}

    @property
    def confidence(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """Nothing: how sure a seat is, it says by a choice."""
        return {}

    @property
    def brier(self) -> dict[str, float]:
        """Nothing: what an estimate is worth, the protocol's pay says."""
        return {}

    def __repr__(self) -> str:
        if not self.done:
            return line(self, "not over")
        verdict = "no verdict" if self.verdict is None else f"verdict {self.verdict}"
        judged = {True: ["right"], False: ["wrong"], None: list[str]()}[self.right]
        paid = (f"{agent} {reward:+g}" for agent, reward in self.totals.items())
        known = [f"tainted for {', '.join(sorted(self.tainted))}"] if self.tainted else []
        return line(self, verdict, *judged, *paid, *known)

    def table(self) -> Table:
        """Return what each seat was paid in each turn, and in all."""
        turns = range(max(map(len, self.rewards.values()), default=0))
        head = ("agent", *(f"turn {shown_round(t)}" for t in turns), "in all")
        return Table(
            head, [(agent, *paid, self.totals[agent]) for agent, paid in self.rewards.items()]
        )


def _rounded(amount: Value) -> float:
    return 0.0 if amount is None else float(amount)
