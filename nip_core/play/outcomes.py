"""The result of a variation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nip_core.displays import Table, Tabular, line
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS

__all__ = ["Result"]


@dataclass(frozen=True, slots=True)
class Result(Tabular):
    """The result of a variation so far.

    Parameters
    ----------
    decision : {0, 1}, optional
        The verdict that counted.
    done, terminated : bool
    right : bool, optional
        Whether the verdict is the truth; None without a verdict.
    rewards : mapping of str to tuple of float
        By agent, then by round.
    totals : mapping of str to float
    confidence : mapping of str to tuple of (round, value)
        Each verifier's confidence, in percent.
    brier : mapping of str to float
        The mean of (confidence / 100 - y)^2: 0 is best, and always saying 50 gives 0.25.
    tainted : frozenset of str
    """

    decision: int | None
    done: bool
    terminated: bool
    right: bool | None
    rewards: Mapping[str, tuple[float, ...]]
    totals: Mapping[str, float]
    confidence: Mapping[str, tuple[tuple[int, int], ...]]
    brier: Mapping[str, float]
    tainted: frozenset[str]

    def __repr__(self) -> str:
        if not (self.done or self.terminated):
            return line(self, "not over")
        verdict = "no verdict" if self.decision is None else VERDICTS[self.decision]
        judged = {True: ["right"], False: ["wrong"], None: list[str]()}[self.right]
        paid = (f"{agent} {reward:+g}" for agent, reward in self.totals.items())
        known = [f"tainted for {', '.join(sorted(self.tainted))}"] if self.tainted else []
        return line(self, verdict, *judged, *paid, *known)

    def table(self) -> Table:
        """Return each agent's reward in each round, and in total."""
        rounds = range(max(map(len, self.rewards.values()), default=0))
        head = ("agent", *(f"round {shown_round(r)}" for r in rounds), "in all")
        return Table(
            head, [(agent, *paid, self.totals[agent]) for agent, paid in self.rewards.items()]
        )
