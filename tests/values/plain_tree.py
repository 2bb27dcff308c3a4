"""A slow reference: the whole tree of a small document, and a best reply by information sets.

It shares no code with the solver. What a side knows is written down anew in each turn, as its seats
see it in play: everything of all earlier turns that they see by then.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from nip_core.language import GivenPlay
from nip_core.language.expressions import OVER
from nip_core.language.machine import Machine, events_of


class TooManyError(Exception):
    """The tree is too large for a test."""


@dataclass
class Node:
    """A turn of a play, or its end."""

    info: object = None
    # For each own choice, the chances and nodes of what may follow.
    ways: dict = field(default_factory=dict)
    paid: dict = field(default_factory=dict)
    verdict: tuple | None = None
    depth: int = 0


class Tree:
    """The tree of a document for one side, against given play of the others."""

    def __init__(self, spec, side, habits=(), most=4_000):
        self.spec, self.side, self.most = spec, side, most
        self.machine, self.given = Machine(spec), GivenPlay(spec, habits)
        self.size = 0
        starts = [(Fraction(1), self.machine.blank())]
        for choice in spec.drawn:
            options = spec.options[choice.name]
            starts = [
                (p * q, self.machine.recorded(registers, {choice.name: option}))
                for p, registers in starts
                for option, q in zip(
                    options,
                    self.given.chances(self.machine, choice, options, registers, None),
                    strict=True,
                )
                if q
            ]
        self.roots = [(p, self.turn(self.machine.first, r, r, [], (), {})) for p, r in starts]

    def known(self, place, acts, first, registers, past):
        """Return what the side knows at a place, apart from what it knew before."""
        spec, here = self.spec, []
        before = self.machine.known_before(first)
        for seat in sorted(self.side):
            now = {**self.machine.here(place, registers), OVER: False}
            sight = spec.sight(seat, place.stage)
            here.append(spec.expression(spec.seat(seat).argues).value(now))
            here.append(
                tuple((c.name, first[c.name]) for c in spec.drawn if c.name in sight.choices)
            )
            here.append(tuple((n, v) for n, v in before.items() if n in sight.values))
            for happened, made, values in past:
                then = spec.sight(seat, place.stage, spec.pending(happened, place))
                here.append(tuple(sorted((n, o) for n, o in made.items() if n in then.choices)))
                here.append(tuple((n, v) for n, v in values.items() if n in then.values))
        for act in acts:
            if act.seat in self.side:
                options = [
                    self.machine.open_options(act, n, registers, {}) if act.total is None else n
                    for n, _ in act.choose
                ]
                here.append(
                    (
                        act.seat,
                        act.say,
                        act.choose,
                        act.silent,
                        act.optional,
                        tuple(map(str, options)),
                        act.total,
                    )
                )
        return (place, *here)

    def joint(self, acts, registers):
        """Return everything that some acts may choose together."""
        parts = []
        for act in acts:
            ways = [{}]
            for name, _ in act.choose:
                ways = [
                    {**way, name: option}
                    for way in ways
                    for option in self.machine.open_options(act, name, registers, way)
                ]
            parts.append(ways)
        return [{k: v for part in parts for k, v in part.items()} for parts in product(*parts)]

    def turn(self, place, registers, first, past, info, paid):
        self.size += 1
        if self.size > self.most:
            raise TooManyError
        acts = self.machine.acts(place, registers)
        info = (*info, self.known(place, acts, first, registers, past))
        node = Node(info=info, depth=len(past))
        now = self.machine.here(place, registers)
        others = [(Fraction(1), {})]
        for act in acts:
            if act.seat in self.side:
                continue
            for name, _ in act.choose:
                others = [
                    (p * q, {**made, name: option})
                    for p, made in others
                    for options in [self.machine.open_options(act, name, registers, made)]
                    for option, q in zip(
                        options,
                        self.given.chances(
                            self.machine, self.spec.choice(name), options, now, place
                        ),
                        strict=True,
                    )
                    if q
                ]
        own = self.joint([act for act in acts if act.seat in self.side], registers)
        for mine in own:
            key = tuple(mine.items())
            ways = node.ways[key] = []
            for p, made in others:
                ways.append(
                    (
                        p,
                        self.after(
                            place,
                            registers,
                            acts,
                            {**made, **mine},
                            first,
                            past,
                            (*info, key),
                            paid,
                        ),
                    )
                )
        return node

    def after(self, place, registers, acts, made, first, past, info, paid):
        later = self.machine.recorded(registers, made, place)
        onward, _ = self.machine.onward(place, later)
        now = {**self.machine.here(place, later), OVER: onward is None}
        paid = dict(paid)
        for seat, amount in self.machine.paid(events_of(acts, made, onward is None), now).items():
            paid[seat] = paid.get(seat, 0) + Fraction(amount)
        if onward is None:
            truth = self.spec.roles.truth
            verdict = self.spec.expression(self.spec.verdict).value(now)
            return Node(paid=paid, verdict=(verdict, now[truth] if truth else None))
        values = self.machine.changed(place, registers, later)
        return self.turn(onward, later, first, [*past, (place, made, values)], info, paid)

    def best(self, goal, tie):
        """Return the best amount of a goal, and then the lowest and the highest of a tie.

        Both are functions of what is paid and of the verdict with the truth.
        """
        sets = {}

        def collect(node, chance):
            if node.verdict is None:
                sets.setdefault((node.depth, node.info), []).append((node, chance))
                for ways in node.ways.values():
                    for p, onward in ways:
                        collect(onward, chance * p)

        for p, root in self.roots:
            collect(root, p)
        worth = {}

        def value(node):
            if node.verdict is not None:
                goal_here, tie_here = goal(node.paid, *node.verdict), tie(node.paid, *node.verdict)
                return goal_here, tie_here, tie_here
            return worth[id(node)]

        def mean(ways):
            return tuple(
                sum((p * value(onward)[n] for p, onward in ways), Fraction(0)) for n in range(3)
            )

        for _, members in sorted(sets.items(), key=lambda item: -item[0][0]):
            totals = {}
            for own in members[0][0].ways:
                parts = [mean(node.ways[own]) for node, _ in members]
                totals[own] = tuple(
                    sum(p * part[n] for (_, p), part in zip(members, parts, strict=True))
                    for n in range(3)
                )
            top = max(total[0] for total in totals.values())
            good = [own for own, total in totals.items() if total[0] == top]
            low = min(good, key=lambda own: totals[own][1])
            high = max(good, key=lambda own: totals[own][2])
            for node, _ in members:
                one, two = mean(node.ways[low]), mean(node.ways[high])
                # The goal is the same for both on the whole, though not in each node.
                worth[id(node)] = one[0], one[1], two[2]
        parts = [(p, value(root)) for p, root in self.roots]
        return tuple(sum((p * part[n] for p, part in parts), Fraction(0)) for n in range(3))
