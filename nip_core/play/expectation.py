"""Mean rewards and rates if the verifier decides with fixed probabilities, in plain Python.

:func:`nip_core.values.exact_values` computes this and more for any model of play, with numpy. A
table shows the means of random play at the end of every game, also without numpy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from nip_core.displays import displayed
from nip_core.errors import UnsupportedError
from nip_core.handler.rules import UNDECIDED, Item, Rules
from nip_core.spec import ProtocolSpec

__all__ = ["ChanceValues", "mean_at_random", "values_at_chances"]

Chance = float | Fraction


@displayed
@dataclass(frozen=True, slots=True)
class ChanceValues:
    """The results of a verifier with fixed probabilities; exact, if these are fractions.

    Parameters
    ----------
    means : mapping of str to float or Fraction
        Each seat's mean reward.
    completeness, soundness_error : float or Fraction
        How often it accepts true and false statements.
    undecided : float or Fraction
        How often the rounds run out.
    """

    means: Mapping[str, Chance]
    completeness: Chance
    soundness_error: Chance
    undecided: Chance


def mean_at_random(spec: ProtocolSpec) -> dict[str, float]:
    """Return each seat's mean reward if all decisions, and both labels, are equally likely.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge protocol, whose rewards depend on similarity.

    Examples
    --------
    >>> from nip_core.registry import protocol_spec
    >>> round(mean_at_random(protocol_spec("solo_verifier"))["verifier"], 4)
    -0.3333
    """
    return {agent: float(mean) for agent, mean in values_at_chances(spec).means.items()}


def values_at_chances(
    spec: ProtocolSpec,
    *,
    prior: Chance = 1 / 2,
    decides: Chance = 2 / 3,
    accepts_true: Chance = 1 / 2,
    accepts_false: Chance = 1 / 2,
) -> ChanceValues:
    """Compute means and rates of play with fixed probabilities, by default of random play.

    Parameters
    ----------
    spec : ProtocolSpec
    prior : float or Fraction
        The probability that a statement is true.
    decides : float or Fraction
        The probability that the verifier decides where it may.
    accepts_true, accepts_false : float or Fraction
        The probabilities that a decision about a true, and about a false, statement is to accept.
        If all probabilities are fractions, nothing is rounded.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge protocol, in which similarity is paid for.
    ValueError
        For a value that is not a probability.
    """
    if spec.is_zero_knowledge:
        raise UnsupportedError("What is paid for similarity is worked out by nip_core.values only.")
    given = {
        "prior": prior,
        "decides": decides,
        "accepts_true": accepts_true,
        "accepts_false": accepts_false,
    }
    for name, value in given.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is {value!r}; a chance is from 0 to 1.")
    exact = all(isinstance(value, Fraction) for value in given.values())
    number, total = (Fraction, _sum) if exact else (float, math.fsum)
    rules = Rules(spec)
    paid: list[list[Any]] = [[] for _ in spec.agents]
    accepted: tuple[list[Any], list[Any]] = ([], [])
    silent: list[Any] = []
    for y, share, accepts in ((0, 1 - prior, accepts_false), (1, prior, accepts_true)):
        chances = {
            0: decides * (1 - accepts),
            1: decides * accepts,
            UNDECIDED: 1 - decides,
        }
        for seed in range(spec.num_variants):
            reached: Any = number(1) / spec.num_variants
            for round_id in range(spec.max_message_rounds):
                going_on = number(0)
                may = spec.may_decide(round_id, seed)
                for decision, of_it in chances.items() if may else ((UNDECIDED, 1),):
                    chance = reached * of_it
                    step = rules.step(_item(spec, y, round_id, seed, decision))
                    for each, reward in zip(paid, rules.rewards(step), strict=True):
                        each.append(share * chance * number(reward))
                    going_on += 0 if step.shared_done or step.terminated else chance
                    if step.terminated:
                        silent.append(share * chance)
                    if step.shared_done and rules.forced(decision, y) == 1:
                        accepted[y].append(chance)
                reached = going_on
    means = {agent: total(each) for agent, each in zip(spec.agent_names, paid, strict=True)}
    return ChanceValues(means, total(accepted[1]), total(accepted[0]), total(silent))


def _sum(parts: Iterable[Fraction]) -> Fraction:
    return sum(parts, Fraction())


def _item(spec: ProtocolSpec, y: int, round_id: int, seed: int, decision: int) -> Item:
    return Item(
        y=y,
        round=round_id,
        guess=spec.may_decide(round_id, seed),
        decisions=(decision,),
        done=False,
        terminated=False,
        agents_done=(False,) * len(spec.agents),
    )
