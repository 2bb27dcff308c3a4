"""The outcome of an episode: what everybody learns at the end, and the result of a variation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nip_core.displays import Table, Tabular, displayed, line
from nip_core.language.data import Option
from nip_core.language.expressions import Value
from nip_core.spec import shown_round
from nip_core.tasks import Exposing

__all__ = ["Ending", "Result"]


def _rounded(amount: Value) -> float:
    return 0.0 if amount is None else float(amount)


@displayed
@dataclass(frozen=True, slots=True)
class Ending:
    """What everybody learns when an episode is over.

    Parameters
    ----------
    verdict : option, number or None
    decision : {0, 1}, optional
        The verdict, if it is to reject or accept.
    paid : mapping of str to number
        Each seat's total pay; a Fraction, unless a rule of pay is rounded.
    rewards : mapping of str to tuple of float
        By seat, then by turn.
    on_the_word_of : mapping of str to str
        What is assumed to be true on the word of a seat (or the task), with its source.
    y : {0, 1}, optional
        The label of a task with a statement; None for other tasks.
    explanation : str, optional
    exposing : Exposing, optional
    proof : object
        A proof of the truth, if the task has one: for two isomorphic graphs, the renaming of nodes.
    stances : mapping of str to (int or None)
        The verdict that each seat argues for, in a protocol of rounds.
    """

    verdict: Value
    decision: int | None
    paid: Mapping[str, Value]
    rewards: Mapping[str, tuple[float, ...]]
    on_the_word_of: Mapping[str, str]
    y: int | None = None
    explanation: str | None = None
    exposing: Exposing | None = None
    proof: object = None
    stances: Mapping[str, int | None] = field(default_factory=dict[str, int | None])

    @property
    def totals(self) -> dict[str, float]:
        """Each seat's total reward."""
        return {seat: _rounded(amount) for seat, amount in self.paid.items()}


@dataclass(frozen=True, slots=True)
class Result(Tabular):
    """The result of a variation so far.

    Parameters
    ----------
    verdict : option, number or None
        The verdict; None also while the variation goes on.
    decision : {0, 1}, optional
        The verdict, if it is to reject or accept.
    done : bool
        Whether it has ended; in a protocol of rounds, by a verdict.
    terminated : bool
        Whether a protocol of rounds has run out of them without a verdict.
    right : bool, optional
        Whether the verdict is what is true (``rules.roles.truth``); None if one of them is missing.
    choices : mapping of str to option
        The latest value of each choice, including those of chance and the task.
    values : mapping of str to value
        What the rules have worked out.
    paid : mapping of str to number
        Each seat's total pay, exact if possible.
    rewards : mapping of str to tuple of float
        By seat, then by turn.
    on_the_word_of : mapping of str to str
        What is assumed to be true on the word of a seat (or the task), with its source.
    confidence : mapping of str to tuple of (turn, value)
        The confidence that verifiers noted with their moves, in percent.
    brier : mapping of str to float
        The mean of (confidence / 100 - y)^2: 0 is best, and always saying 50 gives 0.25.
    tainted : frozenset of str
    """

    verdict: Value
    decision: int | None
    done: bool
    terminated: bool
    right: bool | None
    choices: Mapping[str, Option]
    values: Mapping[str, Value]
    paid: Mapping[str, Value]
    rewards: Mapping[str, tuple[float, ...]]
    on_the_word_of: Mapping[str, str]
    confidence: Mapping[str, tuple[tuple[int, int], ...]]
    brier: Mapping[str, float]
    tainted: frozenset[str]

    @property
    def totals(self) -> dict[str, float]:
        """Each seat's total reward in the variation."""
        return {seat: _rounded(amount) for seat, amount in self.paid.items()}

    def __repr__(self) -> str:
        if not (self.done or self.terminated):
            return line(self, "not over")
        verdict = "no verdict" if self.verdict is None else f"verdict {self.verdict}"
        judged = {True: ["right"], False: ["wrong"], None: list[str]()}[self.right]
        paid = (f"{agent} {reward:+g}" for agent, reward in self.totals.items())
        known = [f"tainted for {', '.join(sorted(self.tainted))}"] if self.tainted else []
        return line(self, verdict, *judged, *paid, *known)

    def table(self) -> Table:
        """Return each seat's reward in each turn, and in total."""
        turns = range(max(map(len, self.rewards.values()), default=0))
        head = ("agent", *(f"turn {shown_round(turn)}" for turn in turns), "in all")
        return Table(
            head, [(agent, *paid, self.totals[agent]) for agent, paid in self.rewards.items()]
        )
