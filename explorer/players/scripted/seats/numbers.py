"""Seats of protocols whose play is numbers: everybody who knows them computes what is best."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations, product

from explorer.players.scripted.seats.seat import Option, Seat, data, nearest

# -- chances of a random process, step by step -----------------------------------------------------

State = tuple[int, ...]
# The chances of what may come next: the chance, the state after it, and the bit that it shows.
Steps = list[tuple[float, State, int]]
# How much a prover claims too much, in percent.
EXAGGERATES = {"easy": 25, "medium": 10, "hard": 4}
TOLERANCE = 5


def _ferry(state: State) -> Steps:
    ways: Steps = []
    for more, taken in product((0, 1), (0, 1)):
        waiting = max(0, state[0] + more - taken)
        ways.append((0.5 * (0.6 if taken else 0.4), (waiting,), int(waiting > 0)))
    return ways


def _lamp(state: State) -> Steps:
    on = 0.9 if state[0] else 0.3
    return [(on, (1,), 1), (1 - on, (0,), 0)]


def _marbles(state: State) -> Steps:
    red, blue = state
    share = red / (red + blue)
    return [(share, (red + 1, blue), 1), (1 - share, (red, blue + 1), 0)]


def _ring(state: State) -> Steps:
    on, back = (state[0] + 1) % 6, (state[0] - 1) % 6
    return [(2 / 3, (on,), int(on < 3)), (1 / 3, (back,), int(back < 3))]


def _notes(state: State) -> Steps:
    polite = 0.8 if state[0] else 0.6
    return [(polite, (0,), 1), (1 - polite, (1,), 0)]


def _throws(state: State) -> Steps:
    heads, tails = (3 * state[0] + 1) % 7, (state[0] + 2) % 7
    return [(0.5, (heads,), heads % 2), (0.5, (tails,), tails % 2)]


# By question: where the process starts, and its steps.
PROCESSES: Mapping[str, tuple[State, Callable[[State], Steps]]] = {
    "Is the last bit of this computation 1?": ((0,), _throws),
    "Is somebody still waiting after the last step?": ((3,), _ferry),
    "Is the lamp on after the last step?": ((0,), _lamp),
    "Is the last marble that is drawn red?": ((1, 1), _marbles),
    "Does the walk end on the marked half of the ring?": ((0,), _ring),
    "Do people call the last message of this exchange polite?": ((0,), _notes),
}


def chance_of_one(question: str, bits: list[Option]) -> float:
    """Return how likely the next bit is 1, in percent, given those so far."""
    start, steps = PROCESSES[question]
    belief: dict[State, float] = {start: 1.0}
    for bit in bits:
        shown = 1 if bit == "one" else 0
        after: dict[State, float] = {}
        for state, chance in belief.items():
            for share, new, one in steps(state):
                if one == shown:
                    after[new] = after.get(new, 0.0) + chance * share
        total = sum(after.values())
        belief = {state: chance / total for state, chance in after.items()} if total else belief
    ways = ((chance * share, one) for s, chance in belief.items() for share, _, one in steps(s))
    return 100 * sum(share for share, one in ways if one)


class ChanceSeat(Seat):
    """A seat that claims the chance of the next bit, doubts a claim, or rules on it."""

    @property
    def chance(self) -> float:
        """The chance of the bit that is spoken of: the next one, or the one that was rejected."""
        return chance_of_one(self.view.parts["question"], self.chosen("bit"))

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return a claim, an answer to one, or a ruling."""
        if len(options) > 2:
            lies = EXAGGERATES[self.level] if self.lasting.random() < 0.5 else 0
            return nearest(options, min(100.0, self.chance + lies))
        said = [int(claim) for claim in self.chosen("claimed")]
        off = said[-1] - self.chance if said else 0.0
        if "rejects" in options:
            return "rejects" if off > TOLERANCE else "accepts"
        return "one" if off <= TOLERANCE else "zero"

    def say(self, channel: str, made: Mapping[str, Option]) -> str:
        """Return a sentence about the chance."""
        if "claimed" in made:
            return f"From the bits so far, the next bit is 1 with a chance of {made['claimed']}%."
        doubts = made.get("answer") == "rejects"
        return (
            f"I make it {self.chance:.0f}%, and {'doubt your' if doubts else 'accept the'} claim."
        )


# -- proofs about numbers --------------------------------------------------------------------------


class NumberSeat(Seat):
    """A seat of a proof in which facts are numbers. It lies only where it cannot be honest."""

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return what an honest seat computes, or the best that a liar can do."""
        for rule in (self._of_delegation, self._of_sum, self._of_set, self._of_colours):
            found = rule(name)
            if found is not None:
                return found
        return super().wish(name, options)

    # Two servers run the same four steps, and a referee does the one that is disputed.

    def _of_delegation(self, name: str) -> Option | None:
        known = self.view.known
        if not {"start", "factor", "shift"} <= known.keys():
            return None
        if name == "ruling":
            return self._ruling()
        return self._states()[int(name[1:])] if name[1:].isdigit() else None

    def _next(self, state: int) -> int:
        known = self.view.known
        return (int(known["factor"]) * state + int(known["shift"])) % 7

    def _states(self) -> list[int]:
        """Return the states of the computation; a server that lies gets one step wrong."""
        wrong = self.lasting.choice((1, 2, 3, 4)) if self.lasting.random() < 0.5 else 0
        states = [int(self.view.known["start"])]
        for number in range(1, 5):
            states.append((self._next(states[-1]) + (number == wrong)) % 7)
        return states

    def _ruling(self) -> Option:
        sent = {n: int(o) for seen in self.view.rounds for n, o in seen.choices.items()}
        at = {0: int(self.view.known["start"])}
        at |= {n: sent[f"a{n}"] for n in range(1, 5) if sent.get(f"a{n}", -1) == sent.get(f"b{n}")}
        for number in range(1, 5):
            a, b = sent.get(f"a{number}"), sent.get(f"b{number}")
            if a != b and number - 1 in at:
                return "server_a" if a == self._next(at[number - 1]) else "server_b"
        return "server_a"

    # A prover sends polynomials of degree one by their values at 0 and 1.

    def _of_sum(self, name: str) -> Option | None:
        known = self.view.known
        if "total" not in known:
            return None
        if name == "verdict":
            return self.value("check")
        if len(name) != 2 or name[0] not in "gh":
            return None
        a, b, c, d = (int(known[k]) for k in "abcd")
        if name[0] == "g":
            honest, owed = ((2 * a + c) % 5, (2 * a + 2 * b + c + d) % 5), int(known["total"])
        else:
            r = int(self.chosen("r")[-1])
            honest = ((a + b * r) % 5, (a + b * r + c + d * r) % 5)
            owed = int(self.value("owed"))
        # What is missing is added at 0: so the lie is equal to the truth at one point, 1.
        sent = ((owed - honest[1]) % 5, honest[1])
        return sent[int(name[1])]

    # Merlin names a member that a random function maps to 0, and Arthur counts the hits.

    def _of_set(self, name: str) -> Option | None:
        known = self.view.known
        if name == "pick" and "m0" in known:
            a, b = (int(self.chosen(c)[-1]) for c in "ab")
            hits = [n for n in range(7) if (a * n + b) % 7 == 0 and known[f"m{n}"] == 1]
            return hits[0] if hits else None
        if name == "verdict" and self.value("hits") is not None:
            rounds = dict(self.view.rules.settings).get("rounds", 8)
            return "accept" if int(self.value("hits")) >= math.ceil(0.39 * rounds) else "reject"
        return None

    # A prover colours four nodes, and a verifier sees the ends of one edge.

    def _of_colours(self, name: str) -> Option | None:
        known, edges = self.view.known, [f"e{a}{b}" for a in "1234" for b in "1234" if a < b]
        if not {*edges} <= known.keys():
            return None
        if name == "verdict":
            return "accept" if not self.value("alike") else "reject"
        return self._colours(tuple(e for e in edges if known[e] == 1))[int(name[1:]) - 1]

    def _colours(self, edges: tuple[str, ...]) -> tuple[Option, ...]:
        """Return a colouring with few bad edges; its colours are swapped anew each round."""
        if self._colouring is None:
            best = min(
                product(range(3), repeat=4),
                key=lambda c: sum(c[int(e[1]) - 1] == c[int(e[2]) - 1] for e in edges),
            )
            colours = self.rng.sample(("red", "green", "blue"), 3)
            self._colouring = tuple(colours[each] for each in best)
        return self._colouring

    _colouring: tuple[Option, ...] | None = None


# -- two graphs ------------------------------------------------------------------------------------


class CopySeat(Seat):
    """A seat of the test in which a shuffled copy has to be told apart from another graph."""

    @property
    def graphs(self) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
        """The two graphs."""
        lines = self.view.parts["graphs"].splitlines()
        told = [line.partition(":")[2] for line in lines if "graph:" in line]
        return edges_in(told[0]), edges_in(told[1])

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return which graph a copy shows, or whether all copies were told apart."""
        if name == "named":
            copy = edges_in(self.texts()[-1])
            same = [alike(copy, graph) for graph in self.graphs]
            return None if same[0] == same[1] else "first" if same[0] else "second"
        return "reject" if self.value("missed") else "accept"

    def say(self, channel: str, made: Mapping[str, Option]) -> str:
        """Return a shuffled copy of the graph that the coin says."""
        edges = self.graphs[0 if self.chosen("coin")[-1] == "first" else 1]
        nodes = sorted({node for edge in edges for node in edge})
        names = dict(zip(nodes, self.rng.sample(nodes, len(nodes)), strict=True))
        pairs = ["-".join(sorted(names[node] for node in edge)) for edge in edges]
        return ", ".join(self.rng.sample(pairs, len(pairs)))


def edges_in(text: str) -> list[frozenset[str]]:
    """Return the edges of a graph that is written as "1-2, 2-3"."""
    parts = (each.strip().split("-") for each in text.split(","))
    return [frozenset(part) for part in parts if len({*part}) == 2]


def alike(one: list[frozenset[str]], other: list[frozenset[str]]) -> bool:
    """Return whether renaming nodes turns a graph of at most seven nodes into another."""
    nodes, others = (sorted({n for e in g for n in e}) for g in (one, other))
    if len(nodes) != len(others) or len({*one}) != len({*other}) or len(nodes) > 7:
        return False
    wanted = {*other}
    return any(
        {frozenset(names[n] for n in edge) for edge in one} == wanted
        for order in permutations(others)
        for names in (dict(zip(nodes, order, strict=True)),)
    )


# -- a picture of nine pixels ----------------------------------------------------------------------


class PictureSeat(Seat):
    """A seat that uncovers pixels for a label, or judges by those that were uncovered."""

    @property
    def looks(self) -> dict[str, str]:
        """What each label looks like."""
        told = (line.partition(": ") for line in self.view.parts["labels"].splitlines())
        known = data("labels")
        return {side: known[label] for side, _, label in told if label in known}

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return the pixel that speaks most for the label, or the label that fits best."""
        looks = self.looks
        if len(looks) != 2:
            return super().wish(name, options)
        if "A" in options:
            fits = {side: self._fit(look) for side, look in looks.items()}
            return None if fits["A"] == fits["B"] else max(fits, key=lambda side: fits[side])
        mine = str(self.view.argues)
        theirs = "A" if mine == "B" else "B"
        shown = {int(pick) for pick in self.chosen("pick_a", "pick_b")}

        def worth(pixel: int) -> tuple[int, float]:
            dark = "#" if self.view.known[f"x{pixel}"] == 1 else "."
            speaks = (looks[mine][pixel - 1] == dark) - (looks[theirs][pixel - 1] == dark)
            return speaks - (pixel in shown), self.rng.random()

        return max((o for o in options if isinstance(o, int)), key=worth)

    def _fit(self, look: str) -> int:
        picks = zip(self._pixels(), strict=True)
        return sum(look[pixel - 1] == ("#" if dark else ".") for ((pixel, dark),) in picks)

    def _pixels(self) -> Iterator[tuple[int, bool]]:
        for seen in self.view.rounds:
            for side in "ab":
                if f"pick_{side}" in seen.choices and f"shown_{side}" in seen.values:
                    yield int(seen.choices[f"pick_{side}"]), seen.values[f"shown_{side}"] == 1
