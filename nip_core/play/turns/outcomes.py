"""The outcome of an episode of a version 2 protocol."""

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
        Each seat's total pay; a Fraction, unless a rule of pay is rounded.
    rewards : mapping of str to tuple of float
        By seat, then by turn.
    on_the_word_of : mapping of str to str
        What is assumed to be true on the word of a seat (or the task), with its source.
    """

    verdict: Value
    paid: Mapping[str, Value]
    rewards: Mapping[str, tuple[float, ...]]
    on_the_word_of: Mapping[str, str]

    @property
    def totals(self) -> dict[str, float]:
        """Each seat's total reward."""
        return {seat: _rounded(amount) for seat, amount in self.paid.items()}


@dataclass(frozen=True, slots=True)
class TurnResult(Tabular):
    """The result of a variation so far.

    Parameters
    ----------
    verdict : option, number or None
        The verdict; None also while the variation goes on.
    decision : {0, 1}, optional
        The verdict, if it is to reject or accept.
    done : bool
        Whether it has ended.
    terminated : bool
        Always False: in version 2, an end without a verdict is an ordinary end.
    right : bool, optional
        Whether the verdict is what is true (``spec.roles.truth``); None if one of them is missing.
    choices : mapping of str to option
        The latest value of each choice, including those of chance and the task.
    paid : mapping of str to number
        Each seat's total pay, exact if possible.
    rewards : mapping of str to tuple of float
        By seat, then by turn.
    on_the_word_of : mapping of str to str
        What is assumed to be true on the word of a seat (or the task), with its source.
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
        """Each seat's total reward in the variation."""
        return {seat: _rounded(amount) for seat, amount in self.paid.items()}

    @property
    def confidence(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """Always empty: in version 2, confidence is a choice."""
        return {}

    @property
    def brier(self) -> dict[str, float]:
        """Always empty: in version 2, estimates are scored by the protocol's pay."""
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
        """Return each seat's pay in each turn, and in total."""
        turns = range(max(map(len, self.rewards.values()), default=0))
        head = ("agent", *(f"turn {shown_round(t)}" for t in turns), "in all")
        return Table(
            head, [(agent, *paid, self.totals[agent]) for agent, paid in self.rewards.items()]
        )


def _rounded(amount: Value) -> float:
    return 0.0 if amount is None else float(amount)
