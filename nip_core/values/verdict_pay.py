"""What a right verdict and a wrong one pay each seat, and the mid-point between the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, Literal

from nip_core.budget import EXPRESSIONS, spend
from nip_core.displays import displayed
from nip_core.language import END, Option, Pay, Side, Specification
from nip_core.language.data import ALWAYS
from nip_core.values.checks import checked, instance, whole

__all__ = ["VerdictPay", "verdict_pay"]

# The most combinations of choices that are tried: three estimates of 21 options each have 9,261.
MOST_COMBINED = 20_000
Outcome = Literal["right", "wrong", "none"]


@displayed
@dataclass(frozen=True, slots=True)
class VerdictPay:
    """What a seat is paid at the end for the verdict that it wants, the other one, and none.

    Parameters
    ----------
    side : Side, optional
        What the seat argues for; None if it wants the verdict to be right.
    right, wrong : number
        The pay for the verdict that it wants, and for any other one.
    none : number, optional
        The pay if there is no verdict; None if there is one whatever is chosen.
    only : bool
        Whether nothing else is paid to it, such as for going on.
    """

    side: Side | None
    right: Any
    wrong: Any
    none: Any = None
    only: bool = True

    @property
    def mid_point(self) -> Any:
        """The number half-way between a right and a wrong verdict."""
        return (self.right + self.wrong) / 2


@checked(spec=instance(Specification, "a protocol of version 2"), most=whole(0))
def verdict_pay(spec: Specification, most: int = MOST_COMBINED) -> dict[str, VerdictPay]:
    """Return what verdicts pay, for each seat whose pay at the end depends on nothing else.

    A seat wants what it argues for or, if it argues for nothing, the truth. A seat is left out if
    its pay depends on more than that, such as how sure a verdict was, or if no verdict is right or
    wrong.

    Parameters
    ----------
    spec : Specification
    most : int
        The most combinations of choices to try; seats for which there are more are left out.
    """
    found = ((seat, _of(spec, seat, most)) for seat in spec.seat_names)
    return {seat: pay for seat, pay in found if pay is not None}


def _of(spec: Specification, seat: str, most: int) -> VerdictPay | None:
    rules = [(pay, factor) for pay in spec.pay for to, factor in pay.to if to == seat]
    ends = [(pay, factor) for pay, factor in rules if pay.at == END]
    side = spec.roles.sides.get(seat)
    if not ends or spec.verdict == "none":
        return None
    amounts: dict[Outcome, set[Any]] = {"right": set(), "wrong": set(), "none": set()}
    wanted = _wanted(spec, side)
    texts = [spec.verdict, *(text for pay, _ in ends for text in (pay.when, pay.amount))]
    reads = {name for text in texts for name in spec.expression(text).reads}
    # What is collected during play depends on more than the last choices.
    if wanted is None or not reads <= spec.options.keys():
        return None
    reads |= {wanted} & spec.options.keys()
    for made in _combinations(spec, sorted(reads), most):
        spend(len(texts), EXPRESSIONS)
        amount = sum((_paid(spec, pay, factor, made) for pay, factor in ends), Fraction(0))
        verdict = spec.expression(spec.verdict).value(made)
        if verdict is not None and any(option is None for option in made.values()):
            continue
        aim = side.option_with(spec, made) if side is not None else made[str(wanted)]
        # A jury may say that it is undecided.
        open_ = verdict is None or (spec.roles.answers and verdict not in spec.roles.answers)
        outcome: Outcome = "none" if open_ else "right" if verdict == aim else "wrong"
        amounts[outcome].add(amount)
        if len(amounts[outcome]) > 1:
            return None
    if not amounts["right"] or not amounts["wrong"]:
        return None
    (right,), (wrong,) = amounts["right"], amounts["wrong"]
    if right == wrong:
        return None
    none = next(iter(amounts["none"]), None)
    return VerdictPay(side, right, wrong, none, only=len(ends) == len(rules))


def _wanted(spec: Specification, side: Side | None) -> str | None:
    """Return the choice that says what a seat wants, "" if the rules say it, None if nothing."""
    if side is None:
        return spec.roles.truth
    return "" if side.option is not None else side.choice


def _combinations(spec: Specification, names: list[str], most: int) -> Iterator[dict[str, Any]]:
    """Yield all combinations of options, and those in which nobody has given a verdict.

    Of too many nothing is yielded, so that nothing is said about pay.
    """
    if prod(len(spec.options[name]) for name in names) > most:
        return
    silent = {*names} & {*spec.roles.verdict}
    for missing in (set[str](), silent) if silent else (silent,):
        options: list[tuple[Option | None, ...]] = [
            (None,) if name in missing else spec.options[name] for name in names
        ]
        for made in product(*options):
            yield dict(zip(names, made, strict=True))


def _paid(spec: Specification, pay: Pay, factor: Fraction, made: dict[str, Any]) -> Any:
    if pay.when != ALWAYS and not spec.expression(pay.when).value(made):
        return Fraction(0)
    # What is worked out from a choice that was not made pays nothing.
    return factor * (spec.expression(pay.amount).value(made) or 0)
