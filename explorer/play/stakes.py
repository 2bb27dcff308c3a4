"""What a verdict pays a seat, by the rules: before it is given, and why at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from nip_core.displays import with_minus
from nip_core.errors import NipError
from nip_core.language import END, OVER, Option, Specification, Value, Wording
from nip_core.play import View, mean_at_random

__all__ = [
    "answers_of",
    "at_stake",
    "is_forced",
    "of_a_verdict",
    "paid_at_random",
    "signed",
    "why_paid",
    "wording",
]

# Stakes are not worked out for a verdict with more options.
MOST_OPTIONS = 12
# The most characters of rules that explain a seat's pay.
LONGEST_REASON = 240

Made = Mapping[str, Option]
Known = tuple[tuple[str, Option], ...]


@lru_cache(maxsize=256)
def wording(spec: Specification, you: str | None = None) -> Wording:
    """Return the words for a protocol; making them takes a moment."""
    return Wording(spec, you)


def signed(amount: Fraction | float) -> str:
    """Return an amount with its sign."""
    return with_minus(f"{float(amount):+g}") if amount else "0"


@lru_cache(maxsize=256)
def answers_of(spec: Specification, choice: str) -> tuple[Option, ...]:
    """Return the options of a verdict that end play; accept comes before reject."""
    stays, first = spec.roles.go_on.get(choice), spec.roles.first_answer
    options = [option for option in spec.options[choice] if option != stays]
    return tuple(sorted(options, key=lambda option: option != first))


@lru_cache(maxsize=256)
def is_forced(spec: Specification) -> bool:
    """Return whether there is one verdict, and the rules decide what it is."""
    if len(spec.roles.verdict) != 1:
        return False
    return wording(spec).verdict_choice is None and not _is_vote(spec, spec.roles.verdict[0])


def _is_vote(spec: Specification, choice: str) -> bool:
    """Return whether the verdict is another one if this choice is another one."""
    expression = spec.expression(spec.verdict)
    options, truth = answers_of(spec, choice), spec.roles.truth
    if not expression.reads <= {choice, truth} or len(options) > MOST_OPTIONS:
        return True
    told: list[Made] = [{truth: answer} for answer in spec.roles.answers] if truth else [{}]
    return any(
        len({expression.value({**known, choice: option}) for option in options}) > 1
        for known in told
    )


def stake(spec: Specification, seat: str, made: Made) -> Fraction | float | None:
    """Return what a seat is paid if play ends with these choices; None if that depends on more.

    What was paid before, in the course of play, does not count.
    """
    (choice,) = spec.roles.verdict
    due = (END, choice, spec.choice(choice).by)
    known: dict[str, Value] = {**made, OVER: True}
    total: Fraction | float = Fraction(0)
    for pay in spec.pay:
        factor = dict(pay.to).get(seat)
        if factor is None or pay.at not in due:
            continue
        for text in (pay.when, pay.amount):
            if not spec.expression(text).reads <= known.keys():
                return None
        value = spec.expression(pay.amount).value(known)
        if not spec.expression(pay.when).value(known):
            continue
        if not isinstance(value, int | float | Fraction):
            return None
        total += float(factor) * value if isinstance(value, float) else factor * value
    return total


class _Stakes:
    """What verdicts pay a seat, given the choices that are known to it."""

    def __init__(self, spec: Specification, seat: str, known: Known) -> None:
        self.spec, self.seat, self.known = spec, seat, dict(known)
        self.choice, truth = spec.roles.verdict[0], spec.roles.truth
        self.options, self.answers = answers_of(spec, self.choice), spec.roles.answers
        self.truths: list[Made] = [{truth: answer} for answer in self.answers] if truth else [{}]

    def of(
        self, options: Iterable[Option], *, right: bool | None = None
    ) -> Fraction | float | None:
        """Return the pay if it is the same for all these verdicts, right or wrong ones or both."""
        amounts = {
            stake(self.spec, self.seat, {**self.known, self.choice: option, **true})
            for option in options
            for true in self.truths
            if right is None or (option in true.values()) == right
        }
        return next(iter(amounts)) if len(amounts) == 1 else None


def _stakes(spec: Specification, seat: str, known: Known) -> _Stakes | None:
    if len(spec.roles.verdict) != 1:
        return None
    stakes = _Stakes(spec, seat, known)
    return stakes if len(stakes.options) <= MOST_OPTIONS else None


@lru_cache(maxsize=1024)
def of_a_verdict(spec: Specification, seat: str, known: Known) -> tuple[str, str] | None:
    """Return what a right or wrong verdict, and none, pays the seat that gives it, in words.

    The second one is empty if play cannot end without a verdict. None if it depends on more.
    """
    stakes = _stakes(spec, seat, known)
    if stakes is None or not {*stakes.options} <= {*stakes.answers}:
        return None
    right, wrong = (stakes.of(stakes.options, right=is_right) for is_right in (True, False))
    if right is None or wrong is None or not (right or wrong):
        return None
    stays = spec.roles.go_on.get(stakes.choice)
    none = None if stays is None else stakes.of([stays])
    last = "" if none is None else f"no verdict {signed(none)}"
    return f"right {signed(right)}, wrong {signed(wrong)}", last


def _of_a_side(
    spec: Specification, seat: str, side: Option, known: Known
) -> tuple[Fraction | float, Fraction | float] | None:
    """Return what a seat is paid for a verdict for its side, and for any other one."""
    stakes = _stakes(spec, seat, known)
    if stakes is None or side not in stakes.options:
        return None
    won, lost = stakes.of([side]), stakes.of(o for o in stakes.options if o != side)
    return None if won is None or lost is None else (won, lost)


def _shares(spec: Specification, seat: str) -> str | None:
    """Return the seat that decides, if this one is always paid the same."""
    if len(spec.roles.deciders) != 1 or not any(seat in dict(pay.to) for pay in spec.pay):
        return None
    (decider,) = spec.roles.deciders
    same = all(dict(p.to).get(seat) == dict(p.to).get(decider) for p in spec.pay)
    return decider if same and seat != decider else None


@lru_cache(maxsize=1024)
def at_stake(spec: Specification, seat: str, side: Value, known: Known) -> str:
    """Return what the verdict pays the seat that argues for a side, as a sentence; may be empty."""
    shares = _shares(spec, seat)
    if shares is not None:
        return f"You are paid what {spec.seat_phrase(shares)} is paid."
    paid = _of_a_side(spec, seat, side, known) if isinstance(side, str | int) else None
    if paid is None or paid == (0, 0):
        return ""
    won, lost = paid
    otherwise = f", otherwise {signed(lost)}" if lost else ""
    return f"If the verdict is {wording(spec).term(side)}, you are paid {signed(won)}{otherwise}."


# -- at the end -----------------------------------------------------------------------------------


def why_paid(view: View, seat: str) -> str:
    """Return why a seat was paid what it was, from a view of the end; empty if that is long."""
    spec, end = view.rules, view.ending
    assert end is not None
    rules = [pay for pay in spec.pay if seat in dict(pay.to)]
    if not rules:
        side = "" if seat in spec.roles.sides else "It has no side, so n"
        return f"{side or 'N'}othing is paid to it."
    shares = _shares(spec, seat)
    if shares is not None:
        return f"It shares {spec.seat_phrase(shares)}'s reward."
    if reason := _of_the_decider(view, seat) or _of_the_side(view, seat):
        return reason
    sentences = " ".join(wording(spec).pays(pay) for pay in rules)
    return sentences if len(sentences) <= LONGEST_REASON else ""


def _of_the_decider(view: View, seat: str) -> str:
    spec, end, truth = view.rules, view.ending, view.truth
    assert end is not None
    if (seat,) != spec.roles.deciders or len(spec.roles.verdict) != 1 or truth is None:
        return ""
    amount = stake(spec, seat, view.known)
    if amount is None:
        return ""
    how = "right" if end.verdict == truth else "wrong"
    why = "The turns ran out" if end.verdict is None else f"The verdict is {how}"
    before = end.totals[seat] - float(amount)
    reason = f"{why}: {signed(amount)}."
    if abs(before) > 1e-9:
        reason += f" Before that: {signed(before)} in all."
    return f"{reason} The verdict was forced." if is_forced(spec) else reason


def _of_the_side(view: View, seat: str) -> str:
    spec, end = view.rules, view.ending
    assert end is not None
    side = spec.roles.sides.get(seat)
    option = None if side is None else side.option_with(spec, view.known)
    if option is None or not (
        is_forced(spec) or _of_a_side(spec, seat, option, tuple(view.known.items()))
    ):
        return ""
    term, total = wording(spec).term, end.totals[seat]
    paid = f": {signed(total)}" if total else ""
    if end.verdict is None:
        return f"It argued for {term(option)}, and there was no verdict{paid}."
    return f"It argued for {term(option)}, and the verdict is {term(end.verdict)}{paid}."


def paid_at_random(view: View) -> dict[str, float]:
    """Return each seat's mean reward if all decide at random, from a view of the end.

    Seats argue for what they argued for in the episode. Empty where it cannot be computed.
    """
    spec = view.rules
    dealt = spec.roles.dealt or ""
    return dict(_at_random(spec, dealt, view.known.get(dealt)))


@lru_cache(maxsize=64)
def _at_random(
    spec: Specification, dealt: str, option: Option | None
) -> tuple[tuple[str, float], ...]:
    choices = (
        replace(choice, options=(option,), weights=()) if choice.name == dealt else choice
        for choice in spec.choices
    )
    try:
        known = spec if option is None else spec.replace(choices=tuple(choices))
        return tuple(mean_at_random(known).items())
    except NipError:
        # It has no one verdict, or its rules mean nothing where a choice has one option.
        return ()
