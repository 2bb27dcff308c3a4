r"""Why the mid-point estimate is not the mean, in parts that add up.

Let `D` be the chance of a verdict, :math:`p_+` that of a right one, `N` = 1 - `D`, and `G` what is
paid on average for going on. With the rewards `R` (right), `W` (wrong) and `T` (the rounds run
out), the verifier's mean is :math:`p_+ R + (D - p_+) W + N T + G`, and the mid-point is
:math:`m = (R + W) / 2`. So

.. math::

    \text{mean} - m = N (T - m) + (p_+ - D/2)(R - W) + G .

For a prover with a side `s`, paid `P` if that is the verdict (chance :math:`p_s`), the mid-point is
`P/2` and

.. math::

    \text{mean} - P/2 = -N P / 2 + (p_s - D/2) P .
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nip_core.displays import Table, Tabular, line
from nip_core.handler import ProtocolHandler
from nip_core.handler.rules import UNDECIDED
from nip_core.values.checks import HANDLER, checked, instance
from nip_core.values.exact import ExactValues

__all__ = ["MidPoint", "mid_point"]

NEGLIGIBLE = 1e-9


@dataclass(frozen=True, slots=True)
class MidPoint(Tabular):
    """A seat's mid-point estimate beside its mean.

    Parameters
    ----------
    estimate, mean : float
    parts : mapping of str to float
        What the difference is made of: ``"no verdict"``, ``"bias"`` (of verdicts towards the
        truth, or towards a side), ``"going on"``, ``"shared"`` (the prover gets the verifier's
        reward instead), ``"no side"``, ``"fine"`` (of an adversarial verifier), ``"rules"`` (what a
        subclass pays beyond the documented rules).
    size : float
        The largest number that went into it: what is smaller by nine digits counts as 0.
    """

    estimate: float
    mean: float
    parts: Mapping[str, float]
    size: float = 1.0

    def __repr__(self) -> str:
        return line(self, f"estimate {self.estimate:.4g}", f"mean {self.mean:.4g}")

    def table(self) -> Table:
        """The estimate, what has to be added to it, and the mean."""
        rows = {"estimate": self.estimate, **self.parts, "mean": self.mean}
        return Table(("part", "amount"), list(rows.items()))

    def is_zero(self, part: float) -> bool:
        """Is a part no more than rounding?"""
        return abs(part) <= NEGLIGIBLE * self.size

    @property
    def is_equal(self) -> bool:
        """Is the estimate the mean?"""
        return self.is_zero(self.mean - self.estimate)

    @property
    def is_sure(self) -> bool:
        """Is it the mean because no part plays a role?

        This is sufficient: the difference is the sum of the parts, so that it is 0 if all of them
        are. It holds for the verifier if every episode ends with a verdict that is right as often
        as wrong, and nothing is paid for going on; for a prover if every episode ends with a
        verdict that is its side half of the time, and it is paid for that. It is not necessary:
        parts may cancel each other, by accident.
        """
        return all(map(self.is_zero, self.parts.values()))


@checked(handler=HANDLER, values=instance(ExactValues, "what exact_values gives"))
def mid_point(handler: ProtocolHandler, values: ExactValues, agent: str) -> MidPoint:
    """A seat's mid-point estimate, its mean, and what the difference is made of."""
    spec, payoff = handler.spec, handler.payoff
    estimate, mean = handler.reward_mid_point_estimate(agent), values.mean(agent)
    role = spec.agent(agent).role
    silent = values.verdicts["none"]
    parts: dict[str, float] = {}
    if role == "verifier":
        spread = payoff.verifier_reward - payoff.verifier_incorrect_penalty
        parts = {
            "no verdict": silent * (payoff.verifier_terminated_penalty - estimate),
            "bias": (values.right - (1 - silent) / 2) * spread,
            "going on": values.components(agent)["going on"][1],
        }
    elif role == "adversarial_verifier":
        parts = {"fine": mean}
    elif role == "prover" and payoff.shared_reward:
        parts = {"shared": values.mean(spec.verifier) - estimate}
    elif role == "prover" and not handler.draws_prover_stance and spec.agent(agent).stance is None:
        parts = {"no side": -estimate}
    elif role == "prover":
        parts = {
            "no verdict": -silent * estimate,
            "bias": (_wins(handler, values, agent) - (1 - silent) / 2) * payoff.prover_reward,
        }
    size = float(np.abs(values.endings.totals[:, spec.agent_index(agent)]).max())
    size = max(size, abs(estimate), abs(mean), *map(abs, parts.values()))
    rest = mean - estimate - sum(parts.values())
    if abs(rest) > NEGLIGIBLE * size:
        parts["rules"] = rest
    return MidPoint(estimate, mean, parts, size)


def _wins(handler: ProtocolHandler, values: ExactValues, agent: str) -> float:
    """How often the verdict is a prover's side."""
    ends = values.endings
    side = ends.stance if handler.draws_prover_stance else handler.spec.agent(agent).stance
    hits = (ends.verdict == side) & (ends.verdict != UNDECIDED)
    return float(ends.probability[hits].sum())
