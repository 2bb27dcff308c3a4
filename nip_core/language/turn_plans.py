"""A turn of the forward pass, choice by choice: what is needed after each, and what is computed.

Within a turn, ``"new x"`` is the choice or value `x` of this turn, and `x` is still the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from nip_core.budget import PLAYS, spend
from nip_core.language.arrays import Column, Columns, combined
from nip_core.language.data import Act, Option
from nip_core.language.expressions import OVER, REPEAT, Work, earlier
from nip_core.language.liveness import Liveness, Written
from nip_core.language.machine import events_of
from nip_core.language.structure import Structure, taken

__all__ = ["NEW", "TurnPlan", "new_name", "replaced_in"]

NEW = "new "


def new_name(choice: str) -> str:
    """Return the name of a choice made within the present turn."""
    return f"{NEW}{choice}"


class TurnPlan:
    """What is computed, and what is forgotten, after each choice of a turn with some acts.

    Parameters
    ----------
    live : Liveness
    here : tuple
        The turn.
    acts : tuple of Act
    replaced : frozenset of str
        The values that are certainly replaced, so that it does not matter what they were.

    Attributes
    ----------
    steps : list of (Act, choice)
        The choices, which are made one after the other.
    values : dict of str to int
        The values that may be collected, each with the step in which it is.
    when : dict of int to list
        For each step (-1: before the first) the results of the end, and the rules of pay, that are
        computed after it.
    at_last : list of int
        The rules of pay that depend on whether play is over.
    settles : frozenset of int
        The results of the end that become fixed.
    needed : list of set
        The names needed before the first step, and after each: registers before the turn, choices
        that have been made in it, and values that have been collected in it.
    after_choice : dict of int to set
        The same for the time between the choice of a step and what is computed after it.
    collecting : dict of int to dict
        For each step the values that are collected, with the names needed after each of them.
    """

    def __init__(
        self,
        live: Liveness,
        here: Written,
        acts: tuple[Act, ...],
        replaced: frozenset[str],
    ) -> None:
        self.live, self.here, self.replaced = live, here, replaced
        spec = live.spec
        self.after_choice: dict[int, set[str]] = {}
        self.steps = [(act, choice) for act in acts for choice, _ in act.choose]
        self.made = [choice for _, choice in self.steps]
        self.counts = _counts_of(spec, self.made)
        names = len(live.live[here])
        spend(70 + len(self.made) * (30 + 3 * names) + 2 * len(spec.pay), PLAYS)
        events = set(events_of(acts, self.made, False))
        # What is computed within the turn: its rules of pay, and results of the end that become
        # fixed.
        self.settles = live.settles(self.here)
        # The choices that may still be made after the turn.
        self.later = live.changing_after(self.here)
        self.values = self._values()
        self.within: dict[int, frozenset[str]] = {n: live.ends.reads[n] for n in self.settles}
        self.at_last: list[int] = []
        for number in live.ends.rules:
            pay = spec.pay[number]
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
        for value in self.live.collected_in(self.here):
            at = [step for step, choice in enumerate(self.made) if choice in value.at]
            if at:
                reads = self._reads(value.name)
                steps[value.name] = max(*at, self._known_with(reads, steps))
        return steps

    def _reads(self, value: str) -> frozenset[str]:
        return self.live.spec.names.collecting(value).reads - {OVER, REPEAT}

    def _read_by_value(self, value: str) -> set[str]:
        """Return what a value is collected from, in names within the turn.

        Those of values that come later in the protocol, and its own, are still the old ones.
        """
        names = [*self.values]
        later, reads = set(names[names.index(value) :]), self._reads(value)
        old = set[str]() if value in self.replaced else {value}
        return self._before(reads - later) | (reads & later) | old

    def _needed(self) -> tuple[list[set[str]], dict[int, dict[str, set[str]]]]:
        live, spec = self.live, self.live.spec
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
                if new_name(name) in needed:
                    collecting.setdefault(step, {})[name] = set(needed)
                    needed = (needed - {new_name(name)}) | self._read_by_value(name)
            self.after_choice[step] = set(needed)
            needed.discard(new_name(self.made[step]))
            act, choice = self.steps[step]
            needed |= live.given.reads(choice, self.here[0])
            needed |= {count for count, _ in self.counts.get(choice, ())}
            if act.total is not None:
                needed |= {new_name(c) for a, c in self.steps[:step] if a is act}
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
            found.add(new_name(name) if name in made else old.get(name, name))
            if name in counted:
                found.add(new_name(counted[name]))
        return found

    def still_old(self, name: str) -> list[str]:
        """Return the values that are not up to date when this one is collected."""
        order = [*self.values]
        return order[order.index(name) :]

    def after(self, known: Columns, still_old: Sequence[str] = ()) -> dict[str, Column]:
        """Return the known registers after the turn, but some values from before it."""
        found = {name: column for name, column in known.items() if not name.startswith(NEW)}
        for choice in self.made:
            if new_name(choice) in known:
                option = known[new_name(choice)]
                for count, other in self.counts.get(choice, ()):
                    if count in known:
                        found[count] = combined(partial(_counted, other), [known[count], option])
                found[choice] = option
            if choice in known:
                found[earlier(choice)] = known[choice]
        found |= {name: known[new_name(name)] for name in self.values if new_name(name) in known}
        found |= {name: known[name] for name in still_old if name in known}
        return found


def replaced_in(
    live: Liveness, here: Written, acts: tuple[Act, ...], columns: Columns
) -> frozenset[str]:
    """Return the values that are certainly replaced in a turn, whatever they were."""
    values = live.collected_in(here)
    if not any(value.way == "last" for value in values):
        return frozenset()
    made = {choice for act in acts for choice, _ in act.choose}
    before = {earlier(choice): choice for choice in made}

    def never_none(work: Work) -> bool:
        name = work.register
        if not name:
            return not work.may_be_none and all(map(never_none, work.parts))
        if name in made or name in (OVER, REPEAT):
            return True
        # What is collected is never none again.
        column = columns.get(before.get(name, name))
        return column is not None and not column.has_none

    return frozenset(
        value.name
        for value in values
        if value.way == "last"
        and not made.isdisjoint(value.at)
        and never_none(live.spec.names.collecting(value.name).work)
    )


def _counted(option: Option, number: int, made: Option) -> int:
    return number + (made == option)


def _counts_of(spec: Structure, choices: Iterable[str]) -> dict[str, list[tuple[str, Option]]]:
    """Return the registers that count limited options, with these, for some choices."""
    found: dict[str, list[tuple[str, Option]]] = {choice: [] for choice in choices}
    for choice, option, _ in spec.option_limits:
        if choice in found:
            found[choice].append((taken(choice, option), option))
    return found
