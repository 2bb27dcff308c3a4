"""A slow reference for two provers and a committed verifier: the whole tree, all pure plans.

The rules are implemented here a second time. A verifier's strategy is a realisation plan over
sequences; the value of a pair of the provers' pure plans is linear in it, so each pair is one
linear program.
"""

import itertools
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import scipy

SIGNALS = (0, 1)
NEAR = 1e-7


@dataclass
class Rules:
    """A protocol with two provers, and what everybody knows."""

    name: str
    rounds: int
    first_counting: int = 0
    sequential: bool = False
    prover0_first: bool = True
    verifier_first: bool = True
    right: float = 1.0
    wrong: float = -1.0
    terminated: float = -1.0
    go_on: float = 0.0
    prover: float = 1.0
    shared: bool = False
    prior: Fraction = Fraction(1, 2)
    accuracies: tuple = (Fraction(1), Fraction(1))
    verifier_accuracy: Fraction = Fraction(1, 2)
    sharing: bool = False
    words: int = 2

    @property
    def sides(self):
        return (1, 1) if self.name.startswith("mnip") else (0, 1)

    def speakers(self, round_id, variant):
        if self.name == "merlin_arthur":
            return [{variant}, {"verifier"}][round_id]
        order = [{0}, {1}] if self.prover0_first else [{1}, {0}]
        answers = order if self.sequential else [{0, 1}]
        cycle = [{"verifier"}, *answers] if self.verifier_first else [*answers, {"verifier"}]
        return cycle[round_id % len(cycle)]

    def reads(self, prover, channel):
        return self.name != "mnip" or prover == channel

    def worlds(self):
        """Yield label, variant, the provers' signals, the verifier's, and the chance of all."""
        variants = SIGNALS if self.name == "merlin_arthur" else (0,)
        for y, variant in itertools.product(SIGNALS, variants):
            chance = (self.prior if y else 1 - self.prior) / len(variants)
            drawn = [drawing(y, a) for a in (*self.accuracies, self.verifier_accuracy)]
            for (s0, p), (s1, q), (own, r) in itertools.product(*drawn):
                if chance * p * q * r:
                    yield y, variant, (s0, s1), own, chance * p * q * r

    def paid(self, y, decision, gone_on):
        """Return the totals of the verifier and both provers."""
        last = self.terminated if decision == 2 else self.right if decision == y else self.wrong
        verifier = gone_on * self.go_on + last
        if self.shared:
            return verifier, verifier, verifier
        return (verifier, *(self.prover * (decision == side) for side in self.sides))


def drawing(y, accuracy):
    if accuracy == Fraction(1, 2):
        return [(None, Fraction(1))]
    return [(y, accuracy), (1 - y, 1 - accuracy)]


@dataclass
class Tree:
    """Leaves of the tree, the verifier's sequences, and the provers' information sets."""

    rules: Rules
    leaves: list = field(default_factory=list)
    sequences: dict = field(default_factory=lambda: {(): 0})
    choices: dict = field(default_factory=dict)
    points: tuple = field(default_factory=lambda: ({}, {}))

    def __post_init__(self):
        for y, variant, signals, own, chance in self.rules.worlds():
            self._grow((y, variant, signals, own), float(chance), 0, (), (), 0, ())
        self.rows = []
        for (before, _), options in self.choices.items():
            row = np.zeros(len(self.sequences))
            row[self.sequences[before]] = -1
            row[[self.sequences[option] for option in options]] = 1
            self.rows.append(row)

    def _grow(self, world, chance, round_id, said, sequence, gone_on, moves):
        """Grow the tree after `said`, the messages of each earlier round by channel and speaker."""
        rules, (y, variant, signals, own) = self.rules, world
        speaking = rules.speakers(round_id, variant)
        is_last = round_id == rules.rounds - 1
        if "verifier" in speaking:
            where = (own, said)
            options = []
            if round_id >= rules.first_counting:
                for decision in (0, 1):
                    options.append((*sequence, (where, f"decide {decision}")))
                    self._end(y, chance, decision, gone_on, options[-1], moves)
            options.append((*sequence, (where, "go on")))
            self._number(options[-1])
            if is_last:
                self._end(y, chance, 2, gone_on, options[-1], moves)
            else:
                heard = (*said, ((0, "v", 0), (1, "v", 0)))
                further = (chance, round_id + 1, heard, options[-1], gone_on + 1, moves)
                self._grow(world, *further)
            self.choices.setdefault((sequence, where), options)
            return
        matters = any(
            "verifier" in rules.speakers(r, variant) for r in range(round_id + 1, rules.rounds)
        )
        provers = sorted(speaking)
        for words in itertools.product(range(rules.words if matters else 1), repeat=len(provers)):
            done = list(moves)
            spoken = []
            for prover, word in zip(provers, words, strict=True):
                if matters:
                    seen = tuple(
                        tuple(each for each in past if rules.reads(prover, each[0]))
                        for past in said
                    )
                    knows = signals if rules.sharing else signals[prover]
                    point = (knows, seen, round_id)
                    self.points[prover].setdefault(point, rules.words)
                    done.append((prover, point, word))
                # In Merlin-Arthur nobody learns who wrote.
                channel = "main" if rules.name == "merlin_arthur" else prover
                spoken.append((channel, "p", word))
            if is_last:
                self._end(y, chance, 2, gone_on, sequence, tuple(done))
            else:
                self._grow(
                    world, chance, round_id + 1, (*said, tuple(spoken)), sequence, gone_on,
                    tuple(done),
                )  # fmt: skip

    def _number(self, sequence):
        return self.sequences.setdefault(sequence, len(self.sequences))

    def _end(self, y, chance, decision, gone_on, sequence, moves):
        # The last round pays nothing for going on, but the penalty for running out.
        paid = self.rules.paid(y, decision, gone_on)
        self.leaves.append((self._number(sequence), chance, moves, paid))

    def plans(self):
        """Return all pure plans of each prover."""
        for points in self.points:
            yield [
                dict(zip(points, words, strict=True))
                for words in itertools.product(*(range(n) for n in points.values()))
            ]

    def worths(self):
        """Return the value of each pair of plans to all three, by the verifier's sequences."""
        numbers = np.array([number for number, *_ in self.leaves])
        paid = np.array([[chance * float(p) for p in pays] for _, chance, _, pays in self.leaves])
        follows = [
            np.array(
                [[self._follows(plan, leaf, prover) for leaf in self.leaves] for plan in plans]
            )
            for prover, plans in enumerate(self.plans())
        ]
        found = {}
        for (i, first), (j, second) in itertools.product(*map(enumerate, follows)):
            weights = paid * (first & second)[:, None]
            total = [np.bincount(numbers, each, len(self.sequences)) for each in weights.T]
            found[i, j] = np.array(total)
        return found

    @staticmethod
    def _follows(plan, leaf, prover):
        return all(plan[point] == word for who, point, word in leaf[2] if who == prover)


class Solved:
    """Linear programs over a tree."""

    def __init__(self, rules):
        self.tree = Tree(rules)
        size = len(self.tree.sequences)
        start = np.zeros(size)
        start[0] = 1
        self.equal = np.array([start, *self.tree.rows])
        self.right = np.array([1.0, *[0.0] * len(self.tree.rows)])
        self.worths = self.tree.worths()
        # Words are arbitrary names: a prover's message at its first point may be called the first
        # one. In Merlin-Arthur both write on one channel, so this holds for one of them.
        plans = [list(each) for each in self.tree.plans()]
        namers = 1 if rules.name == "merlin_arthur" else 2
        self.named = {
            pair
            for pair in self.worths
            if all(
                next(iter(plans[prover][pair[prover]].values()), 0) == 0 for prover in range(namers)
            )
        }

    def most(self, goal, rows=(), free=0):
        """Return the largest value of a goal over strategies where rows are not negative."""
        wide = len(goal) - self.equal.shape[1]
        equal = np.hstack([self.equal, np.zeros((len(self.equal), wide))])
        bounds = [(0, None)] * self.equal.shape[1] + [(None, None)] * wide
        rows = np.array(rows)
        found = scipy.optimize.linprog(
            -goal,
            -rows if len(rows) else None,
            np.zeros(len(rows)) if len(rows) else None,
            equal,
            self.right,
            bounds=bounds,
            method="highs",
        )
        return -found.fun if found.status == 0 else None

    def equilibrium(self):
        """Return the best value with a pair of pure plans that is an equilibrium of the provers."""
        values = []
        for i, j in self.named:
            own = self.worths[i, j]
            rows = [own[1] - each[1] for (k, m), each in self.worths.items() if m == j and k != i]
            rows += [own[2] - each[2] for (k, m), each in self.worths.items() if k == i and m != j]
            values.append(self.most(own[0], rows))
        return max(value for value in values if value is not None)

    def team(self, *, pessimistic):
        """Return the value against a team: all its replies, and the worst of equally good ones."""
        groups, named = [], []
        for pair, each in self.worths.items():
            total = each[1] + each[2]
            mark = self._as_function(total)
            group = next((g for g in groups if np.abs(g[2] - mark).max() < NEAR), None)
            if group is None:
                group = (total, [], mark)
                groups.append(group)
            group[1].append(each[0])
            if pair in self.named and not any(group is other for other in named):
                named.append(group)
        values = []
        for total, members, _ in named:
            rows = [total - other for other, *_ in groups if other is not total]
            if not pessimistic:
                values += [self.most(each, rows) for each in members]
                continue
            if rows and not self._is_strict(rows):
                continue
            size = self.equal.shape[1]
            least = [np.append(each, -1.0) for each in members]
            goal = np.append(np.zeros(size), 1.0)
            values.append(self.most(goal, [*least, *(np.append(row, 0.0) for row in rows)]))
        return max(value for value in values if value is not None)

    def _as_function(self, row):
        """Return a row as a function of strategies: rows with equal values for all are one."""
        factors = np.linalg.lstsq(self.equal.T, row, rcond=None)[0]
        return np.append(row - self.equal.T @ factors, factors @ self.right)

    def _is_strict(self, rows):
        goal = np.append(np.zeros(self.equal.shape[1]), 1.0)
        found = self.most(goal, [np.append(row, -1.0) for row in rows])
        return found is not None and found > NEAR

    def safe(self):
        """Return what the verifier can guarantee against any pair of plans."""
        goal = np.append(np.zeros(self.equal.shape[1]), 1.0)
        return self.most(goal, [np.append(each[0], -1.0) for each in self.worths.values()])


def played(rules, stops, report):
    """Return what a strategy pays all three, and how likely each label is accepted with it.

    Parameters
    ----------
    rules : Rules
    stops : mapping
        As a mechanism has it.
    report : callable
        What is reported, by the variant and the provers' signals.
    """
    paid = np.zeros(3)
    accepted = {0: 0.0, 1: 0.0}
    for y, variant, signals, own, chance in rules.worlds():
        said = report(variant, signals)
        # What is not heard yet, or ignored, is None in the strategy.
        masks = [(said[0], None), (None, said[1])] if isinstance(said, tuple) else []
        left, gone_on = float(chance), 0
        for round_id in range(rules.rounds):
            if "verifier" not in rules.speakers(round_id, variant):
                continue
            keys = [(own, each, round_id) for each in (said, *masks, None)]
            chances = next((stops[key] for key in keys if key in stops), (0, 0))
            for decision, share in enumerate(chances):
                paid += left * float(share) * np.array(rules.paid(y, decision, gone_on))
            accepted[y] += left * float(chances[1])
            left *= 1 - float(sum(chances))
            gone_on += round_id < rules.rounds - 1
        paid += left * np.array(rules.paid(y, 2, gone_on))
    return paid.tolist(), accepted
