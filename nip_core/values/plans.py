"""Plans: what a side does for all that it may have seen, as small automata.

A plan remembers a *node*. In a turn it looks up what it is offered, makes the choices noted there,
and goes to the next node by what it has chosen and seen. After what it was not made for (a seat has
done what was thought impossible) it chooses at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from nip_core.displays import Table, Tabular, capitalized, line, listed
from nip_core.language import Specification, Wording
from nip_core.language.structure import Place
from nip_core.values.sight import Event, Seen, made_only, noticed
from nip_core.values.turns import Offer, Own, Player

__all__ = ["Mixture", "Plan", "PlanNode"]

OfferKey = tuple[Any, ...]
_LOST = -1
_MADE = made_only("")


@dataclass(frozen=True, eq=False, slots=True)
class PlanNode:
    """What a plan does at one point.

    Parameters
    ----------
    place : Place
        The turn.
    choices : mapping of an offer's key to Own
        What it chooses, for each offer that it may get.
    onward : mapping of (offer's key, Seen) to int
        The next node; None as what is seen once the side has no choice left.
    """

    place: Place
    choices: Mapping[OfferKey, Own]
    onward: Mapping[tuple[OfferKey, Seen], int]


@dataclass(frozen=True, eq=False)
class Plan(Tabular):
    """A plan of one side, which always chooses the same in the same situation.

    Parameters
    ----------
    spec : Specification
    seats : frozenset of str
    first : mapping of Seen to int
        The first node, by what is seen before play.
    nodes : tuple of PlanNode
    noticed : frozenset of str, optional
        What it takes notice of: the names of choices and values; None means all of them.
    """

    spec: Specification
    seats: frozenset[str]
    first: Mapping[Seen, int]
    nodes: tuple[PlanNode, ...]
    noticed: frozenset[str] | None = None

    def __repr__(self) -> str:
        return line(self, *sorted(self.seats), f"{len(self.table().rows):,} decisions")

    # -- as a player of a solver -----------------------------------------------------------------

    def begin(self, seen: Seen | None) -> Iterable[tuple[int, Fraction]]:
        """Return its first node."""
        node = _LOST if seen is None else self.first.get(noticed(seen, self.noticed), _LOST)
        return ((node, Fraction(1)),)

    def chances(self, memory: int, offer: Offer) -> Iterable[tuple[Own, Fraction]]:
        """Return what it chooses: one thing, or anything if it was not made for this."""
        own = None if memory == _LOST else self.nodes[memory].choices.get(offer.key)
        if own is None:
            return [(each, Fraction(1, len(offer.options))) for each in offer.options]
        return ((own, Fraction(1)),)

    def after(self, memory: int, offer: Offer, own: Own, seen: Seen | None) -> int:
        """Return the next node."""
        if memory == _LOST or seen is None:
            return _LOST
        node = self.nodes[memory]
        if node.choices.get(offer.key) != own:
            return _LOST
        return node.onward.get((offer.key, noticed(seen, self.noticed)), _LOST)

    # -- for people ------------------------------------------------------------------------------

    def table(self) -> Table:
        """Return what is chosen after having seen what, turn by turn.

        What a node is reached by is told from its earliest way: what was seen on it that is not the
        same on every way from there.
        """
        words = Wording(self.spec)
        told: dict[int, tuple[str, ...]] = {}
        waiting: list[tuple[int, tuple[str, ...]]] = [
            (node, event) for node, event in self._apart(words, self.first)
        ]
        rows: list[tuple[object, ...]] = []
        while waiting:
            number, told_before = waiting.pop(0)
            if number in told:
                continue
            told[number] = told_before
            node = self.nodes[number]
            for key, own in node.choices.items():
                asked = () if len(node.choices) == 1 else (f"asked for {_asked(words, key)}",)
                if own:
                    made = [f"{words.term(name)}: {words.term(option)}" for name, option in own]
                    rows.append(
                        (
                            self._when(node.place),
                            "; ".join([*told_before, *asked]) or "in any case",
                            ", ".join(made),
                        )
                    )
                onward = {seen: to for (k, seen), to in node.onward.items() if k == key}
                waiting += [
                    (to, (*told_before, *asked, *events))
                    for to, events in self._apart(words, onward)
                ]
        return Table(("turn", "after having seen", "chooses"), rows)

    def _when(self, place: Place) -> str:
        stage = self.spec.stages[place.stage]
        name = capitalized(self.spec.title_of(stage.name))
        if self.spec.times(place.stage) > 1:
            name += f", repetition {place.repeat + 1}"
        return name if len(stage.turns) == 1 else f"{name}, turn {place.turn + 1}"

    def _apart(self, words: Wording, ways: Mapping[Seen, int]) -> list[tuple[int, tuple[str, ...]]]:
        """Return the nodes that follow, each with the events that tell it from the others."""
        by_node: dict[int, list[frozenset[Event]]] = {}
        for seen, node in ways.items():
            by_node.setdefault(node, []).append(frozenset(seen.events))
        if len(by_node) < 2:
            return [(node, ()) for node in by_node]
        shared = frozenset[Event].intersection(*(e for sets in by_node.values() for e in sets))
        found: list[tuple[int, tuple[str, ...]]] = []
        order = {e[0]: n for n, seen in enumerate(ways) for e in seen.events}
        for node, sets in by_node.items():
            common = frozenset[Event].intersection(*sets) - shared
            events = sorted(common, key=lambda event: order[event[0]])
            told = [self._event(words, event) for event in events]
            if not told:
                several = [self._way(words, each - shared) for each in sets[:3]]
                more = f" or {len(sets) - 3} more" if len(sets) > 3 else ""
                told = [" or ".join(several) + more]
            found.append((node, tuple(told)))
        return found

    def _way(self, words: Wording, events: frozenset[Event]) -> str:
        told = sorted(self._event(words, event) for event in events)
        return " and ".join(told) or "nothing"

    def _event(self, words: Wording, event: Event) -> str:
        name, value, place = event
        late = "" if place is None else f" ({self._when(place)})"
        if name.startswith(_MADE):
            return f"{words.term(name.removeprefix(_MADE))} made{late}"
        shown = "nothing" if value is None else words.term(value)
        return f"{words.term(name)} {shown}{late}"


@dataclass(frozen=True, eq=False)
class Mixture(Tabular):
    """Plans of one side, of which one is drawn before play.

    Parameters
    ----------
    parts : tuple of (Player, Fraction)
        The plans, with their chances.
    """

    parts: Sequence[tuple[Player, Fraction]]

    def __repr__(self) -> str:
        return line(self, *sorted(self.seats), f"{len(self.parts)} plans")

    def table(self) -> Table:
        """Return the plans with their chances."""
        rows = [(float(chance), repr(plan)) for plan, chance in self.parts]
        return Table(("chance", "plan"), rows)

    @property
    def seats(self) -> frozenset[str]:
        """Its seats."""
        return self.parts[0][0].seats

    @property
    def noticed(self) -> frozenset[str] | None:
        """What one of the plans takes notice of."""
        noticed = frozenset[str]()
        for plan, _ in self.parts:
            if plan.noticed is None:
                return None
            noticed |= plan.noticed
        return noticed

    def begin(self, seen: Seen | None) -> Iterable[tuple[tuple[int, Any], Fraction]]:
        """Return the first node of each plan."""
        return [
            ((number, memory), share * chance)
            for number, (plan, share) in enumerate(self.parts)
            for memory, chance in plan.begin(seen)
        ]

    def chances(self, memory: tuple[int, Any], offer: Offer) -> Iterable[tuple[Own, Fraction]]:
        """Return what the drawn plan chooses."""
        number, inner = memory
        return self.parts[number][0].chances(inner, offer)

    def after(
        self, memory: tuple[int, Any], offer: Offer, own: Own, seen: Seen | None
    ) -> tuple[int, Any]:
        """Return the next node of the drawn plan."""
        number, inner = memory
        return number, self.parts[number][0].after(inner, offer, own, seen)


def _asked(words: Wording, key: OfferKey) -> str:
    """Return what an offer asks for."""
    asked = [words.term(name) for act in key for name, _ in act[2]]
    channels = [words.term(channel) for act in key for channel in act[1]]
    return listed([*asked, *channels]) if asked or channels else "nothing"
