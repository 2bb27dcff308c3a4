"""One forward pass over a protocol under given play, for one result: a seat's pay, or the verdict.

States are (place, registers that still matter for this result), as arrays. Simultaneous choices are
made one after the other; the pay for a choice is computed, and the choice forgotten, before the
next one. States that agree in all relevant registers are added up.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from nip_core.budget import PLAYS, spend
from nip_core.errors import UnsupportedError
from nip_core.language.arrays import (
    MOST,
    TRUTH_COLUMN,
    VERDICT_COLUMN,
    Column,
    Columns,
    Rows,
    Ways,
    combined,
    evaluated,
    joined,
    numbered,
)
from nip_core.language.data import Act, Choice, ComputedValue, Option
from nip_core.language.expressions import OVER, REPEAT, Value, earlier
from nip_core.language.given import GivenPlay
from nip_core.language.liveness import VERDICT, Ends, Liveness, Written
from nip_core.language.machine import Machine, next_collected
from nip_core.language.repeats import FEWEST, Layers, is_even, repeated, repetition
from nip_core.language.structure import Place, Structure
from nip_core.language.sums import Sums, proportional
from nip_core.language.symmetry import interchangeable
from nip_core.language.syntax import SyntaxNode
from nip_core.language.turn_plans import NEW, TurnPlan, new_name, replaced_in

__all__ = ["Forward", "Limit", "Result"]

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Result:
    """What a pass is for.

    Parameters
    ----------
    factors : mapping of int to Fraction
        The rules of pay that count, by number, with the factor of each.
    verdict : bool
        Whether the verdict counts, instead of pay.
    truth : str, optional
        The choice that says what is true, to be known with the verdict.
    turns : bool
        Whether 1 is paid for each turn.
    """

    factors: Mapping[int, Fraction] = field(default_factory=dict[int, Fraction])
    verdict: bool = False
    truth: str | None = None
    turns: bool = False


class Limit:
    """The most steps (a state and an option in it) of some passes together."""

    def __init__(self, name: str, most: int | None) -> None:
        self.name, self.most, self.steps = name, most, 0

    def count(self, number: int) -> None:
        """Count steps.

        Raises
        ------
        UnsupportedError
            If there are too many.
        """
        self.steps += number
        if self.most is not None and self.steps > self.most:
            raise UnsupportedError(
                f"{self.name!r} has more than {self.most:,} steps under this play, which is too "
                "many to work them out exactly."
            )


class Forward:
    """The forward pass and its result.

    Parameters
    ----------
    spec : Structure
    given : GivenPlay
    result : Result
    limit : Limit
    exact : bool
        Whether probabilities are fractions and not floats.
    whole : bool
        Whether to compute the distribution of pay, and not only its mean and variance.
    plays : int
        How many plays to sample, instead of computing all.
    seed : int
        The seed of the sample.

    Attributes
    ----------
    verdicts : dict
        The probability of each verdict with each truth.
    law : dict
        The probability of each amount, if `whole`.
    mean, square : number
        The means of the amount and of its square, if not `whole`.
    """

    def __init__(
        self,
        spec: Structure,
        given: GivenPlay,
        result: Result,
        limit: Limit,
        *,
        exact: bool,
        whole: bool = True,
        plays: int = 0,
        seed: int = 0,
    ) -> None:
        self.spec, self.given, self.result, self.limit = spec, given, result, limit
        self.exact, self.whole = exact or plays > 0, whole
        self.plays = plays
        self.rng = np.random.default_rng(seed) if plays else None
        self.machine = Machine(spec)
        # Sums that pay is proportional to need no states of their own if only means are wanted.
        is_rounded = not (self.exact or whole)
        self.sums = Sums(proportional(spec, given, result.factors) if is_rounded else ())
        ends = Ends(spec, result.factors, result.verdict, result.truth)
        self.live = Liveness(spec, given, ends)
        self.verdicts: dict[tuple[Value, Value], Any] = {}
        self.law: dict[Any, Any] = {}
        self.mean: Any = Fraction(0) if exact else 0.0
        self.square: Any = self.mean
        self._tables: dict[str, list[Value]] = {}
        for choice in spec.choices:
            table = [None, *spec.options[choice.name]]
            self._tables |= dict.fromkeys((choice.name, earlier(choice.name)), table)
        # The stages whose repetitions were to be played together.
        self._tried: set[int] = set()
        # What ends within one repetition that stands for many.
        self._over: list[Rows] | None = None
        self._alike = interchangeable(spec.options, self._trees())
        self._plans: dict[tuple[Written, tuple[Act, ...], frozenset[str]], TurnPlan] = {}
        self._run()

    def _trees(self) -> Iterator[SyntaxNode]:
        """Yield all expressions that are worked out in the pass."""
        spec = self.spec
        texts = {spec.verdict} if self.result.verdict else set[str]()
        rules = [spec.pay[number] for number in self.live.ends.rules]
        texts |= {text for pay in rules for text in (pay.amount, pay.when)}
        texts |= {weight for choice in spec.choices for weight in choice.weights}
        for _, _, turn in spec.places():
            texts |= {act.when for act in turn.acts} | {text for _, text in turn.then}
        for text in sorted(texts):
            yield spec.names.expanded(spec.expression(text).tree)
        for value in spec.collected:
            yield spec.names.expanded(spec.names.collecting(value.name).tree)
        yield from self.given.trees()
        if self.result.truth is not None:
            yield SyntaxNode("name", name=self.result.truth)

    def _alike_in(
        self, names: Iterable[str], changing: frozenset[str], mark: str = ""
    ) -> list[list[str]]:
        """Return names whose values may be exchanged.

        Parameters
        ----------
        names : iterable of str
        changing : frozenset of str
            The choices that may be made later, of which none may be among them.
        mark : str
            What stands before the names of those that are meant.
        """
        if not self._alike:
            return []
        groups: dict[frozenset[str], list[str]] = {}
        for name in names:
            choice = name.removeprefix(mark)
            if name.startswith(mark) and choice in self._alike and choice not in changing:
                groups.setdefault(self._alike[choice], []).append(name)
        return [group for group in groups.values() if len(group) > 1]

    # -- the pass --------------------------------------------------------------------------------

    def _run(self) -> None:
        layers: Layers = {}
        self._leave(layers, None, self.machine.first, self._drawn())
        queue = [*layers]
        while queue:
            place = heapq.heappop(queue)
            parts = layers.pop(place)
            rows = parts[0] if len(parts) == 1 else joined(parts).merged()
            waiting = set(layers)
            if not self._repeated(layers, place, rows):
                self._turn(layers, place, rows)
            for there in layers.keys() - waiting:
                heapq.heappush(queue, there)

    def _repeated(self, layers: Layers, place: Place, rows: Rows) -> bool:
        """Play all repetitions of a stage but the last together, if that is possible."""
        stage, times = place.stage, self.spec.times(place.stage) - 1 - place.repeat
        if place.turn or times < FEWEST or not self.whole or self.plays or stage in self._tried:
            return False
        self._tried.add(stage)
        if not is_even(self.spec, self.given, stage):
            return False
        again = Place(stage, place.repeat + 1, 0)

        def played(states: Rows) -> tuple[Layers, list[Rows]]:
            within: Layers = {place: [states]}
            self._over, over = [], self._over
            while (here := min(within)).stage == stage and here < again:
                parts = within.pop(here)
                self._turn(within, here, joined(parts).merged())
                if not within:
                    break
            self._over, over = over, self._over
            return within, over or []

        one = repetition(rows, again, played)
        if one is None:
            return False
        last, exits = repeated(rows, one, times)
        for there, states in exits:
            if there is None:
                self._end(states)
            else:
                layers.setdefault(there, []).append(states)
        if last is not None:
            layers.setdefault(Place(stage, place.repeat + times, 0), []).append(last)
        return True

    def _drawn(self) -> Rows:
        """Return the states before the first turn."""
        blank = self.machine.blank()
        columns = {name: Column([value], None) for name, value in blank.items()}
        columns |= {name: Column(table, None) for name, table in self._tables.items()}
        one = np.full(1, self.plays or 1, np.int64 if self.exact else float)
        zero = np.zeros(1, one.dtype if self.whole or self.exact else float)
        pay = None if self.result.verdict else zero
        if self.sums.names:
            pay = np.zeros((self.sums.lines, 1))
        rows = Rows(columns, one, 1, pay, 1, self.whole)
        for choice in self._needed_before_play():
            options = self.spec.options[choice.name]
            reads = self.given.reads(choice.name, None)
            rows = self._chosen(rows, choice, choice.name, reads, None, lambda _, o=options: o)
            for value in self.spec.collected:
                if choice.name in value.at:
                    view = _view(rows.columns, self.machine.first)
                    rows.columns[value.name] = self._collected(value, view, rows)
        return rows

    def _needed_before_play(self) -> list[Choice]:
        """Return the choices before play that matter."""
        drawn = self.spec.drawn
        if any(not {choice.name for choice in drawn}.isdisjoint(v.at) for v in self.spec.collected):
            return [*drawn]
        known = (self.live.ends.reads[number] for number in self.live.known[0, 0])
        needed = {*self.live.live[0, 0]}.union(*known)
        found: list[Choice] = []
        for choice in reversed(drawn):
            if choice.name in needed:
                needed |= self.given.reads(choice.name, None)
                found.insert(0, choice)
        return found

    def _collected(self, value: ComputedValue, view: Columns, rows: Rows) -> Column:
        """Return a value after a choice at which it is collected."""
        more = evaluated(self.spec.names.collecting(value.name).work, view, {})
        so_far = rows.columns.get(value.name, _NONE)
        if value.name in self.sums.names:
            self.sums.collect(value.name, more, rows)
            return so_far
        return combined(partial(next_collected, value.way), [so_far, more])

    def _chosen(
        self,
        rows: Rows,
        choice: Choice,
        column: str,
        reads: Iterable[str],
        place: Place | None,
        options_of: Callable[[dict[str, Value]], tuple[Option, ...]],
    ) -> Rows:
        """Return the states after a choice, which is made in all possible ways.

        Parameters
        ----------
        rows : Rows
        choice : Choice
        column : str
            Where it is kept.
        reads : iterable of str
            The columns on which the open options and their probabilities depend.
        place : Place, optional
            None before play.
        options_of : callable
            Returns the open options, given these columns.
        """
        names = [name for name in sorted(reads) if name in rows.columns]
        varying = [name for name in names if rows.columns[name].codes is not None]
        keys = [(rows.columns[n].filled(len(rows)), len(rows.columns[n].table)) for n in varying]
        first, kinds = numbered(keys) if keys else (np.zeros(1, np.int64), None)
        ways: list[dict[int, Fraction]] = []
        table = self._tables[choice.name]
        blank = self.machine.blank()
        for row in first.tolist():
            now = dict(blank)
            for name in names:
                found = rows.columns[name]
                now[name] = found.table[0 if found.codes is None else int(found.codes[row])]
            now |= {OVER: False, REPEAT: 1 if place is None else place.repeat + 1}
            options = options_of(now)
            self._spend_on(choice, len(options))
            chances = self.given.chances(self.machine, choice, options, now, place)
            way = {o: chance for o, chance in zip(options, chances, strict=True) if chance}
            ways.append({table.index(o): chance for o, chance in self.tried(choice, way).items()})
        codes = sorted({code for way in ways for code in way})
        self.limit.count(len(rows) * len(codes))
        of = math.lcm(*(chance.denominator for way in ways for chance in way.values()))
        shares = [[int(way.get(code, 0) * of) for code in codes] for way in ways]
        whole = np.array(shares, np.int64 if of < MOST else object)
        all_ways = Ways(np.array(codes), whole, of, kinds)
        if self.rng is not None:
            return rows.drawn(column, table, all_ways, self.rng)
        return rows.spread(column, table, all_ways)

    def tried(self, choice: Choice, ways: dict[Option, Fraction]) -> dict[Option, Fraction]:
        """Return the options that are tried, with their probabilities."""
        return ways

    def _spend_on(self, choice: Choice, options: int) -> None:
        costs = [self.spec.expression(weight).cost for weight in choice.weights]
        steps = options * (1 + 10 * bool(costs) + 2 * sum(costs) // max(1, len(costs)))
        spend(steps, PLAYS, "choice {!r}", choice.name)

    # -- a turn ------------------------------------------------------------------------------------

    def _turn(self, layers: Layers, place: Place, rows: Rows) -> None:
        here = place.stage, place.turn
        spend(40, PLAYS, "stage {!r}, turn {}", self.spec.stages[here[0]].name, here[1] + 1)
        view, acts = _view(rows.columns, place), self.spec.turn(place).acts
        conditions = [evaluated(self.spec.expression(act.when).work, view, {}) for act in acts]
        for happening, mask in self._groups(acts, conditions):
            self.note_acts(here, happening)
            some = rows if mask is None else rows.take(mask)
            replaced = replaced_in(self.live, here, happening, some.columns)
            plan = self._plans.get((here, happening, replaced))
            if plan is None:
                plan = TurnPlan(self.live, here, happening, replaced)
                self._plans[here, happening, replaced] = plan
            self._play(plan, place, some, layers)

    def _groups(
        self, acts: Sequence[Act], conditions: Sequence[Column]
    ) -> Iterator[tuple[tuple[Act, ...], Mask | None]]:
        """Return the sets of acts that happen together, with the states in which they do."""

        def happening(*holds: Value) -> tuple[Act, ...]:
            found: dict[str, Act] = {}
            for act, holds_now in zip(acts, holds, strict=True):
                if holds_now and act.seat not in found:
                    found[act.seat] = act
            return tuple(found.values())

        return combined(happening, conditions).groups()

    def _play(self, plan: TurnPlan, place: Place, rows: Rows, layers: Layers) -> None:
        """Play a turn from some states."""
        if plan.replaced:
            rows = rows.kept(plan.needed[0] & rows.columns.keys())
        rows = self._computed(plan, -1, place, rows)
        for step in range(len(plan.steps)):
            rows = self._made(plan, step, place, rows)
            for name, needed in reversed(plan.collecting.get(step, {}).items()):
                view = _view(plan.after(rows.columns, plan.still_old(name)), place)
                value = next(value for value in self.spec.collected if value.name == name)
                rows.columns[new_name(name)] = self._collected(value, view, rows)
                rows = rows.kept(needed & rows.columns.keys())
            rows = self._computed(plan, step, place, rows)
        self.limit.count(len(rows))
        if self.result.turns:
            self.add(-1, _ONE, rows)
        self._onward(plan, place, rows, layers)

    def _made(self, plan: TurnPlan, step: int, place: Place, rows: Rows) -> Rows:
        """Make one choice in all states, and forget what is no longer needed."""
        act, choice = plan.steps[step]
        new, needed = new_name(choice), plan.after_choice[step]
        if new in needed:
            reads = self.given.reads(choice, place.stage)
            reads = reads.union(count for count, _ in plan.counts.get(choice, ()))
            others: list[str] = []
            if act.total is not None:
                others = [c for a, c in plan.steps[:step] if a is act]
                reads = reads.union(map(new_name, others))

            def options_of(now: dict[str, Value]) -> tuple[Option, ...]:
                made = {name: now[new_name(name)] for name in others}
                return self.machine.open_options(act, choice, now, made)

            rows = self._chosen(rows, self.spec.choice(choice), new, reads, place, options_of)
        wanted = needed & rows.columns.keys()
        return rows.kept(wanted, self._alike_in(wanted, plan.later, NEW))

    def _computed(self, plan: TurnPlan, step: int, place: Place, rows: Rows) -> Rows:
        """Compute the pay that is known after a step, and forget what was needed only for that."""
        if step not in plan.when:
            return rows
        view = _view(plan.after(rows.columns), place)
        for number in plan.when[step]:
            if number in plan.settles:
                self._settle(number, view, rows)
            else:
                self._pay(number, view, rows)
        return rows.kept(plan.needed[step + 1] & rows.columns.keys())

    def _onward(self, plan: TurnPlan, place: Place, rows: Rows, layers: Layers) -> None:
        """Move the states to where play continues after a turn."""
        spec = self.spec
        rows = rows.with_columns(plan.after(rows.columns))
        targets = [target for target, _ in spec.turn(place).then]
        known: dict[int, Column] = {}
        view = _view(rows.columns, place)
        conditions = [
            evaluated(spec.expression(text).work, view, known) for _, text in spec.turn(place).then
        ]

        def target_of(*holds: bool) -> str | None:
            return next((t for t, now in zip(targets, holds, strict=True) if now), None)

        for target, mask in combined(target_of, conditions).groups():
            self.note_target(plan.here, target)
            onward = spec.after(place) if target is None else spec.target(target)
            part = rows if mask is None else rows.take(mask)
            for rule in plan.at_last:
                self._pay(rule, _view(part.columns, place, onward is None), part)
            self._leave(layers, place, onward, part, plan.settles)

    def note_acts(self, here: Written, acts: tuple[Act, ...]) -> None:
        """Take note of acts that happen together in a turn."""

    def note_target(self, here: Written, target: str | None) -> None:
        """Take note of where play goes after a turn."""

    def _leave(
        self,
        layers: Layers,
        before: Place | None,
        place: Place | None,
        rows: Rows,
        settled: frozenset[int] = frozenset(),
    ) -> None:
        """Move states to a place (None: the end), and compute what of the end is fixed there."""
        there = None if place is None else (place.stage, place.turn)
        was = None if before is None else (before.stage, before.turn)
        ends = self.live.ends.reads.keys() if there is None else self.live.known[there]
        known = self.live.known[was] if was else frozenset[int]()
        at = before or place
        assert at is not None
        view = _view(rows.columns, at, place is None)
        for number in sorted(ends - known - settled):
            self._settle(number, view, rows)
        if there is None or place is None:
            self._end(rows)
            return
        names = self.live.live[there]
        rows = rows.kept(names, self._alike_in(names, self.live.changing(there)))
        layers.setdefault(place, []).append(rows)

    def _settle(self, number: int, view: Mapping[str, Column], rows: Rows) -> None:
        """Compute one result of the end."""
        if number != VERDICT:
            self._pay(number, view, rows)
            return
        rows.columns[VERDICT_COLUMN] = evaluated(
            self.spec.expression(self.spec.verdict).work, view, {}
        )
        truth = self.result.truth
        rows.columns[TRUTH_COLUMN] = _NONE if truth is None else view[truth]

    def _pay(self, number: int, view: Mapping[str, Column], rows: Rows) -> None:
        """Apply one rule of pay."""
        rule = self.spec.pay[number]
        works = [self.spec.expression(text).work for text in (rule.when, rule.amount)]

        def due(columns: Columns) -> Column:
            known: dict[int, Column] = {}
            return combined(_due, [evaluated(work, columns, known) for work in works])

        if not self.sums.names:
            self.add(number, due(view), rows)
            return
        factor = float(self.result.factors[number])
        with_one = [due({**view, name: _ONE}) for name in self.sums.names]
        mean, square = self.sums.pay(due(view), with_one, factor, rows)
        self.mean, self.square = self.mean + mean, self.square + square

    def add(self, number: int, amounts: Column, rows: Rows) -> None:
        """Pay the amounts of a rule; without the distribution, note what that adds to the means."""
        factor = self.result.factors.get(number, Fraction(1))
        if not self.whole:
            mean, square = rows.moments(amounts, factor)
            self.mean, self.square = self.mean + mean, self.square + square
        rows.paid(amounts, factor)

    def _end(self, rows: Rows) -> None:
        if self._over is not None:
            self._over.append(rows.kept(()))
            return
        if self.result.verdict:
            rows = rows.kept(())
            both = [rows.columns[name] for name in (VERDICT_COLUMN, TRUTH_COLUMN)]
            codes = [column.filled(len(rows)).tolist() for column in both]
            for one, two, chance in zip(*codes, rows.chances(), strict=True):
                key = both[0].table[one], both[1].table[two]
                self.verdicts[key] = self.verdicts.get(key, 0) + chance
        elif self.whole:
            rows = rows.kept(())
            for amount, chance in zip(rows.amounts(), rows.chances(), strict=True):
                self.law[amount] = self.law.get(amount, 0) + chance


_ONE, _NONE = Column([1], None), Column([None], None)


def _view(columns: Columns, place: Place, over: bool = False) -> dict[str, Column]:
    """Return the registers that expressions read."""
    return {**columns, OVER: Column([over], None), REPEAT: Column([place.repeat + 1], None)}


def _due(holds: bool, amount: Value) -> Value:
    return amount if holds else None
