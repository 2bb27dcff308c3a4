"""One turn of a protocol: who acts, which options are open, what it leads to, what is paid.

A state is the place of play and its registers: what each choice is, what it was before it was made
the last time, and how often limited options were taken. Play and values both stand on this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from nip_core.language.data import CHANCE, END, Act, Choice, Option, Pay
from nip_core.language.expressions import OVER, REPEAT, Registers, Value, earlier
from nip_core.language.structure import Place, Structure, taken
from nip_core.language.totals import open_for_total

__all__ = ["Machine", "chances_of_weights", "events_of", "times"]

Made = Mapping[str, Option]


def chances_of_weights(options: tuple[Option, ...], weights: Iterable[Value]) -> list[Fraction]:
    """The chance of each option. What is negative or none counts as 0; equal if all are 0."""
    found = [Fraction(0) if w is None or w < 0 else Fraction(w) for w in weights]
    whole = sum(found, Fraction(0))
    if not whole:
        return [Fraction(1, len(options))] * len(options)
    return [weight / whole for weight in found]


class Machine:
    """The rules of one protocol, turn by turn."""

    def __init__(self, spec: Structure) -> None:
        self.spec = spec
        self.first = Place(0, 0, 0)
        self._limited: dict[str, list[tuple[Option, int]]] = {}
        for choice, option, most in spec.option_limits:
            self._limited.setdefault(choice, []).append((option, most))
        self._paid: dict[str, list[Pay]] = {}
        for pay in spec.pay:
            self._paid.setdefault(pay.at, []).append(pay)

    @cached_property
    def registers(self) -> tuple[str, ...]:
        """All registers, besides whether play is over and which repetition it is in."""
        choices = [choice.name for choice in self.spec.choices]
        counted = [taken(choice, option) for choice, option, _ in self.spec.option_limits]
        return (*choices, *map(earlier, choices), *counted)

    def blank(self) -> dict[str, Value]:
        """Return the registers before anything has been chosen."""
        found: dict[str, Value] = dict.fromkeys(self.registers)
        found |= {taken(choice, option): 0 for choice, option, _ in self.spec.option_limits}
        return found | {OVER: False, REPEAT: 1}

    def here(self, place: Place, registers: Registers) -> dict[str, Value]:
        """Return the registers as expressions read them in a turn."""
        return {**registers, OVER: False, REPEAT: place.repeat + 1}

    # -- before a turn -------------------------------------------------------------------------

    def acts(self, place: Place, registers: Registers) -> tuple[Act, ...]:
        """Return who acts in a turn: of each seat the first act whose condition holds."""
        now = self.here(place, registers)
        found: dict[str, Act] = {}
        for act in self.spec.turn(place).acts:
            if act.seat not in found and self.spec.expression(act.when).value(now):
                found[act.seat] = act
        return tuple(found.values())

    def open_options(
        self, act: Act, choice: str, registers: Registers, made: Made
    ) -> tuple[Option, ...]:
        """Return the options of a choice that are open, given earlier choices of the act."""
        named = next(options for name, options in act.choose if name == choice)
        options = self.spec.open_here(choice, named)
        if choice in self._limited:
            spent = {o for o, most in self._limited[choice] if registers[taken(choice, o)] >= most}
            options = tuple(option for option in options if option not in spent)
        if act.total is None:
            return options
        names = [name for name, _ in act.choose]
        at = names.index(choice)
        left = self.spec.count(act.total) - sum(int(made[name]) for name in names[:at])
        rest = [self._numbers(*each) for each in act.choose[at + 1 :]]
        return open_for_total(tuple(map(int, options)), rest, left)

    def _numbers(self, choice: str, named: tuple[Option, ...]) -> tuple[int, ...]:
        return tuple(map(int, self.spec.open_here(choice, named)))

    def chances(
        self, choice: Choice, options: tuple[Option, ...], now: Registers
    ) -> list[Fraction]:
        """Return the chances of options that the specification itself says, or equal ones."""
        if not choice.weights:
            return [Fraction(1, len(options))] * len(options)
        all_options = self.spec.options[choice.name]
        weights = dict(zip(all_options, choice.weights, strict=True))
        values = (self.spec.expression(weights[option]).value(now) for option in options)
        return chances_of_weights(options, values)

    # -- after a turn --------------------------------------------------------------------------

    def recorded(self, registers: Registers, made: Made) -> dict[str, Value]:
        """Return the registers after choices have been made, all at once."""
        found = dict(registers)
        for choice, option in made.items():
            found[earlier(choice)] = registers[choice]
            found[choice] = option
            for limited, _ in self._limited.get(choice, ()):
                found[taken(choice, limited)] += limited == option
        return found

    def onward(self, place: Place, registers: Registers) -> tuple[Place | None, str | None]:
        """Where play goes after a turn (None: it ends), and the target whose guard sent it there.

        Parameters
        ----------
        place : Place
            Of the turn.
        registers : mapping
            After it.
        """
        now = self.here(place, registers)
        for target, condition in self.spec.turn(place).then:
            if self.spec.expression(condition).value(now):
                return self.spec.target(target), target
        return self.spec.after(place), None

    def amount(self, pay: Pay, now: Registers) -> Value:
        """Return what a rule of pay comes to; None if nothing is paid."""
        if not self.spec.expression(pay.when).value(now):
            return None
        return self.spec.expression(pay.amount).value(now)

    def rules_at(self, event: str) -> Sequence[Pay]:
        """Return the rules of pay that come with a seat's act, a choice, or the end."""
        return self._paid.get(event, ())

    def paid(self, events: Iterable[str], now: Registers) -> dict[str, Value]:
        """What each seat is paid for what has happened; seats that get nothing are left out."""
        found: dict[str, Value] = {}
        for event in events:
            for pay in self.rules_at(event):
                amount = self.amount(pay, now)
                if amount is not None:
                    for seat, factor in pay.to:
                        found[seat] = found.get(seat, Fraction(0)) + times(factor, amount)
        return found


def events_of(acts: Iterable[Act], made: Iterable[str], over: bool) -> Iterator[str]:
    """Yield what has happened in a turn, as far as something may be paid for it."""
    yield from (act.seat for act in acts if act.seat != CHANCE)
    yield from made
    if over:
        yield END


def times(factor: Fraction, amount: Value) -> Value:
    """Return a product that stays rational where it can."""
    return float(factor) * amount if isinstance(amount, float) else factor * Fraction(amount)
