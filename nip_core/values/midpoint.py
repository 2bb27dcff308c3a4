r"""The difference between the mid-point estimate and the mean, in parts that add up.

Let `D` be the probability of a verdict, :math:`p_+` that of a right one, `N` = 1 - `D`, and `G` the
mean pay for going on. With the rewards `R` (right), `W` (wrong) and `T` (the rounds run out), the
verifier's mean is :math:`p_+ R + (D - p_+) W + N T + G`, and the mid-point is :math:`m = (R + W) /
2`. So

.. math::

    \text{mean} - m = N (T - m) + (p_+ - D/2)(R - W) + G .

For a prover with a side `s`, paid `P` if that is the verdict (probability :math:`p_s`), the
mid-point is `P/2` and

.. math::

    \text{mean} - P/2 = -N P / 2 + (p_s - D/2) P .
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from nip_core.displays import Table, Tabular, line
from nip_core.handler import ProtocolHandler
from nip_core.handler.rules import UNDECIDED
from nip_core.registry import AnyProtocol, protocol
from nip_core.values.checks import a_protocol, checked, instance
from nip_core.values.endings import settled
from nip_core.values.exact import ExactValues

__all__ = ["MidPoint", "mid_point"]


@dataclass(frozen=True, slots=True)
class MidPoint(Tabular):
    """A seat's mid-point estimate and its mean.

    Parameters
    ----------
    estimate, mean : float
    parts : mapping of str to float
        The parts of the difference: ``"no verdict"``, ``"bias"`` (of verdicts towards the truth, or
        towards a side), ``"going on"``, ``"shared"`` (the prover gets the verifier's reward
        instead), ``"no side"``, ``"fine"`` (of an adversarial verifier), ``"rules"`` (pay of a
        subclass beyond the documented rules). A part is 0 if it is not larger than its own rounding
        error (:data:`nip_core.values.endings.ROUNDING`).
    """

    estimate: float
    mean: float
    parts: Mapping[str, float]

    def __repr__(self) -> str:
        return line(self, f"estimate {self.estimate:.4g}", f"mean {self.mean:.4g}")

    def table(self) -> Table:
        """Return a table of the estimate, the parts of the difference, and the mean."""
        rows = {"estimate": self.estimate, **self.parts, "mean": self.mean}
        return Table(("part", "amount"), list(rows.items()))

    @property
    def difference(self) -> float:
        """The mean minus the estimate, as the sum of the parts; exactly 0 if they cancel."""
        return settled(math.fsum(self.parts.values()), self.parts.values())

    @property
    def is_equal(self) -> bool:
        """Whether the estimate equals the mean."""
        return self.difference == 0

    @property
    def is_sure(self) -> bool:
        """Whether the estimate equals the mean because all parts are 0.

        For the verifier, this is so if every episode ends with a verdict that is right as often as
        wrong, and nothing is paid for going on. For a prover, it is so if every episode ends with a
        verdict that is its side half of the time, and it is paid for that. Parts may also cancel
        each other by accident.
        """
        return not any(self.parts.values())


@checked(handler=a_protocol, values=instance(ExactValues, "what exact_values gives"))
def mid_point(handler: AnyProtocol, values: ExactValues, agent: str) -> MidPoint:
    """Return a seat's mid-point estimate, its mean, and the parts of the difference."""
    handler = protocol(handler)
    spec, payoff = handler.spec, handler.payoff
    estimate, mean = handler.reward_mid_point_estimate(agent), values.mean(agent)
    role = spec.agent(agent).role
    silent = values.verdicts["none"]
    parts: dict[str, float] = {}
    if role == "verifier":
        right, wrong = payoff.verifier_reward / 2, payoff.verifier_incorrect_penalty / 2
        hits = values.right
        misses = values.components(agent)["wrong"][0]
        parts = {
            "no verdict": _sum(
                silent * payoff.verifier_terminated_penalty, -silent * right, -silent * wrong
            ),
            "bias": _sum(hits * right, -hits * wrong, -misses * right, misses * wrong),
            "going on": values.components(agent)["going on"][1],
        }
    elif role == "adversarial_verifier":
        parts = {"fine": mean}
    elif role == "prover" and payoff.shared_reward:
        given = values.mean(spec.verifier)
        parts = {"shared": settled(given - estimate, (values.size(spec.verifier), estimate))}
    elif role == "prover" and not handler.draws_prover_stance and spec.agent(agent).stance is None:
        parts = {"no side": -estimate}
    elif role == "prover":
        won, lost = _won_and_lost(handler, values, agent)
        half = payoff.prover_reward / 2
        parts = {"no verdict": -silent * estimate, "bias": _sum(won * half, -lost * half)}
    known = estimate, *parts.values()
    rest = settled(mean - math.fsum(known), (values.size(agent), *known))
    if rest:
        parts["rules"] = rest
    return MidPoint(estimate, mean, parts)


def _sum(*terms: float) -> float:
    return settled(math.fsum(terms), terms)


def _won_and_lost(handler: ProtocolHandler, values: ExactValues, agent: str) -> tuple[float, float]:
    """Return how often the verdict is a prover's side, and how often the other side."""
    ends = values.endings
    side = ends.stance if handler.draws_prover_stance else handler.spec.agent(agent).stance
    decided, wins = ends.verdict != UNDECIDED, ends.verdict == side
    won, lost = (float(ends.probability[decided & each].sum()) for each in (wins, ~wins))
    return won, lost
