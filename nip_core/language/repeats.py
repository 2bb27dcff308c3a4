"""A stage that is repeated many times: one repetition is worked out, and then used for all.

If the rules of a stage do not depend on the number of the repetition, and few different states come
back to its first turn, one repetition leads from each of these to the next with fixed probabilities
and pay. So a thousand repetitions are a thousand steps in a small table, not thousands of turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nip_core.budget import PLAYS, spend
from nip_core.language.arrays import MOST, SOURCE_COLUMN, Column, Rows, joined
from nip_core.language.expressions import REPEAT, Value
from nip_core.language.given import GivenPlay
from nip_core.language.structure import Place, Structure

__all__ = ["FEWEST", "Layers", "is_even", "repeated", "repetition"]

# From so many repetitions on, it is worth the while.
FEWEST = 8
MOST_STATES, MOST_TRIES = 64, 4
STEPS_AT_ONCE = 1_000
Layers = dict[Place, list[Rows]]
Key = tuple[Value, ...]
Weights = dict[tuple[int, Any], Any]
"""The probability of each state (by its number) with each amount that was paid so far."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """Where one repetition leads.

    Parameters
    ----------
    states : Rows
        The states before it.
    again : list of lists of (state, pay, weight)
        For each state, those before the next repetition, with what is paid on the way.
    exits : list of (Place or None, Rows)
        The states in which the stage is left; None is the end of play.
    leaving : list of lists of (exit, state, pay, weight)
        For each state, the ways there.
    denominator : int
        Of the weights.
    unit : int
        Of pay.
    """

    states: Rows
    again: list[list[tuple[int, Any, Any]]]
    exits: list[tuple[Place | None, Rows]]
    leaving: list[list[tuple[int, int, Any, Any]]]
    denominator: int
    unit: int


def is_even(spec: Structure, given: GivenPlay, stage: int) -> bool:
    """Return whether no rule in a stage depends on the number of the repetition."""
    texts = {spec.verdict}
    texts |= {text for rule in spec.pay for text in (rule.amount, rule.when)}
    texts |= {weight for choice in spec.choices for weight in choice.weights}
    for turn in spec.stages[stage].turns:
        texts |= {act.when for act in turn.acts} | {text for _, text in turn.then}
    reads = [spec.expression(text).reads for text in texts]
    reads += [spec.names.collecting(value.name).reads for value in spec.collected]
    reads += [{node.name for node in tree.nodes()} for tree in given.trees()]
    return not any(REPEAT in names for names in reads)


def repetition(
    rows: Rows, next_place: Place, played: Callable[[Rows], tuple[Layers, list[Rows]]]
) -> Repetition | None:
    """Work out one repetition; None if too many different states come back.

    Parameters
    ----------
    rows : Rows
        The states before the first repetition.
    next_place : Place
        The first turn of the next one.
    played : callable
        Plays a repetition from some states. Returns the states after it by place, and those in
        which play is over.
    """
    names = [*rows.columns]
    states = _without_pay(rows)
    for _ in range(MOST_TRIES):
        if len(states) > MOST_STATES:
            return None
        size = len(states)
        tagged = Rows(
            {**states.columns, SOURCE_COLUMN: Column([*range(size)], np.arange(size))},
            np.ones(size, rows.weight.dtype if rows.weight.dtype != object else np.int64),
            1,
            None if rows.pay is None else np.zeros(size, np.int64),
        )
        layers, over = played(tagged)
        back = layers.pop(next_place, [])
        both = _without_pay(joined([states, *map(_without_pay, back)]).kept(names).merged())
        if len(both) == size:
            exits: list[tuple[Place | None, Rows]] = []
            exits += [(place, joined(parts)) for place, parts in layers.items()]
            exits += [(None, joined(over))] if over else []
            return _table(states, names, joined(back) if back else None, exits)
        states = both
    return None


def _without_pay(rows: Rows) -> Rows:
    """Return the different states."""
    columns = {n: c for n, c in rows.columns.items() if n != SOURCE_COLUMN}
    return Rows(columns, np.ones(len(rows), np.int64)).merged()


def _keys(rows: Rows, names: list[str]) -> list[Key]:
    columns = [rows.columns[name] for name in names]
    lists = [
        [column.table[code] for code in column.filled(len(rows)).tolist()] for column in columns
    ]
    return [*zip(*lists, strict=True)] if lists else [()] * len(rows)


def _table(
    states: Rows, names: list[str], back: Rows | None, exits: list[tuple[Place | None, Rows]]
) -> Repetition:
    parts = [*([back] if back is not None else []), *(part for _, part in exits)]
    denominator = int(np.lcm.reduce([part.denominator for part in parts], dtype=object))
    unit = int(np.lcm.reduce([part.unit for part in parts], dtype=object))
    numbers = {key: number for number, key in enumerate(_keys(states, names))}
    again: list[list[tuple[int, Any, Any]]] = [[] for _ in numbers]
    leaving: list[list[tuple[int, int, Any, Any]]] = [[] for _ in numbers]
    if back is not None:
        for key, source, pay, weight in zip(
            _keys(back, names), *_steps(back, denominator, unit), strict=True
        ):
            again[source].append((numbers[key], pay, weight))
    for number, (_, part) in enumerate(exits):
        for row, (source, pay, weight) in enumerate(
            zip(*_steps(part, denominator, unit), strict=True)
        ):
            leaving[source].append((number, row, pay, weight))
    return Repetition(states, again, exits, leaving, denominator, unit)


def _steps(rows: Rows, denominator: int, unit: int) -> tuple[list[int], list[Any], list[Any]]:
    source = rows.columns[SOURCE_COLUMN]
    sources = [source.table[code] for code in source.filled(len(rows)).tolist()]
    pays = [0] * len(rows) if rows.pay is None else rows.pay.tolist()
    times = denominator // rows.denominator
    more = unit // rows.unit
    return sources, [pay * more for pay in pays], [w * times for w in rows.weight.tolist()]


def repeated(
    rows: Rows, one: Repetition, times: int
) -> tuple[Rows | None, list[tuple[Place | None, Rows]]]:
    """Return the states after so many repetitions, if any, and those in which it was left."""
    names = [*one.states.columns]
    numbers = {key: number for number, key in enumerate(_keys(one.states, names))}
    common = int(np.lcm(rows.unit, one.unit, dtype=object))
    pays = [0] * len(rows) if rows.pay is None else rows.pay.tolist()
    more, each = common // rows.unit, common // one.unit
    state: Weights = {}
    for key, pay, weight in zip(_keys(rows, names), pays, rows.weight.tolist(), strict=True):
        state[numbers[key], pay * more] = weight
    again = [[(to, pay * each, weight) for to, pay, weight in ways] for ways in one.again]
    leaving = [[(*at, pay * each, weight) for *at, pay, weight in ways] for ways in one.leaving]
    left: list[dict[tuple[int, Any], Any]] = [{} for _ in one.exits]
    # Weights of earlier repetitions have a smaller denominator.
    scale = one.denominator ** (times - 1)
    # Counting each step by itself would take longer than the steps.
    steps, ways = 0, 1 + sum(map(len, (*again, *leaving))) // len(again)
    for _ in range(times):
        onward: Weights = {}
        for (number, paid), chance in state.items():
            for to, pay, weight in again[number]:
                key = to, paid + pay
                onward[key] = onward.get(key, 0) + chance * weight
            for at, row, pay, weight in leaving[number]:
                found, place = left[at], (row, paid + pay)
                found[place] = found.get(place, 0) + chance * weight * scale
        steps += 1 + len(state) * ways
        if steps > STEPS_AT_ONCE:
            spend(steps, PLAYS)
            steps = 0
        state = onward
        scale //= one.denominator
    denominator = rows.denominator * one.denominator**times
    floats = rows.weight.dtype == float
    exits = [
        (place, _rows(part, weights, denominator, common, floats, rows.pay is not None))
        for (place, part), weights in zip(one.exits, left, strict=True)
        if weights
    ]
    if not state:
        return None, exits
    return _rows(one.states, state, denominator, common, floats, rows.pay is not None), exits


def _rows(
    states: Rows, weights: Weights, denominator: int, unit: int, floats: bool, paid: bool
) -> Rows:
    """Return states with their probabilities as arrays."""
    places = np.array([number for number, _ in weights], np.int64)
    columns = {n: c.take(places) for n, c in states.columns.items() if n != SOURCE_COLUMN}
    pays = None
    if paid:
        amounts: list[Any] = [pay for _, pay in weights]
        if any(isinstance(pay, float) for pay in amounts):
            pays, unit = np.array(amounts, float) / unit, 1
        else:
            small = max(abs(int(pay)) for pay in amounts) * (1 + len(amounts)) < MOST
            pays = np.array(amounts, np.int64 if small else object)
    chances = np.array([*weights.values()], dtype=float if floats else object)
    return Rows(columns, chances, denominator, pays, unit).merged().reduced()
