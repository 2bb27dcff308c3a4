r"""One forward pass over a protocol under given play: probabilities and pay.

States are (place, registers that still matter). For each state the pass computes the probability
:math:`p`, and for each seat's pay so far :math:`X` the moments :math:`E[X; s]` and :math:`E[X^2;
s]`. Paying :math:`a` adds :math:`a p` to the first and :math:`2 a E[X; s] + a^2 p` to the second;
states that agree in all relevant registers are added up. Simultaneous choices are made one after
the other; the pay for a choice is computed, and the choice forgotten, before the next one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from nip_core.budget import PLAYS, spend
from nip_core.errors import UnsupportedError
from nip_core.language.data import Act, Choice, Option
from nip_core.language.expressions import OVER, REPEAT, Value, earlier
from nip_core.language.given import GivenPlay
from nip_core.language.liveness import VERDICT, Liveness, Written
from nip_core.language.machine import Machine, events_of, times
from nip_core.language.structure import Place, Structure, taken
from nip_core.language.symmetry import interchangeable, sorted_key
from nip_core.language.syntax import SyntaxNode

__all__ = ["Forward", "Mass"]

Key = tuple[Value, ...]
_KNOWN_VERDICT = "the verdict"


@dataclass(slots=True)
class Mass:
    """The probability of a state, and two moments of each seat's pay on the way to it."""

    chance: Any
    first: list[Any]
    second: list[Any]

    def scaled(self, share: Any) -> Mass:
        """Return this with all numbers multiplied by the probability of the next step."""
        return Mass(
            self.chance * share,
            [value * share for value in self.first],
            [value * share for value in self.second],
        )

    def pay(self, index: int, amount: Any) -> None:
        """Add an amount to what a seat is paid."""
        before, chance = self.first[index], self.chance
        self.second[index] += 2 * amount * before + amount * amount * chance
        self.first[index] = before + amount * chance

    def add(self, other: Mass) -> None:
        """Add another way to the same state."""
        self.chance += other.chance
        for index, value in enumerate(other.first):
            self.first[index] += value
            self.second[index] += other.second[index]


_Layer = dict[Key, Mass]


def _put(layer: _Layer, key: Key, mass: Mass) -> None:
    known = layer.get(key)
    if known is None:
        layer[key] = mass
    else:
        known.add(mass)


@dataclass
class Forward:
    """The forward pass and its results.

    Parameters
    ----------
    spec : Structure
    given : GivenPlay
    exact : bool
        Whether to compute in fractions and not in floats, which is faster.
    most : int, optional
        The most steps (a state and an option in it).
    truth : str, optional
        The choice that says what is true.

    Attributes
    ----------
    steps, states : int
        The numbers of steps and states.
    verdicts : dict
        The probability of each verdict with each truth.
    ways : dict
        For each reached turn, the possible sets of acts.
    went : dict
        For each such turn, the targets of the conditions that held; None if none did.
    paid : set of int
        The numbers of the rules of pay that were applied.
    """

    spec: Structure
    given: GivenPlay
    exact: bool
    most: int | None
    truth: str | None = None
    steps: int = 0
    states: int = 0
    verdicts: dict[tuple[Value, Option | None], Any] = field(
        default_factory=dict[tuple[Value, Option | None], Any]
    )
    ways: dict[Written, set[tuple[Act, ...]]] = field(
        default_factory=dict[Written, set[tuple[Act, ...]]]
    )
    went: dict[Written, set[str | None]] = field(default_factory=dict[Written, set[str | None]])
    paid: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        self.machine, self.live = Machine(self.spec), Liveness(self.spec, self.given)
        if self.truth is not None:
            self.live.ends.reads[VERDICT] |= {self.truth}
        self._alike = interchangeable(self.spec.options, self._trees())
        self._places_alike: dict[object, list[list[int]]] = {}
        self._passages: dict[tuple[Written, tuple[Act, ...]], _Passage] = {}
        self._fixed_on_the_way: dict[tuple[Written | None, Written | None], list[int]] = {}
        # The last entry is "paid" 1 in every turn, which counts turns.
        self.index = {seat: number for number, seat in enumerate(self.spec.seat_names)}
        self.total = self._mass(0)
        self._run()

    def _trees(self) -> Iterator[SyntaxNode]:
        """Yield all expressions that are worked out in the pass."""
        spec = self.spec
        texts = {spec.verdict}
        texts |= {text for pay in spec.pay for text in (pay.amount, pay.when)}
        texts |= {weight for choice in spec.choices for weight in choice.weights}
        for _, _, turn in spec.places():
            texts |= {act.when for act in turn.acts} | {text for _, text in turn.then}
        for text in sorted(texts):
            yield spec.names.expanded(spec.expression(text).tree)
        for value in spec.collected:
            yield spec.names.expanded(spec.names.collecting(value.name).tree)
        yield from self.given.trees()
        if self.truth is not None:
            yield SyntaxNode("name", name=self.truth)

    def alike(
        self, names: tuple[str, ...], changing: frozenset[str], mark: str = ""
    ) -> list[list[int]]:
        """Return the places of names whose values may be exchanged.

        Parameters
        ----------
        names : tuple of str
        changing : frozenset of str
            The choices that may be made later, of which none may be among them.
        mark : str
            What stands before the names of those that are meant.
        """
        if not self._alike:
            return []
        key = names, changing, mark
        if key not in self._places_alike:
            groups: dict[frozenset[str], list[int]] = {}
            for place, name in enumerate(names):
                choice = name.removeprefix(mark)
                if name.startswith(mark) and choice in self._alike and choice not in changing:
                    groups.setdefault(self._alike[choice], []).append(place)
            self._places_alike[key] = [group for group in groups.values() if len(group) > 1]
        return self._places_alike[key]

    @property
    def cell_size(self) -> int:
        """The steps of copying a mass; fractions take many times as long as floats."""
        return (1 + len(self.spec.seats)) * (6 if self.exact else 1)

    def _mass(self, chance: int) -> Mass:
        zero = Fraction(0) if self.exact else 0.0
        size = len(self.spec.seats) + 1
        return Mass(zero + chance, [zero] * size, [zero] * size)

    def _number(self, value: Value) -> Any:
        return value if self.exact else float(value)

    def _run(self) -> None:
        layers: dict[Place, _Layer] = {self.machine.first: {}}
        for registers, mass in self._drawn():
            self._leave(layers, None, self.machine.first, registers, mass)
        queue = [self.machine.first]
        while queue:
            place = heapq.heappop(queue)
            layer = layers.pop(place)
            self.states += len(layer)
            waiting = set(layers)
            self._turn(layers, place, layer)
            for there in layers.keys() - waiting:
                heapq.heappush(queue, there)

    def work(self, steps: int, here: Written) -> None:
        """Count work in a turn towards the document's budget."""
        spend(steps, PLAYS, "stage {!r}, turn {}", self.spec.stages[here[0]].name, here[1] + 1)

    def _count(self, number: int) -> None:
        self.steps += number
        if self.most is not None and self.steps > self.most:
            raise UnsupportedError(
                f"{self.spec.name!r} has more than {self.most:,} steps under this play, which is "
                "too many to work them out exactly."
            )

    # -- before play ---------------------------------------------------------------------------

    def _drawn(self) -> Iterable[tuple[dict[str, Value], Mass]]:
        found = [(self.machine.blank(), self._mass(1))]
        for choice in self.spec.drawn:
            options, after = self.spec.options[choice.name], list(found)
            after.clear()
            for registers, mass in found:
                ways = self.ways_of(choice, options, registers, None)
                cost = 20 + len(ways) * (len(registers) // 4 + self.cell_size)
                spend(cost, PLAYS, "choice {!r}", choice.name)
                for option, chance in ways:
                    made = self.machine.recorded(registers, {choice.name: option})
                    after.append((made, mass.scaled(self._number(chance))))
            found = after
        return found

    def ways_of(
        self,
        choice: Choice,
        options: tuple[Option, ...],
        now: Mapping[str, Value],
        place: Place | None,
    ) -> list[tuple[Option, Fraction]]:
        """Return the options that may be chosen, with their probabilities."""
        self._count(len(options))
        costs = [self.spec.expression(weight).cost for weight in choice.weights]
        steps = len(options) * (1 + 10 * bool(costs) + 2 * sum(costs) // max(1, len(costs)))
        spend(steps, PLAYS, "choice {!r}", choice.name)
        chances = self.given.chances(self.machine, choice, options, now, place)
        return [each for each in zip(options, chances, strict=True) if each[1]]

    # -- a turn --------------------------------------------------------------------------------

    def _turn(self, layers: dict[Place, _Layer], place: Place, layer: _Layer) -> None:
        here = place.stage, place.turn
        names = self._names(here)
        conditions = sum(self.spec.expression(act.when).cost for act in self.spec.turn(place).acts)
        self.work(len(layer) * (30 + len(names) // 2 + conditions), here)
        # States with the same acts go through the turn together.
        together: dict[tuple[Act, ...], _Layer] = {}
        for key, mass in layer.items():
            acts = self.machine.acts(place, self._registers(names, key))
            together.setdefault(acts, {})[key] = mass
        for acts, group in together.items():
            self.ways.setdefault(here, set()).add(acts)
            if (here, acts) not in self._passages:
                self._passages[here, acts] = _Passage(self, here, acts, names)
            self._passages[here, acts].go(place, group, layers)

    def counts_of(self, choices: Iterable[str]) -> dict[str, list[tuple[str, Option]]]:
        """Return the registers that count limited options, with these, for some choices."""
        found: dict[str, list[tuple[str, Option]]] = {choice: [] for choice in choices}
        for choice, option, _ in self.spec.option_limits:
            if choice in found:
                found[choice].append((taken(choice, option), option))
        return found

    def _names(self, here: tuple[int, int]) -> tuple[str, ...]:
        known = (_KNOWN_VERDICT,) if VERDICT in self.live.known[here] else ()
        return (*self.live.live[here], *known)

    def _registers(self, names: tuple[str, ...], key: Key) -> dict[str, Value]:
        return dict(zip(names, key, strict=True))

    def _leave(
        self,
        layers: dict[Place, _Layer],
        before: Place | None,
        place: Place | None,
        registers: Mapping[str, Value],
        mass: Mass,
        settled: frozenset[int] = frozenset(),
    ) -> None:
        """Move states to a place (None: the end), and compute what of the end is fixed there."""
        there = None if place is None else (place.stage, place.turn)
        was = None if before is None else (before.stage, before.turn)
        if (was, there) not in self._fixed_on_the_way:
            ends = self.live.ends.reads.keys() if there is None else self.live.known[there]
            known = self.live.known[was] if was else frozenset[int]()
            self._fixed_on_the_way[was, there] = sorted(ends - known - settled)
        found = dict(registers)
        at = place if before is None else before
        assert at is not None
        now = {**self.machine.here(at, found), OVER: place is None}
        for number in self._fixed_on_the_way[was, there]:
            self.settle(number, now, found, mass)
        if place is None:
            verdict = found[_KNOWN_VERDICT]
            self.verdicts[verdict] = self.verdicts.get(verdict, 0) + mass.chance
            self.total.add(mass)
            return
        here = place.stage, place.turn
        names = self._names(here)
        key = tuple(found[name] for name in names)
        if alike := self.alike(names, self.live.changing(here)):
            key = sorted_key(key, alike)
        _put(layers.setdefault(place, {}), key, mass)

    def settle(
        self, number: int, now: Mapping[str, Value], found: dict[str, Value], mass: Mass
    ) -> None:
        """Compute one result of the end."""
        if number == VERDICT:
            verdict = self.spec.expression(self.spec.verdict)
            spend(verdict.cost, PLAYS, "the verdict")
            true = None if self.truth is None else now[self.truth]
            found[_KNOWN_VERDICT] = verdict.value(now), true
        else:
            self.pay(number, now, mass)

    def pay(self, number: int, now: Mapping[str, Value], mass: Mass) -> None:
        """Apply one rule of pay."""
        rule = self.spec.pay[number]
        costs = self.spec.expression(rule.amount).cost + self.spec.expression(rule.when).cost
        spend(costs + 6 * len(rule.to), PLAYS, "pay {}", number + 1)
        amount = self.machine.amount(rule, now)
        if amount is None:
            return
        self.paid.add(number)
        for seat, factor in rule.to:
            mass.pay(self.index[seat], self._number(times(factor, amount)))


class _Passage:
    """A turn with a given set of acts, played choice by choice."""

    def __init__(
        self, forward: Forward, here: Written, acts: tuple[Act, ...], names: tuple[str, ...]
    ) -> None:
        self.forward, self.here, self.acts, self.names = forward, here, acts, names
        spec, live = forward.spec, forward.live
        # The names needed once the choice of a step is made.
        self.after_choice: dict[int, set[str]] = {}
        self.steps = [(act, choice) for act in acts for choice, _ in act.choose]
        self.made = [choice for _, choice in self.steps]
        self.counts = forward.counts_of(self.made)
        forward.work(70 + len(self.made) * (30 + 3 * len(names)) + 2 * len(spec.pay), here)
        events = set(events_of(acts, self.made, False))
        # What is computed within the turn: its rules of pay, and results of the end that become
        # fixed.
        self.settles = live.settles(self.here)
        # The choices that may still be made after the turn.
        self.later = live.changing_after(self.here)
        self.values = self._values()
        self.within: dict[int, frozenset[str]] = {n: live.ends.reads[n] for n in self.settles}
        self.at_last: list[int] = []
        for number, pay in enumerate(spec.pay):
            if pay.at in events:
                reads = spec.expression(pay.amount).reads | spec.expression(pay.when).reads
                if OVER in reads:
                    self.at_last.append(number)
                else:
                    self.within[number] = reads
        self.when: dict[int, list[int]] = {}
        for number, reads in self.within.items():
            self.when.setdefault(self._known_with(reads, self.values), []).append(number)
        self.needed, self.collecting = self._needed()

    def _known_with(self, reads: frozenset[str], values: Mapping[str, int]) -> int:
        """Return the step with which all that is read is known; -1 before the first."""
        steps = [
            step
            for step, choice in enumerate(self.made)
            if choice in reads or earlier(choice) in reads
        ]
        return max([*steps, *(step for name, step in values.items() if name in reads)], default=-1)

    def _values(self) -> dict[str, int]:
        """Return the values that may be collected here, each with the step in which it is.

        That is when one of its choices has been made and all that it reads is known.
        """
        steps: dict[str, int] = {}
        for value in self.forward.live.collected_in(self.here):
            at = [step for step, choice in enumerate(self.made) if choice in value.at]
            if at:
                reads = self._reads(value.name)
                steps[value.name] = max(*at, self._known_with(reads, steps))
        return steps

    def _reads(self, value: str) -> frozenset[str]:
        return self.forward.spec.names.collecting(value).reads - {OVER, REPEAT}

    def _read_by_value(self, value: str) -> set[str]:
        """Return what a value is collected from, in names within the turn.

        Those of values that come later in the protocol, and its own, are still the old ones.
        """
        names = [*self.values]
        later, reads = set(names[names.index(value) :]), self._reads(value)
        return self._before(reads - later) | (reads & later) | {value}

    def _needed(self) -> tuple[list[set[str]], dict[int, dict[str, set[str]]]]:
        """Return the names needed after each step: old registers, choices made, new values.

        And, for the values that are collected in a step, the names needed after each of them.
        """
        forward, live = self.forward, self.forward.live
        spec = forward.spec
        texts = [condition for _, condition in live.turns[self.here].then]
        texts += [t for n in self.at_last for t in (spec.pay[n].amount, spec.pay[n].when)]
        last = set[str]().union(*(spec.expression(text).reads for text in texts))
        for there in live.successors(self.here):
            if there is not None:
                last |= {*live.live[there]}
            known = live.ends.reads.keys() if there is None else live.known[there]
            for number in known - live.known[self.here] - self.settles:
                last |= live.ends.reads[number]
        found = [self._before(last)]
        collecting: dict[int, dict[str, set[str]]] = {}
        for step in reversed(range(len(self.steps))):
            needed = set(found[0])
            for number in self.when.get(step, ()):
                needed |= self._before(self.within[number])
            for name in reversed([name for name, at in self.values.items() if at == step]):
                if _new(name) in needed:
                    collecting.setdefault(step, {})[name] = set(needed)
                    needed = (needed - {_new(name)}) | self._read_by_value(name)
            self.after_choice[step] = set(needed)
            needed.discard(_new(self.made[step]))
            act, choice = self.steps[step]
            needed |= forward.given.reads(choice, self.here[0])
            needed |= {count for count, _ in self.counts.get(choice, ())}
            if act.total is not None:
                needed |= {_new(c) for a, c in self.steps[:step] if a is act}
            found.insert(0, needed)
        for number in self.when.get(-1, ()):
            found[0] |= self._before(self.within[number])
        return found, collecting

    def _before(self, names: Iterable[str]) -> set[str]:
        """Return names after the turn as names within it: old registers, or choices made."""
        old = {earlier(choice): choice for choice in self.made}
        counted = {count: made for made, counts in self.counts.items() for count, _ in counts}
        made, found = {*self.made, *self.values}, set[str]()
        for name in names:
            found.add(_new(name) if name in made else old.get(name, name))
            if name in counted:
                found.add(_new(counted[name]))
        return found

    def go(self, place: Place, group: _Layer, layers: dict[Place, _Layer]) -> None:
        """Play the turn from a group of states."""
        forward = self.forward
        names, layer = self.names, group
        kept = (_KNOWN_VERDICT,) if _KNOWN_VERDICT in names else ()
        if -1 in self.when:
            names, layer, kept = self._settled(place, -1, names, layer, kept)
        for step, (act, choice) in enumerate(self.steps):
            names, layer = self._chosen(place, step, act, choice, names, layer, kept)
            for name, needed in reversed(self.collecting.get(step, {}).items()):
                names, layer = self._collected(place, name, needed, names, layer, kept)
            if step in self.when:
                names, layer, kept = self._settled(place, step, names, layer, kept)
        turn_index = len(forward.spec.seats)
        forward._count(len(layer))
        guards = forward.spec.turn(place).then
        conditions = sum(forward.spec.expression(condition).cost for _, condition in guards)
        forward.work(len(layer) * (30 + 2 * len(names) + conditions), self.here)
        for key, mass in layer.items():
            mass.pay(turn_index, 1)
            registers = self._after(dict(zip(names, key, strict=True)))
            onward, target = forward.machine.onward(place, registers)
            forward.went.setdefault(self.here, set()).add(target)
            now = {**forward.machine.here(place, registers), OVER: onward is None}
            for number in self.at_last:
                forward.pay(number, now, mass)
            forward._leave(layers, place, onward, registers, mass, self.settles)

    def _chosen(
        self,
        place: Place,
        step: int,
        act: Act,
        choice: str,
        names: tuple[str, ...],
        layer: _Layer,
        kept: tuple[str, ...],
    ) -> tuple[tuple[str, ...], _Layer]:
        """Make one choice in all states, and forget what is no longer needed."""
        forward, found = self.forward, dict[Key, Mass]()
        register = forward.spec.choice(choice)
        wanted = (*sorted(self.after_choice[step] & {*names, _new(choice)}), *kept)
        at = [None if name == _new(choice) else names.index(name) for name in wanted]
        size = 3 + len(wanted) // 3 + forward.cell_size
        alike = forward.alike(wanted, self.later, _NEW)
        limits = 2 * len(self.counts[choice]) + len(forward.spec.options[choice]) // 10
        forward.work(len(layer) * (20 + len(names) // 2 + limits), self.here)
        for key, mass in layer.items():
            known = dict(zip(names, key, strict=True))
            # Only a total depends on the other choices of the act.
            made: dict[str, Option] = {}
            if act.total is not None:
                forward.work(2 * len(self.made) + len(known), self.here)
                made = {c: known[_new(c)] for c in self.made if _new(c) in known}
            options = forward.machine.open_options(act, choice, known, made)
            now = forward.machine.here(place, known)
            ways = forward.ways_of(register, options, now, place)
            forward.work(size * len(ways), self.here)
            for option, chance in ways:
                new = tuple(option if index is None else key[index] for index in at)
                if alike:
                    new = sorted_key(new, alike)
                _put(found, new, mass.scaled(forward._number(chance)))
        return wanted, found

    def _collected(
        self,
        place: Place,
        name: str,
        needed: set[str],
        names: tuple[str, ...],
        layer: _Layer,
        kept: tuple[str, ...],
    ) -> tuple[tuple[str, ...], _Layer]:
        """Bring a value up to date in all states, and forget what was needed only for that."""
        forward, found = self.forward, dict[Key, Mass]()
        spec, order = forward.spec, [*self.values]
        value = next(value for value in spec.collected if value.name == name)
        still_old = order[order.index(name) :]
        wanted = (*sorted(needed & {*names, _new(name)}), *kept)
        steps = 20 + 3 * len(names) + spec.names.collecting(name).cost
        forward.work(len(layer) * steps, self.here)
        for key, mass in layer.items():
            known = dict(zip(names, key, strict=True))
            registers = self._after(known)
            registers |= {other: known[other] for other in still_old if other in known}
            now = forward.machine.here(place, registers)
            known[_new(name)] = forward.machine.with_next(value, known[name], now)
            _put(found, tuple(known[each] for each in wanted), mass)
        return wanted, found

    def _settled(
        self, place: Place, step: int, names: tuple[str, ...], layer: _Layer, kept: tuple[str, ...]
    ) -> tuple[tuple[str, ...], _Layer, tuple[str, ...]]:
        """Compute the pay that is known after a step, and forget what was needed only for that."""
        forward, found = self.forward, dict[Key, Mass]()
        numbers = self.when[step]
        if VERDICT in numbers:
            kept = (_KNOWN_VERDICT,)
        wanted = (*sorted(self.needed[step + 1] & {*names}), *kept)
        forward.work(len(layer) * (15 + 2 * len(names)), self.here)
        for key, mass in layer.items():
            registers = self._after(dict(zip(names, key, strict=True)))
            now = forward.machine.here(place, registers)
            for number in numbers:
                if number in self.settles:
                    forward.settle(number, now, registers, mass)
                else:
                    forward.pay(number, now, mass)
            known = dict(zip(names, key, strict=True))
            known |= {name: registers[name] for name in kept}
            _put(found, tuple(known[name] for name in wanted), mass)
        return wanted, found, kept

    def _after(self, known: Mapping[str, Value]) -> dict[str, Value]:
        """Return the known registers after the turn."""
        found = {name: value for name, value in known.items() if not name.startswith(_NEW)}
        for choice in self.made:
            if _new(choice) in known:
                option = known[_new(choice)]
                for count, other in self.counts.get(choice, ()):
                    if count in known:
                        found[count] = known[count] + (option == other)
                found[choice] = option
            if choice in known:
                found[earlier(choice)] = known[choice]
        found |= {name: known[_new(name)] for name in self.values if _new(name) in known}
        return found


_NEW = "new "


def _new(choice: str) -> str:
    """Return the name of a choice made within the present turn."""
    return f"{_NEW}{choice}"
