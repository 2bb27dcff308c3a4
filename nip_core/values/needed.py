"""Which registers a solver's states must keep, and what the document says of each of its turns.

Besides what the rules read, these are the registers on which it depends what sides are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nip_core.language.data import ALWAYS, Act, ComputedValue, Option
from nip_core.language.expressions import Value, earlier
from nip_core.language.given import GivenPlay
from nip_core.language.liveness import Liveness, Written, made_in
from nip_core.language.structure import Place, Structure, taken
from nip_core.language.syntax import SyntaxNode
from nip_core.values.features import Results
from nip_core.values.sight import Sight

__all__ = ["Needed", "WrittenTurn"]


class Needed(Liveness):
    """The registers that matter to features, and to what sides are shown.

    Parameters
    ----------
    play : GivenPlay
    results : Results
    sight : Sight
    relevant : frozenset of str
        The choices that matter at all.
    """

    def __init__(
        self, play: GivenPlay, results: Results, sight: Sight, relevant: frozenset[str]
    ) -> None:
        spec = play.spec
        super().__init__(spec, play)
        self.play, self.results, self._sight, self.relevant = play, results, sight, relevant
        counted = {taken(c, o) for c, o, _ in spec.option_limits if c in relevant}
        self._matter = {*relevant, *map(earlier, relevant), *counted}
        self.ends.reads = dict(results.at_end)

    def read_before(self, here: Written) -> set[str]:
        """Return the registers that are read with their values before a turn."""
        return self._relevant(super().read_before(here) | self._shown(here, before=True))

    def read_after(self, here: Written) -> set[str]:
        """Return the registers that are read with their values after a turn."""
        turn, found = self.turns[here], super().read_after(here) | self._shown(here, before=False)
        for number in self.results.at_events({act.seat for act in turn.acts} | made_in(turn)):
            found.update(self.results.reads[number])
        return self._relevant(found)

    def _needed_for_values(self, here: Written, after: set[str]) -> set[str]:
        before = super()._needed_for_values(here, after)
        after -= self._overwritten(here)
        return before

    def _overwritten(self, here: Written) -> set[str]:
        """Return the values that a turn sets, whatever they were before.

        The last value of an expression is kept if the expression is none. But one that once was
        not none never is again, if it is none only as long as something it reads has not been made.
        """
        sure = {
            name for act in self.turns[here].acts if act.when == ALWAYS for name, _ in act.choose
        }
        return {
            value.name
            for value in self.collected_in(here)
            if value.way == "last"
            and not sure.isdisjoint(value.at)
            and _is_strict(self.spec, self.spec.names.collecting(value.name).tree)
        }

    def _relevant(self, registers: set[str]) -> set[str]:
        return registers & self._matter

    def _shown(self, here: Written, *, before: bool) -> set[str]:
        """Return what values read that the turn may change and that somebody may be shown."""
        made, found = made_in(self.turns[here]), set[str]()
        for side, values in enumerate(self._sight.values):
            if self._sight.chooses(side, Place(here[0], 0, here[1])):
                for value in values:
                    if not value.changed_by.isdisjoint(made) and not (before and value.always):
                        found |= value.expression.reads
        return found


_STRICT = ("+", "-", "*", "/", "mod", "div", "negative", "number", "collected")
_STRICT_CALLS = ("mean", "median", "min", "max", "abs", "power", "sum")


def _is_strict(spec: Structure, tree: SyntaxNode) -> bool:
    """Return whether an expression is none only while something that it reads is."""
    return all(_is_strict_alone(spec, node) for node in spec.names.expanded(tree).nodes())


def _is_strict_alone(spec: Structure, node: SyntaxNode) -> bool:
    if node.op == "call" and node.name == "at":
        index, *items = node.args
        options = spec.options.get(index.name, ()) if index.op == "name" else ()
        return bool(options) and all(1 <= int(o) <= len(items) for o in options)
    if node.op == "call":
        return node.name in _STRICT_CALLS
    return node.op in _STRICT or (node.op == "name" and node.name != "none")


class WrittenTurn:
    """What the document says of a turn, as far as it matters."""

    def __init__(self, live: Needed, here: Written) -> None:
        spec = live.spec
        self._spec, self._live, self._results = spec, live, live.results
        self._known, self.stage = live.known[here], spec.stages[here[0]].name
        self._guards = [
            (spec.expression(condition).value, spec.target(target))
            for target, condition in live.turns[here].then
        ]
        self._after: dict[Place, Place | None] = {}
        made, known = made_in(live.turns[here]), {*live.live[here]}
        later = live.read_after(here).union(
            *(live.live[there] for there in live.successors(here) if there is not None)
        )
        # With what each reads, and what it takes in for all that it has read.
        self.collected: list[tuple[ComputedValue, tuple[str, ...], dict[Any, Value]]] = []
        # A later one may read what an earlier one has become in the turn.
        for value in reversed(live.collected_in(here)):
            if value.name in later:
                reads = spec.names.collecting(value.name).reads
                self.collected.insert(0, (value, tuple(sorted(reads)), {}))
                later |= reads
        self.earlier = [(choice, earlier(choice)) for choice in made if earlier(choice) in later]
        self.counted = [
            (choice, taken(choice, option), option)
            for choice, option, _ in spec.option_limits
            if choice in made and taken(choice, option) in known
        ]
        given = [live.play.reads(name, here[0]) for name in made if name in live.relevant]
        counts = [name for _, name, _ in self.counted]
        self.read_by_given = tuple(sorted(known.intersection(frozenset(counts).union(*given))))
        self.work = len(made) + 4 * len(self.collected) + len(known) // 4
        self._settles: dict[Written | None, tuple[int, ...]] = {}

    def made(
        self, before: Mapping[str, Value], own: Iterable[tuple[str, Option]]
    ) -> dict[str, Value]:
        """Return the registers after some choices."""
        now, made = dict(before), dict(own)
        now.update(made)
        for choice, name in self.earlier:
            if choice in made:
                now[name] = before.get(choice)
        return now

    def onward(self, place: Place, now: Mapping[str, Value]) -> Place | None:
        """Return the next turn; None for the end."""
        for holds, target in self._guards:
            if holds(now):
                return target
        if place not in self._after:
            self._after[place] = self._spec.after(place)
        return self._after[place]

    def paid(self, acts: Iterable[Act], made: Iterable[str]) -> list[int]:
        """Return the rules by which is paid in the turn."""
        if not self._results.at:
            return []
        return self._results.at_events([*(act.seat for act in acts), *made])

    def settles(self, onward: Place | None) -> tuple[int, ...]:
        """Return the results of the end that are fixed on the way to another turn."""
        there = None if onward is None else (onward.stage, onward.turn)
        numbers = self._settles.get(there)
        if numbers is None:
            known = self._live.ends.reads.keys() if there is None else self._live.known[there]
            numbers = self._settles[there] = tuple(sorted(known - self._known))
        return numbers
