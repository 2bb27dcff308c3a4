"""One turn of a protocol: acts, open options, the next place, and pay.

A state is the place of play and its registers: the value of each choice, its previous value, how
often limited options were chosen, and the values that are collected. Episodes and computed values
both use this class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from nip_core.language.data import CHANCE, END, Act, Choice, ComputedValue, Option, Pay
from nip_core.language.expressions import OVER, REPEAT, Registers, Value, earlier
from nip_core.language.structure import Place, Structure, taken
from nip_core.language.totals import open_for_total

__all__ = ["Machine", "chances_of_weights", "events_of", "next_collected", "times"]

Made = Mapping[str, Option]
# The most turns whose acts are remembered; exact values visit many more.
MOST_KNOWN = 10_000


def chances_of_weights(options: tuple[Option, ...], weights: Iterable[Value]) -> list[Fraction]:
    """Return options' probabilities. Negative weights and none count as 0; equal if all are 0."""
    found = [Fraction(0) if w is None or w < 0 else Fraction(w) for w in weights]
    whole = sum(found, Fraction(0))
    if not whole:
        return [Fraction(1, len(options))] * len(options)
    return [weight / whole for weight in found]


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What a turn leads to.

    Parameters
    ----------
    place : Place, optional
        The next turn; None once play is over.
    registers : mapping
        The registers after the turn.
    choices : mapping of str to option
        What was chosen, in the protocol's order.
    values : mapping of str to value
        The values that the turn has changed, whoever sees them.
    paid : mapping of str to number
        Each seat's pay; seats that get nothing are left out.
    """

    place: Place | None
    registers: Registers
    choices: Made
    values: Mapping[str, Value]
    paid: Mapping[str, Value]


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
        self._known_acts: dict[tuple[Value, ...], tuple[Act, ...]] = {}
        self._known_reads: dict[tuple[int, int], tuple[str, ...]] = {}
        self._known_outcomes: dict[tuple[object, ...], TurnOutcome] = {}

    @cached_property
    def registers(self) -> tuple[str, ...]:
        """All registers, except whether play is over and the number of the repetition."""
        choices = [choice.name for choice in self.spec.choices]
        counted = [taken(choice, option) for choice, option, _ in self.spec.option_limits]
        return (*choices, *map(earlier, choices), *counted, *(v.name for v in self.spec.collected))

    @cached_property
    def steps(self) -> int:
        """How many steps a turn takes at most; see :mod:`nip_core.budget`."""
        names = self.spec.names
        values = sum(10 + names.collecting(v.name).cost for v in self.spec.collected)
        return 40 + values + sum(10 + 8 * len(pay.to) for pay in self.spec.pay)

    def blank(self) -> dict[str, Value]:
        """Return the registers before any choice."""
        found: dict[str, Value] = dict.fromkeys(self.registers)
        found |= {taken(choice, option): 0 for choice, option, _ in self.spec.option_limits}
        found |= {value.name: 0 for value in self.spec.collected if value.way in ("sum", "count")}
        return found | {OVER: False, REPEAT: 1}

    def here(self, place: Place, registers: Registers) -> dict[str, Value]:
        """Return the registers that expressions read in a turn."""
        return {**registers, OVER: False, REPEAT: place.repeat + 1}

    # -- before a turn -------------------------------------------------------------------------

    def acts(self, place: Place, registers: Registers) -> tuple[Act, ...]:
        """Return the acts of a turn: for each seat the first whose condition holds."""
        # They are asked for several times in a turn, and depend only on what their conditions read.
        reads = self._read_by_acts(place.stage, place.turn)
        values = (place.repeat if name == REPEAT else registers[name] for name in reads)
        key = (place.stage, place.turn, *values)
        acts = self._known_acts.get(key)
        if acts is None:
            if len(self._known_acts) >= MOST_KNOWN:
                self._known_acts.clear()
            acts = self._known_acts[key] = self._acts(place, registers)
        return acts

    def _acts(self, place: Place, registers: Registers) -> tuple[Act, ...]:
        now = self.here(place, registers)
        found: dict[str, Act] = {}
        for act in self.spec.turn(place).acts:
            if act.seat not in found and self.spec.expression(act.when).value(now):
                found[act.seat] = act
        return tuple(found.values())

    def _read_by_acts(self, stage: int, turn: int) -> tuple[str, ...]:
        """Return the registers that the conditions of a turn's acts read."""
        found = self._known_reads.get((stage, turn))
        if found is None:
            acts = self.spec.stages[stage].turns[turn].acts
            read = frozenset[str]().union(*(self.spec.expression(act.when).reads for act in acts))
            # In a turn, play is never over.
            found = self._known_reads[stage, turn] = tuple(sorted(read - {OVER}))
        return found

    def open_options(
        self, act: Act, choice: str, registers: Registers, made: Made
    ) -> tuple[Option, ...]:
        """Return the open options of a choice, given earlier choices of the act."""
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
        """Return the probabilities of options in the specification, or equal ones."""
        if not choice.weights:
            return [Fraction(1, len(options))] * len(options)
        all_options = self.spec.options[choice.name]
        weights = dict(zip(all_options, choice.weights, strict=True))
        values = (self.spec.expression(weights[option]).value(now) for option in options)
        return chances_of_weights(options, values)

    # -- after a turn --------------------------------------------------------------------------

    def after(
        self, place: Place, registers: Registers, acts: tuple[Act, ...], made: Made
    ) -> TurnOutcome:
        """Return what a turn leads to; the acts are those of :meth:`acts`."""
        # Other variations, and other episodes of the protocol, come to the same turn again. Which
        # acts there are follows from the rest.
        key = (place, *registers.values(), *made.items())
        outcome = self._known_outcomes.get(key)
        if outcome is None:
            if len(self._known_outcomes) >= MOST_KNOWN:
                self._known_outcomes.clear()
            outcome = self._known_outcomes[key] = self._after(place, registers, acts, made)
        return outcome

    def _after(
        self, place: Place, registers: Registers, acts: tuple[Act, ...], made: Made
    ) -> TurnOutcome:
        later = self.recorded(registers, made, place)
        onward, _ = self.onward(place, later)
        over = {**self.here(place, later), OVER: onward is None}
        return TurnOutcome(
            onward,
            later,
            {choice.name: made[choice.name] for choice in self.spec.choices if choice.name in made},
            self.changed(place, registers, later),
            self.paid(events_of(acts, made, onward is None), over),
        )

    def recorded(
        self, registers: Registers, made: Made, place: Place | None = None
    ) -> dict[str, Value]:
        """Return the registers after simultaneous choices; the place is None before play."""
        found = dict(registers)
        for choice, option in made.items():
            found[earlier(choice)] = registers[choice]
            found[choice] = option
            for limited, _ in self._limited.get(choice, ()):
                found[taken(choice, limited)] += limited == option
        for value in self.spec.collected:
            if not made.keys().isdisjoint(value.at):
                now = self.here(place or self.first, found)
                found[value.name] = self.with_next(value, found[value.name], now)
        return found

    def with_next(self, value: ComputedValue, so_far: Value, now: Registers) -> Value:
        """Return a collected value after one of the choices at which it is collected.

        Parameters
        ----------
        value : ComputedValue
        so_far : value
            What was collected before.
        now : mapping
            The registers after the choices, in which values that come first in the protocol are
            up to date.
        """
        more = self.spec.names.collecting(value.name).value(now)
        return next_collected(value.way, so_far, more)

    def known_before(self, registers: Registers) -> dict[str, Value]:
        """Return the values that are known before the first turn."""
        return self.changed(self.first, self.blank(), registers)

    def changed(self, place: Place, registers: Registers, later: Registers) -> dict[str, Value]:
        """Return the values that differ after a turn, and those that are complete only now."""
        found: dict[str, Value] = {}
        if not self.spec.values:
            return found
        before, after = (self.here(place, known) for known in (registers, later))
        for value in self.spec.values:
            expression = self.spec.names.computed(value.name)
            new = expression.value(after)
            if new is None:
                continue
            # With choices that are still missing, an expression may already have its later value.
            reads = expression.reads & self.spec.names.changed_by.keys()
            complete = None not in {after[name] for name in reads}
            if new != expression.value(before) or (
                complete and None in {before[name] for name in reads}
            ):
                found[value.name] = new
        return found

    def onward(self, place: Place, registers: Registers) -> tuple[Place | None, str | None]:
        """Return the place after a turn (None: the end), and the target of the guard that held.

        Parameters
        ----------
        place : Place
            The turn's place.
        registers : mapping
            The registers after the turn.
        """
        now = self.here(place, registers)
        for target, condition in self.spec.turn(place).then:
            if self.spec.expression(condition).value(now):
                return self.spec.target(target), target
        return self.spec.after(place), None

    def copies(self, place: Place, registers: Registers) -> Iterator[tuple[str, str]]:
        """Yield the channels from which and to which a turn copies a message.

        Parameters
        ----------
        place : Place
            The turn's place.
        registers : mapping
            The registers after the turn.
        """
        now = self.here(place, registers)
        for target, text in self.spec.turn(place).copies:
            source = self.spec.channel_expression(text).value(now)
            if isinstance(source, str):
                yield source, target

    def amount(self, pay: Pay, now: Registers) -> Value:
        """Return the amount of a rule of pay; None if nothing is paid."""
        if not self.spec.expression(pay.when).value(now):
            return None
        return self.spec.expression(pay.amount).value(now)

    def rules_at(self, event: str) -> Sequence[Pay]:
        """Return the rules of pay for a seat's act, a choice, or the end."""
        return self._paid.get(event, ())

    def paid(self, events: Iterable[str], now: Registers) -> dict[str, Value]:
        """Return each seat's pay for some events; seats that get nothing are left out."""
        found: dict[str, Value] = {}
        for event in events:
            for pay in self.rules_at(event):
                amount = self.amount(pay, now)
                if amount is not None:
                    for seat, factor in pay.to:
                        found[seat] = found.get(seat, Fraction(0)) + times(factor, amount)
        return found


def next_collected(way: str, so_far: Value, more: Value) -> Value:
    """Return a collected value after one of the choices at which it is collected.

    Parameters
    ----------
    way : str
        How it is collected.
    so_far : value
        What was collected before.
    more : value
        The value of its expression after the choice.
    """
    if more is None or (way == "first" and so_far is not None):
        return so_far
    if way in ("sum", "count"):
        return so_far + more
    if way in ("max", "min") and so_far is not None:
        return (max if way == "max" else min)(so_far, more)
    return more


def events_of(acts: Iterable[Act], made: Iterable[str], over: bool) -> Iterator[str]:
    """Yield the events of a turn for which something may be paid."""
    yield from (act.seat for act in acts if act.seat != CHANCE)
    yield from made
    if over:
        yield END


def times(factor: Fraction, amount: Value) -> Value:
    """Return a product, which is rational if both factors are."""
    return float(factor) * amount if isinstance(amount, float) else factor * Fraction(amount)
