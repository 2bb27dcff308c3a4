"""Mean rewards and rates if the verifier decides with fixed probabilities, in plain Python.

:func:`nip_core.values.play_values` computes this and more for any protocol, with numpy. A table
shows the means of random play at the end of every game, also without numpy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from nip_core.displays import displayed
from nip_core.errors import UnsupportedError
from nip_core.language.rounds import UNDECIDED, Rounds
from nip_core.registry import AnyProtocol, protocol, protocol_spec, version_2

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


def mean_at_random(spec: AnyProtocol) -> dict[str, float]:
    """Return each seat's mean reward if all decisions, and both labels, are equally likely.

    Raises
    ------
    UnsupportedError
        As for :func:`values_at_chances`.

    Examples
    --------
    >>> round(mean_at_random("solo_verifier")["verifier"], 4)
    -0.3333
    >>> mean_at_random("khan_debate")
    {'alice': 0.0, 'bob': 0.0, 'judge': 0.5}
    """
    return {agent: float(mean) for agent, mean in values_at_chances(spec).means.items()}


def values_at_chances(
    spec: AnyProtocol,
    *,
    prior: Chance = 1 / 2,
    decides: Chance = 2 / 3,
    accepts_true: Chance = 1 / 2,
    accepts_false: Chance = 1 / 2,
) -> ChanceValues:
    """Compute means and rates of play with fixed probabilities, by default of random play.

    Parameters
    ----------
    spec : ProtocolSpec, Specification, or anything else that identifies a protocol
        It must have one verdict.
    prior : float or Fraction
        The probability that a statement is true.
    decides : float or Fraction
        The probability that the verifier decides where it may. Where it must, it does.
    accepts_true, accepts_false : float or Fraction
        The probabilities that a decision about a true, and about a false, statement is to accept.
        If all probabilities are fractions, nothing is rounded.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge protocol, in which similarity is paid for, for a class with rules of
        its own, and for a protocol without just one verdict.
    ValueError
        For a value that is not a probability.
    """
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
    rounds = _rounds(spec)
    sides = 1 + rounds.draws_side
    paid: list[list[Any]] = [[] for _ in rounds.seats]
    accepted: tuple[list[Any], list[Any]] = ([], [])
    silent: list[Any] = []
    truths = ((0, 1 - prior, accepts_false), (1, prior, accepts_true))
    for (y, share, accepts), turns, side in product(truths, rounds.turns, range(sides)):
        reached: Any = number(1) / (len(rounds.turns) * sides)
        for kind in map(rounds.kinds.__getitem__, turns):
            phase, going_on = rounds.phases[kind.phase], number(0)
            chances = _chances(decides, accepts, phase.may) if kind.decides else (0, 0, 1)
            for decision, of_it in enumerate(chances):
                if not of_it:
                    continue
                chance = reached * of_it
                case = phase.cases[(decision * 2 + y) * sides + side]
                for amounts, reward in zip(paid, case.paid, strict=True):
                    amounts.append(share * chance * number(reward))
                if not case.over:
                    going_on += chance
                elif case.verdict == UNDECIDED:
                    silent.append(share * chance)
                elif case.verdict == 1:
                    accepted[y].append(chance)
            reached = going_on
    means = {seat: total(amounts) for seat, amounts in zip(rounds.seats, paid, strict=True)}
    return ChanceValues(means, total(accepted[1]), total(accepted[0]), total(silent))


def _rounds(given: AnyProtocol) -> Rounds:
    spec = version_2(given)
    if spec is not None:
        return Rounds.of(spec)
    # A variant as a specification has no handler by itself.
    handler = None if protocol_spec(given).is_zero_knowledge else protocol(given)
    if handler is None or handler.overrides_rules:
        raise UnsupportedError(
            "What is paid for similarity, and by rules of a class of its own, is worked out by "
            "nip_core.values only."
        )
    return handler.rounds


def _chances(
    decides: Chance, accepts: Chance, may: tuple[bool, bool, bool]
) -> tuple[Chance, Chance, Chance]:
    """Return the probabilities of decisions, of which only some may be open."""
    no, yes, wait = may
    decides = (decides if wait else 1) if no or yes else 0
    accepts = (accepts if no else 1) if yes else 0
    return decides * (1 - accepts), decides * accepts, 1 - decides


def _sum(parts: Iterable[Fraction]) -> Fraction:
    return sum(parts, Fraction())
