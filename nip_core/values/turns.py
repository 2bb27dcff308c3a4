"""What may happen in a turn of a document, if some sides choose freely and the rest play as given.

All solvers stand on this: best replies (:mod:`.replies`), sequence form, double oracle and
commitment, and the export to ``.efg``. It knows the language; the solvers know only

* *states*: a place of play, the registers that still matter, and what will be shown later;
* *offers*: what a side may choose in a state, together with what its being asked tells it;
* *steps*: what choices lead to, with whole numbers in place of chances.

A *side* is one seat, or several that pool what they know. What a side knows in a turn is: what it
was shown before play and after each turn (:class:`Seen`), its own offers and choices, and the place
of play, which is public. So a guard on a hidden choice tells it something. *Messages* are nothing
here, not even that one was written: a document that is about evidence says so with choices.

How a best reply uses it (one side)::

    turns = Turns(spec, [{"alice"}])
    belief = {outcome.onward: outcome.weight for outcome in turns.start.outcomes}  # by `seen[0]`
    offer = turns.offers(state)[0]              # states of one belief are grouped by their offer
    step = turns.step(state, (own,))            # for each own in offer.options
    # step.features: expected pay and verdicts of this turn
    # step.outcomes: for each one, its weight of `step.whole`, what the side sees, the next state

How a sequence form uses it (two sides)::

    turns = Turns(spec, [{"prover"}, {"verifier"}])
    one, two = turns.offers(state)
    step = turns.step(state, (one_choice, two_choice))
    # An information set of side k is its last sequence, what it has seen since (`outcome.seen[k]`
    # of each turn), and `offers(state)[k].key`. What a step pays belongs to the pair of sequences
    # that ends with these choices; no state has to keep it.

Equal states are one object, so a solver may use states as keys. ``seen[k]`` is None once side k has
no choice left; from then on its offers are empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import gcd, lcm, prod
from typing import Any, NamedTuple, Protocol

from nip_core.budget import MOVES, spend
from nip_core.language.data import Act, Option
from nip_core.language.expressions import OVER, Value
from nip_core.language.given import GivenPlay, Habit
from nip_core.language.liveness import Written
from nip_core.language.machine import Machine, next_collected
from nip_core.language.specification import Specification
from nip_core.language.structure import Place, taken
from nip_core.values.features import Feature, Features, Results
from nip_core.values.needed import Needed, WrittenTurn
from nip_core.values.relevance import relevant
from nip_core.values.sight import Event, Seen, Sight, made_only

__all__ = ["NOTHING", "Offer", "Outcome", "Own", "Player", "State", "Step", "Turns"]

Own = tuple[tuple[str, Option], ...]
"""What a side chooses in a turn: pairs of a choice and its option, in the order of its acts."""


class Offer(NamedTuple):
    """What a side may do in a state.

    Parameters
    ----------
    key : tuple
        What the side knows of it: its acts, with the open options. Offers of one
        :class:`Turns` with equal keys are the same object.
    options : tuple of Own
        Everything that it may choose; the empty choice if there is nothing.
    """

    key: tuple[Any, ...]
    options: tuple[Own, ...]


NOTHING = Offer((), ((),))
"""The offer of a side that is not asked, or that has no choice left."""


class State:
    """A state of play; equal states of one :class:`Turns` are the same object.

    Attributes
    ----------
    place : Place
    values : tuple
        The registers that still matter, in the order of :meth:`Turns.names`.
    waiting : tuple of tuple of Event
        For each side, and each player, what it will be shown later.
    memories : tuple
        What each player remembers.
    number : int
        Its number among the states of its :class:`Turns`, in the order in which they were met.
    """

    __slots__ = ("memories", "number", "place", "values", "waiting")

    def __init__(
        self,
        place: Place,
        values: tuple[Value, ...],
        waiting: tuple[tuple[Event, ...], ...],
        memories: tuple[Any, ...],
        number: int,
    ) -> None:
        self.place, self.values, self.waiting = place, values, waiting
        self.memories, self.number = memories, number


class Outcome(NamedTuple):
    """One way in which play goes on after a step.

    Parameters
    ----------
    weight : int
        Its chance, times the `whole` of its step.
    seen : tuple of (Seen or None)
        What each side is shown; None if it has no choice left.
    onward : State
    """

    weight: int
    seen: tuple[Seen | None, ...]
    onward: State


class Step(NamedTuple):
    """What choices lead to.

    Parameters
    ----------
    whole : int
        What the weights of all outcomes add up to, together with the end of play.
    outcomes : tuple of Outcome
        The ways in which play goes on.
    features : mapping of Feature to Fraction
        What the turn adds to each feature, in expectation.
    """

    whole: int
    outcomes: tuple[Outcome, ...]
    features: Features


class Player(Protocol):
    """A side whose play is given and may depend on all that it has seen, such as a plan."""

    @property
    def seats(self) -> frozenset[str]:
        """Its seats."""
        ...

    @property
    def noticed(self) -> frozenset[str] | None:
        """The choices and values that it takes notice of; None if it may be all that it sees."""
        ...

    def begin(self, seen: Seen | None) -> Iterable[tuple[Any, Fraction]]:
        """Return its memories before the first turn, with chances."""
        ...

    def chances(self, memory: Any, offer: Offer) -> Iterable[tuple[Own, Fraction]]:
        """Return what it chooses, with chances."""
        ...

    def after(self, memory: Any, offer: Offer, own: Own, seen: Seen | None) -> Any:
        """Return its memory after a turn; memories can be hashed."""
        ...


class Turns:
    """The turns of a document.

    Parameters
    ----------
    spec : Specification
    sides : sequence of collection of str
        The seats of each side that chooses freely.
    habits : iterable of Habit
        How the other seats play, by default at random. Habits of solved sides do not count.
    players : iterable of Player
        Other sides whose play is given by what they have seen.
    measured : collection of Feature, optional
        What is measured, by default everything. What cannot matter for it is not played out.
    shown : bool
        Whether the sides are shown anything.
    whole : bool
        Whether all choices count, and not only those that can matter for what is measured.
    """

    def __init__(
        self,
        spec: Specification,
        sides: Sequence[Iterable[str]],
        habits: Iterable[Habit] = (),
        players: Iterable[Player] = (),
        measured: Collection[Feature] | None = None,
        *,
        shown: bool = True,
        whole: bool = False,
    ) -> None:
        self.spec, self.machine = spec, Machine(spec)
        self.players = tuple(players)
        self.sides = tuple(frozenset(side) for side in sides)
        # All for whom what they see counts: the solved sides come first.
        self._groups = (*self.sides, *(player.seats for player in self.players))
        played = frozenset[str]().union(*self._groups)
        if sum(map(len, self._groups)) > len(played):
            raise ValueError("A seat belongs to one side only.")
        for seat in played:
            spec.seat(seat)
        kept = [
            h for h in habits if h.choice in spec.options and spec.choice(h.choice).by not in played
        ]
        self.given, self._played = GivenPlay(spec, kept), played
        self.results = Results(spec, measured)
        self.sight = Sight(spec, self._groups, 0 if shown else len(self.sides))
        if whole:
            self.relevant = frozenset(x.name for x in (*spec.choices, *spec.collected))
        else:
            self.relevant, self.sight.telling = relevant(
                spec,
                self.given,
                self.results,
                self.sight,
                played,
                [*map(self._noticed_by, range(len(self._groups)))],
            )
        self.sight.relevant = self.relevant
        self.live = Needed(self.given, self.results, self.sight, self.relevant)
        self._states: dict[tuple[Any, ...], State] = {}
        self._offers: dict[tuple[Any, ...], Offer] = {}
        self._others: dict[State, _Others] = {}
        self._steps: dict[tuple[State, tuple[Own, ...]], Step] = {}
        self._known_branches: dict[tuple[Any, ...], tuple[int, list[_Branch]]] = {}
        self._written: dict[Written, WrittenTurn] = {}

    def _noticed_by(self, group: int) -> set[str]:
        """Return a group's choices, and those on which what it takes notice of depends.

        What one solved side does for no other reason may still tell another one something, so with
        several of them each takes notice of all that it sees.
        """
        seats, noticed, solved = self._groups[group], None, len(self.sides)
        if group >= solved:
            noticed = self.players[group - solved].noticed
        elif solved == 1:
            return set()
        found = set[str]()
        for choice in self.spec.choices:
            seen = choice.by in seats or not seats.isdisjoint(dict(choice.seen))
            # What it chooses without taking notice of it, it always chooses in the same way.
            if seen and (noticed is None or choice.name in noticed):
                found.add(choice.name)
        for value in self.sight.values[group]:
            if noticed is None or value.name in noticed:
                found |= value.changed_by
        return found

    def noticed(self, side: int) -> frozenset[str]:
        """Return the names of all events that a side may be shown here."""
        values = (v for v in self.sight.values[side] if self.sight.matters_in(v))
        made = map(made_only, self.sight.telling)
        return self.relevant.union((value.name for value in values), made)

    # -- states --------------------------------------------------------------------------------

    def names(self, place: Place) -> tuple[str, ...]:
        """Return the names of the registers that still matter at a place."""
        return self.live.live[place.stage, place.turn]

    def registers(self, state: State) -> dict[str, Value]:
        """Return the registers of a state that still matter."""
        return dict(zip(self.names(state.place), state.values, strict=True))

    def _state(
        self,
        place: Place,
        registers: Mapping[str, Value],
        waiting: tuple[tuple[Event, ...], ...],
        memories: tuple[Any, ...],
    ) -> State:
        values = tuple([registers[name] for name in self.names(place)])
        key = (place, values, waiting, memories)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = State(*key, len(self._states))
        return state

    def like(self, state: State, others: Turns) -> State:
        """Return the state that is like one of other turns, in which more registers are kept."""
        waiting = tuple(
            () if side < self.sight.unseeing else late for side, late in enumerate(state.waiting)
        )
        return self._state(state.place, others.registers(state), waiting, state.memories)

    # -- before play ---------------------------------------------------------------------------

    @cached_property
    def start(self) -> Step:
        """What happens before the first turn: draws, and what each side is shown of them."""
        cells: dict[tuple[Any, ...], Fraction] = {}
        results: dict[int, Fraction] = {}
        for chance, found, seen, state in self.beginnings():
            for index in found:
                results[index] = results.get(index, 0) + chance
            cell = (seen, state)
            cells[cell] = cells.get(cell, 0) + chance
        whole = lcm(*(c.denominator for c in (*cells.values(), *results.values())))
        weights = {cell: int(chance * whole) for cell, chance in cells.items()}
        counts = {index: int(chance * whole) for index, chance in results.items()}
        return self._whole_step(weights, counts, whole)

    def beginnings(self) -> Iterator[tuple[Fraction, list[int], _AllSeen, State]]:
        """Yield each way in which play may begin: its chance, then as for :meth:`ways`."""
        machine, first = self.machine, self.machine.first
        known = self.live.known[first.stage, first.turn]
        blank = machine.here(first, machine.blank())
        made = frozenset(choice.name for choice in self.spec.drawn)
        for registers, chance in self._drawn():
            now = machine.here(first, registers)
            found = [index for n in known if (index := self.results.index(n, now)) >= 0]
            seen, waiting = self.sight.after(
                None, first, made, blank, now, ((),) * len(self._groups)
            )
            # Each way counts its results once, so memories share its chance.
            for memories, share in self._memories(seen):
                state = self._state(first, registers, waiting, memories)
                yield chance * share, found, seen[: len(self.sides)], state

    def _drawn(self) -> list[tuple[dict[str, Value], Fraction]]:
        """Return the registers before the first turn, with chances."""
        spec, machine = self.spec, self.machine
        drawn = [(machine.blank(), Fraction(1))]
        for choice in spec.drawn:
            if choice.name not in self.relevant:
                continue
            options = spec.options[choice.name]
            spend(20 * len(drawn) * len(options), MOVES, "choice {!r}", choice.name)
            drawn = [
                (machine.recorded(registers, {choice.name: option}), chance * share)
                for registers, chance in drawn
                for option, share in zip(
                    options,
                    self.given.chances(machine, choice, options, registers, None),
                    strict=True,
                )
                if share
            ]
        return drawn

    def _memories(self, seen: tuple[Seen | None, ...]) -> list[tuple[tuple[Any, ...], Fraction]]:
        found: list[tuple[tuple[Any, ...], Fraction]] = [((), Fraction(1))]
        for player, shown in zip(self.players, seen[len(self.sides) :], strict=True):
            begin = [*player.begin(shown)]
            found = [((*m, new), c * share) for m, c in found for new, share in begin if share]
        return found

    # -- a turn --------------------------------------------------------------------------------

    def offers(self, state: State) -> tuple[Offer, ...]:
        """Return what each side may do in a state."""
        return self._others_in(state).offers

    def step(self, state: State, choices: tuple[Own, ...]) -> Step:
        """Return what happens if each side chooses so; chances and other seats do the rest."""
        key = (state, choices)
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = self._step(state, choices)
        return step

    def _step(self, state: State, choices: tuple[Own, ...]) -> Step:
        cells: dict[tuple[Any, ...], int] = {}
        counts: dict[int, int] = {}
        for weight, results, seen, onward in self.ways(state, choices):
            for index in results:
                counts[index] = counts.get(index, 0) + weight
            if onward is not None:
                cell = (seen, onward)
                cells[cell] = cells.get(cell, 0) + weight
        return self._whole_step(cells, counts, self.whole(state))

    def whole(self, state: State) -> int:
        """Return what the weights of all ways from a state add up to."""
        return self._others_in(state).whole

    def ways(
        self, state: State, choices: tuple[Own, ...]
    ) -> Iterator[tuple[int, list[int], _AllSeen, State | None]]:
        """Yield each way in which a turn may go if each side chooses so.

        It is its weight, the numbers of its results, what each side is shown, and the next state;
        None at the end.
        """
        others, place, solved = self._others_in(state), state.place, len(self.sides)
        turn, before = self._turn_at(place), others.now
        own = [pair for choice in choices for pair in choice]
        made_by_sides = turn.made(before, own)
        spend(len(others.branches) * (4 + turn.work), MOVES, "stage {!r}", turn.stage)
        for weight, drawn, played in others.branches:
            now = made_by_sides.copy()
            if drawn:
                now.update(drawn)
                for choice, name in turn.earlier:
                    if choice in drawn:
                        now[name] = before.get(choice)
            if turn.counted or turn.collected:
                self._collect(turn, before, now, others.made)
            onward = turn.onward(place, now)
            now[OVER] = onward is None
            results: list[int] = []
            for number in (*others.paid, *turn.settles(onward)):
                index = self.results.index(number, now)
                if index >= 0:
                    results.append(index)
            if onward is None:
                yield weight, results, (), None
                continue
            now[OVER] = False
            seen, waiting = self.sight.after(place, onward, others.made, before, now, state.waiting)
            memories = state.memories and tuple(
                [
                    player.after(memory, offer, choice, shown)
                    for player, memory, (offer, choice), shown in zip(
                        self.players, state.memories, played, seen[solved:], strict=True
                    )
                ]
            )
            yield weight, results, seen[:solved], self._state(onward, now, waiting, memories)

    def _whole_step(
        self, cells: Mapping[tuple[Any, ...], int], counts: Mapping[int, int], whole: int
    ) -> Step:
        common = gcd(whole, *cells.values())
        outcomes = tuple(
            [Outcome(weight // common, seen, state) for (seen, state), weight in cells.items()]
        )
        return Step(whole // common, outcomes, self.results.features(counts, whole))

    def _others_in(self, state: State) -> _Others:
        others = self._others.get(state)
        if others is None:
            others = self._others[state] = self._new_others(state)
        return others

    def _new_others(self, state: State) -> _Others:
        """Return what chance and the seats whose play is given may do in a state."""
        machine, place = self.machine, state.place
        registers = self.registers(state)
        acts = machine.acts(place, registers)
        now = machine.here(place, registers)
        offers = [self.offer(side, place, acts, registers) for side in range(len(self._groups))]
        whole, branches = self._branches(place, acts, registers, now)
        solved = len(self.sides)
        for player, memory, offer in zip(
            self.players, state.memories, offers[solved:], strict=True
        ):
            played = [each for each in player.chances(memory, offer) if each[1]]
            parts = lcm(*(share.denominator for _, share in played))
            whole *= parts
            branches = [
                (weight * int(share * parts), {**made, **dict(own)}, (*before, (offer, own)))
                for weight, made, before in branches
                for own, share in played
            ]
        made = frozenset(name for act in acts for name, _ in act.choose)
        paid = tuple(self._turn_at(place).paid(acts, made))
        return _Others(tuple(offers[:solved]), now, made, paid, whole, branches)

    def _branches(
        self,
        place: Place,
        acts: tuple[Act, ...],
        registers: Mapping[str, Value],
        now: Mapping[str, Value],
    ) -> tuple[int, list[_Branch]]:
        """Return what seats whose play is given may choose, with weights and their sum."""
        free = [act for act in acts if act.seat not in self._played and act.choose]
        if not free:
            return 1, [(1, {}, ())]
        reads = self._turn_at(place).read_by_given
        # Chances may depend on the number of the repetition.
        # Hashing an act would take longer than all the rest; they live as long as the document.
        key = (place, *map(id, free), *[registers[name] for name in reads])
        known = self._known_branches.get(key)
        if known is not None:
            return known
        machine = self.machine
        branches: list[tuple[Fraction, dict[str, Option]]] = [(Fraction(1), {})]
        for act in free:
            for name, _ in act.choose:
                if name not in self.relevant:
                    continue
                choice, grown = self.spec.choice(name), list[tuple[Fraction, dict[str, Option]]]()
                spend(10 * len(branches), MOVES, "choice {!r}", name)
                ways: list[tuple[Option, Fraction]] | None = None
                for chance, made in branches:
                    # Only a total depends on the other choices of the act.
                    if ways is None or act.total is not None:
                        options = machine.open_options(act, name, registers, made)
                        chances = self.given.chances(machine, choice, options, now, place)
                        ways = [w for w in zip(options, chances, strict=True) if w[1]]
                    spend(2 * len(ways), MOVES, "choice {!r}", name)
                    grown += [(chance * share, {**made, name: o}) for o, share in ways]
                branches = grown
        whole = lcm(*(chance.denominator for chance, _ in branches))
        weighed: list[_Branch] = [(int(chance * whole), made, ()) for chance, made in branches]
        known = self._known_branches[key] = whole, weighed
        return known

    def offer(
        self, side: int, place: Place, acts: tuple[Act, ...], registers: Mapping[str, Value]
    ) -> Offer:
        """Return what a side, or a player (they come after the sides), may do at a place."""
        group = self._groups[side]
        own = [act for act in acts if act.seat in group]
        if not own or not self.sight.chooses(side, place):
            return NOTHING
        limits = [
            registers[taken(choice, option)] >= most
            for choice, option, most in self.spec.option_limits
            if any(choice == name for act in own for name, _ in act.choose)
        ]
        key = (*map(id, own), *limits)
        offer = self._offers.get(key)
        if offer is None:
            new = self._new_offer(own, registers)
            # Acts that differ only in their conditions offer the same.
            offer = self._offers[key] = self._offers.setdefault(new.key, new)
        return offer

    def _new_offer(self, own: list[Act], registers: Mapping[str, Value]) -> Offer:
        key: list[tuple[Any, ...]] = []
        by_act: list[list[Own]] = []
        for act in own:
            ways: list[dict[str, Option]] = [{}]
            shown: list[tuple[str, tuple[Option, ...]]] = []
            for name, _ in act.choose:
                # What is open with a total is the same wherever its first choice is.
                shown.append((name, self.machine.open_options(act, name, registers, ways[0])))
                spend(10 * len(ways), MOVES, "choice {!r}", name)
                ways = [
                    {**way, name: option}
                    for way in ways
                    for option in self._may_matter(
                        name, self.machine.open_options(act, name, registers, way)
                    )
                ]
            spend(4 * len(ways), MOVES, "{}'s choices", act.seat)
            by_act.append([tuple(way.items()) for way in ways])
            # Conditions are left out: who is asked is not told why.
            key.append((act.seat, act.say, tuple(shown), act.total, act.optional, act.silent))
        spend(2 * len(by_act) * prod(map(len, by_act)), MOVES, "{}'s choices", own[0].seat)
        options = tuple(tuple(p for part in parts for p in part) for parts in product(*by_act))
        return Offer(tuple(key), options)

    def _may_matter(self, choice: str, options: tuple[Option, ...]) -> tuple[Option, ...]:
        return options if choice in self.relevant else options[:1]

    def _turn_at(self, place: Place) -> WrittenTurn:
        here = place.stage, place.turn
        turn = self._written.get(here)
        if turn is None:
            turn = self._written[here] = WrittenTurn(self.live, here)
        return turn

    def _collect(
        self,
        turn: WrittenTurn,
        before: Mapping[str, Value],
        now: dict[str, Value],
        made: frozenset[str],
    ) -> None:
        """Bring the registers up to date that choices change besides their own."""
        for choice, name, limited in turn.counted:
            if choice in made:
                now[name] = before[name] + (limited == now[choice])
        for value, reads, known in turn.collected:
            if made.isdisjoint(value.at):
                continue
            # Many branches and states have it in common what is read.
            key = tuple([now[name] for name in reads])
            if key not in known:
                known[key] = self.spec.names.collecting(value.name).value(now)
            now[value.name] = next_collected(value.way, now.get(value.name), known[key])


_AllSeen = tuple[Seen | None, ...]
_Branch = tuple[int, dict[str, Option], tuple[tuple[Offer, Own], ...]]
"""A weight, what others than the solved sides choose, and what each player does of it."""


class _Others(NamedTuple):
    """What is fixed in a state, whatever the solved sides choose."""

    offers: tuple[Offer, ...]
    # The registers, the choices that are made, the rules by which is paid.
    now: dict[str, Value]
    made: frozenset[str]
    paid: tuple[int, ...]
    # What others may do, with the sum of weights.
    whole: int
    branches: list[_Branch]
