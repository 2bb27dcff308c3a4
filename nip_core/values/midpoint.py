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

In a protocol in stages each seat has an `R` for the verdict that it wants (its side or, if it
argues for none, a right one), a `W` for the other one, and a `T`; the first formula holds for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.displays import Table, Tabular, line
from nip_core.errors import UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.language.rounds import UNDECIDED
from nip_core.registry import AnyProtocol
from nip_core.values.checks import a_protocol, checked, instance
from nip_core.values.endings import settled
from nip_core.values.exact import ExactValues
from nip_core.values.judged import Judged, judged
from nip_core.values.outcomes import outcomes_of

__all__ = ["MidPoint", "mid_point", "mid_points", "paid_by_verdict"]

Floats = npt.NDArray[np.floating[Any]]


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
    """Return a seat's mid-point estimate, its mean, and the parts of the difference.

    Raises
    ------
    UnsupportedError
        If, in a protocol in stages, a seat's pay depends on more than whether the verdict is what
        it wants.
    """
    game = judged(handler)
    if game.handler is None:
        estimate, parts = _in_stages(game, values, agent)
    else:
        estimate = game.handler.reward_mid_point_estimate(agent)
        parts = _in_rounds(game.handler, values, agent, estimate)
    mean = values.mean(agent)
    known = estimate, *parts.values()
    rest = settled(mean - math.fsum(known), (values.size(agent), *known))
    if rest:
        parts["rules"] = rest
    return MidPoint(estimate, mean, parts)


@checked(handler=a_protocol, values=instance(ExactValues, "what exact_values gives"))
def mid_points(handler: AnyProtocol, values: ExactValues) -> dict[str, MidPoint]:
    """Return the mid-point estimates of all seats that have one."""
    points: dict[str, MidPoint] = {}
    for agent in values.spec.agent_names:
        with suppress(UnsupportedError):
            points[agent] = mid_point(handler, values, agent)
    return points


def _in_rounds(
    handler: ProtocolHandler, values: ExactValues, agent: str, estimate: float
) -> dict[str, float]:
    """Return the parts of the difference by the documented payoffs."""
    spec, payoff = handler.spec, handler.payoff
    role, mean = spec.agent(agent).role, values.mean(agent)
    silent = values.verdicts["none"]
    if role == "verifier":
        rewards = payoff.verifier_reward, payoff.verifier_incorrect_penalty
        hits, misses = values.right, values.components(agent)["wrong"][0]
        parts = _of_verdicts(hits, misses, silent, rewards, payoff.verifier_terminated_penalty)
        return {**parts, "going on": values.components(agent)["going on"][1]}
    if role == "adversarial_verifier":
        return {"fine": mean}
    if role != "prover":
        return {}
    if payoff.shared_reward:
        given = values.mean(spec.verifier)
        return {"shared": settled(given - estimate, (values.size(spec.verifier), estimate))}
    side = values.endings.stance if handler.draws_prover_stance else spec.agent(agent).stance
    if side is None:
        return {"no side": -estimate}
    won, lost = _won_and_lost(values, side)
    return _of_verdicts(won, lost, silent, (payoff.prover_reward, 0.0), 0.0)


def _in_stages(game: Judged, values: ExactValues, agent: str) -> tuple[float, dict[str, float]]:
    """Return a seat's mid-point and the parts of the difference, by what verdicts pay."""
    right, wrong, silent = paid_by_verdict(game, agent)
    fixed, drawn = game.side(agent), game.side_by_drawn(agent)
    wanted: Any = values.endings.label if fixed is None else fixed
    if drawn is not None:
        wanted = np.array(drawn)[values.endings.stance]
    won, lost = _won_and_lost(values, wanted)
    parts = _of_verdicts(won, lost, values.verdicts["none"], (right, wrong), silent)
    going_on = values.components(agent)["going on"][1]
    return (right + wrong) / 2, {**parts, "going on": going_on}


def paid_by_verdict(game: Judged, agent: str) -> tuple[float, float, float]:
    """Return what a seat gets at the end for the verdict that it wants, the other one, and none.

    A seat wants its side or, if it argues for none, a right verdict.

    Raises
    ------
    UnsupportedError
        If its pay depends on more than that.
    """
    if game.handler is not None:
        payoff = game.handler.payoff
        if agent != game.verifier:
            return payoff.prover_reward, 0.0, 0.0
        wrong, silent = payoff.verifier_incorrect_penalty, payoff.verifier_terminated_penalty
        return payoff.verifier_reward, wrong, silent
    table, index = outcomes_of(game), game.agent_index(agent)
    ends = table.stops & table.may[:, :, None, None]
    fixed, drawn = game.side(agent), game.side_by_drawn(agent)
    wanted: Any = np.arange(2)[:, None] if fixed is None else fixed
    wanted = wanted if drawn is None else np.array(drawn)
    decided, wins = table.verdicts != UNDECIDED, table.verdicts == wanted
    right, wrong, silent = (
        _only(game, agent, table.pays[..., index][ends & which])
        for which in (decided & wins, decided & ~wins, ~decided)
    )
    return right, wrong, silent


def _only(game: Judged, agent: str, amounts: Floats) -> float:
    """Return the only amount, or 0 if there is none."""
    if len({*amounts.tolist()}) > 1:
        raise UnsupportedError(
            f"In {game.name!r} what {agent!r} gets at the end depends on more than whether the "
            "verdict is what it wants, so that it has no mid-point; exact_values has its mean."
        )
    return float(amounts[0]) if len(amounts) else 0.0


def _of_verdicts(
    won: float, lost: float, silent: float, rewards: tuple[float, float], none: float
) -> dict[str, float]:
    """Return the parts for no verdict, and for one side more often than the other."""
    right, wrong = rewards[0] / 2, rewards[1] / 2
    return {
        "no verdict": _sum(silent * none, -silent * right, -silent * wrong),
        "bias": _sum(won * right, -won * wrong, -lost * right, lost * wrong),
    }


def _sum(*terms: float) -> float:
    return settled(math.fsum(terms), terms)


def _won_and_lost(values: ExactValues, side: Any) -> tuple[float, float]:
    """Return how often the verdict is a side, and how often the other side."""
    ends = values.endings
    decided, wins = ends.verdict != UNDECIDED, ends.verdict == side
    won, lost = (float(ends.probability[decided & each].sum()) for each in (wins, ~wins))
    return won, lost
