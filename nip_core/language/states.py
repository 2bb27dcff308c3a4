"""Any protocol as a table of states, so that whole batches of plays are stepped by looking it up.

A state is a place of play and the registers that still matter there (:mod:`.liveness`). The options
of all choices of a turn together are one number, in which each choice is a digit. For each state
and number the table has the next state, what is paid, and the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from nip_core.budget import PLAYS, spend
from nip_core.errors import UnsupportedError
from nip_core.language.data import CHANCE, Act, Option, Pay
from nip_core.language.expressions import OVER, REPEAT, Value
from nip_core.language.given import GivenPlay
from nip_core.language.liveness import Liveness
from nip_core.language.machine import events_of, times
from nip_core.language.specification import Specification
from nip_core.language.structure import Place

__all__ = ["CLOSED", "MOST_PAIRS", "States", "states_of"]

MOST_PAIRS = 300_000
# Instead of a next state: no seat may choose so.
CLOSED = -1
_Registers = dict[str, Value]


@dataclass(frozen=True, eq=False)
class States:
    """The states of a protocol; the first one, 0, is the end of all plays.

    Parameters
    ----------
    drawn : tuple of str
        The choices that are made before play, in order.
    drawn_chances : tuple of lists
        For each of these that chance makes, by the combination of the options before it: the
        probability of each option. Empty for a fact of the task.
    starts : list of int
        The state by the combination of all options that are drawn.
    made : tuple of str
        The choices that are made in turns.
    first : list of int
        By state: the number of its first pair in the three lists of pairs.
    weights : list of tuple of int
        By state: what an option's number is multiplied by, for each choice of `made`. It is 0 for
        a choice that is not made there. The sum of products is added to the first pair.
    open : list of tuple of tuple of int
        By state, for each choice of `made`: the numbers of the options that may be chosen.
    chances : mapping of str to list
        For each choice that chance makes in turns, by state: the probability of each option.
    onward : list of int
        By pair: the next state, or `CLOSED`.
    paid : list of tuple of float
        By pair: what each seat is paid.
    verdict : list of int
        By pair: the number of the verdict in `verdicts`. The first of these is none.
    verdicts : tuple
    """

    drawn: tuple[str, ...]
    drawn_chances: tuple[list[list[float]], ...]
    starts: list[int]
    made: tuple[str, ...]
    first: list[int]
    weights: list[tuple[int, ...]]
    open: list[tuple[tuple[int, ...], ...]]
    chances: dict[str, list[list[float]]]
    onward: list[int]
    paid: list[tuple[float, ...]]
    verdict: list[int]
    verdicts: tuple[Value, ...]


def states_of(spec: Specification, most: int = MOST_PAIRS) -> States:
    """Return the states of a protocol, which are worked out once.

    Parameters
    ----------
    spec : Specification
    most : int
        The most pairs of a state and a combination of options.

    Raises
    ------
    UnsupportedError
        For a protocol with more pairs, and one in which chance draws numbers with a total.
    """
    known: dict[int, States] = vars(spec).setdefault("_states", {})
    if most not in known:
        known[most] = _Compiler(spec, most).whole()
    return known[most]


class _Compiler:
    """Visits all states that can be reached, and notes where each combination of options leads."""

    def __init__(self, spec: Specification, most: int) -> None:
        self.spec, self.machine, self.most = spec, spec.machine, most
        live = Liveness(spec, GivenPlay(spec))
        # What is paid at the end is worked out at the end, from what it reads.
        at_end = set[str]().union(*live.ends.reads.values()) - {OVER, REPEAT}
        self._keep = {here: sorted({*live.live[here]} | at_end) for here in live.turns}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._waiting: list[tuple[Place, _Registers]] = []
        self._verdict = spec.expression(spec.verdict)
        # The rules of pay by event, with their numbers and what they read.
        self._rules: dict[str, list[tuple[int, Pay, tuple[str, ...]]]] = {}
        for number, pay in enumerate(spec.pay):
            reads = spec.expression(pay.amount).reads | spec.expression(pay.when).reads
            self._rules.setdefault(pay.at, []).append((number, pay, tuple(reads)))
        self._amounts: dict[tuple[object, ...], list[tuple[str, Value]]] = {}
        self._verdicts: dict[Value, int] = {None: 0}
        drawn = {choice.name for choice in spec.drawn}
        self.made = tuple(choice.name for choice in spec.choices if choice.name not in drawn)
        by_chance = [name for name in self.made if spec.choice(name).by == CHANCE]
        # The end is a state, too: it leads to itself, and nobody is paid.
        nothing = tuple(() for _ in self.made)
        self.table = States(
            drawn=tuple(choice.name for choice in spec.drawn),
            drawn_chances=tuple([] for _ in spec.drawn),
            starts=[],
            made=self.made,
            first=[0],
            weights=[(0,) * len(self.made)],
            open=[nothing],
            chances={name: [self._certain(name)] for name in by_chance},
            onward=[0],
            paid=[(0.0,) * len(spec.seats)],
            verdict=[0],
            verdicts=(),
        )

    def _certain(self, choice: str) -> list[float]:
        """Return the probabilities of a choice that is not made: the first option is as good."""
        return [1.0] + [0.0] * (len(self.spec.options[choice]) - 1)

    def whole(self) -> States:
        table = self.table
        self._need(prod(len(self.spec.options[name]) for name in table.drawn))
        table.starts.extend(self._number(self.machine.first, world) for world in self._worlds())
        done = 0
        while done < len(self._waiting):
            self._visit(*self._waiting[done])
            done += 1
        return replace(table, verdicts=tuple(self._verdicts))

    def _need(self, pairs: int) -> None:
        if pairs > self.most:
            raise UnsupportedError(
                f"{self.spec.name!r} has more than {self.most:,} pairs of a state and options, too "
                "many for a table. Play it as an Episode, one at a time, or with fewer options or "
                "turns; nip_core.values.play_values computes means."
            )

    def _number(self, place: Place, registers: _Registers) -> int:
        kept = (registers[name] for name in self._keep[place.stage, place.turn])
        key = (place, *kept)
        if key not in self._numbers:
            self._numbers[key] = 1 + len(self._numbers)
            self._waiting.append((place, registers))
        return self._numbers[key]

    # -- before play ---------------------------------------------------------------------------

    def _worlds(self) -> list[_Registers]:
        """Return the registers before play, for each combination of options that are drawn."""
        worlds = [self.machine.blank()]
        for choice, chances in zip(self.spec.drawn, self.table.drawn_chances, strict=True):
            options = self.spec.options[choice.name]
            if choice.by == CHANCE:
                chances += [
                    list(map(float, self.machine.chances(choice, options, world)))
                    for world in worlds
                ]
            worlds = [
                self.machine.recorded(world, {choice.name: option})
                for world in worlds
                for option in options
            ]
        return worlds

    # -- in a turn -----------------------------------------------------------------------------

    def _visit(self, place: Place, registers: _Registers) -> None:
        spec, table = self.spec, self.table
        acts = self.machine.acts(place, registers)
        steps = [(act, name) for act in acts for name, _ in act.choose]
        sizes = [len(spec.options[name]) for _, name in steps]
        table.first.append(len(table.onward))
        self._need(len(table.onward) + prod(sizes))
        weights = {name: prod(sizes[k + 1 :]) for k, (_, name) in enumerate(steps)}
        table.weights.append(tuple(weights.get(name, 0) for name in self.made))
        self._note_chances(place, registers, acts)
        table.onward.extend([CLOSED] * prod(sizes))
        table.paid.extend([table.paid[0]] * prod(sizes))
        table.verdict.extend([0] * prod(sizes))
        used: dict[str, set[int]] = {}
        for number, made in self._joint(registers, steps, {}):
            spend(self.machine.steps, PLAYS, "stage {!r}", spec.stages[place.stage].name)
            for name, option in made.items():
                used.setdefault(name, set()).add(spec.options[name].index(option))
            pair = table.first[-1] + number
            table.onward[pair], table.paid[pair], table.verdict[pair] = self._after(
                place, registers, acts, made
            )
        table.open.append(tuple(tuple(sorted(used.get(name, ()))) for name in self.made))

    def _note_chances(self, place: Place, registers: _Registers, acts: tuple[Act, ...]) -> None:
        now = self.machine.here(place, registers)
        found: dict[str, list[float]] = {}
        for act in acts:
            if act.seat != CHANCE:
                continue
            if act.total is not None:
                raise UnsupportedError(
                    f"In {self.spec.name!r} chance draws numbers with a total, which is not drawn "
                    "for batches. Play it as an Episode."
                )
            for name, _ in act.choose:
                options = self.machine.open_options(act, name, registers, {})
                chances: dict[Option, Fraction] = dict(
                    zip(
                        options,
                        self.machine.chances(self.spec.choice(name), options, now),
                        strict=True,
                    )
                )
                found[name] = [float(chances.get(o, 0)) for o in self.spec.options[name]]
        for name, rows in self.table.chances.items():
            rows.append(found.get(name, self._certain(name)))

    def _joint(
        self, registers: _Registers, steps: list[tuple[Act, str]], made: dict[str, Option]
    ) -> Iterator[tuple[int, dict[str, Option]]]:
        """Yield the number of each combination of options that may be chosen, and the options."""
        if len(made) == len(steps):
            number = 0
            for name, option in made.items():
                options = self.spec.options[name]
                number = number * len(options) + options.index(option)
            yield number, dict(made)
            return
        act, name = steps[len(made)]
        # Only a total depends on the other choices of the act.
        own = {c: made[c] for c, _ in act.choose if c in made} if act.total is not None else {}
        for option in self.machine.open_options(act, name, registers, own):
            made[name] = option
            yield from self._joint(registers, steps, made)
            del made[name]

    def _paid(self, events: Iterable[str], now: _Registers) -> tuple[float, ...]:
        """Return each seat's pay. Each rule is worked out once for all values that it reads."""
        totals: dict[str, Value] = {}
        for event in events:
            for number, pay, reads in self._rules.get(event, ()):
                key = (number, *(now[name] for name in reads))
                if key not in self._amounts:
                    amount = self.machine.amount(pay, now)
                    shares = () if amount is None else pay.to
                    self._amounts[key] = [(seat, times(f, amount)) for seat, f in shares]
                for seat, share in self._amounts[key]:
                    totals[seat] = totals[seat] + share if seat in totals else share
        return tuple(float(totals.get(seat) or 0) for seat in self.spec.seat_names)

    def _after(
        self, place: Place, registers: _Registers, acts: tuple[Act, ...], made: dict[str, Option]
    ) -> tuple[int, tuple[float, ...], int]:
        machine = self.machine
        after = machine.recorded(registers, made, place)
        onward, _ = machine.onward(place, after)
        now = {**machine.here(place, after), OVER: onward is None}
        paid = self._paid(events_of(acts, made, onward is None), now)
        if onward is not None:
            return self._number(onward, after), paid, 0
        verdict = self._verdict.value(now)
        return 0, paid, self._verdicts.setdefault(verdict, len(self._verdicts))
