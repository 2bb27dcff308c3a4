"""Small games of two sides, as trees and in sequence form, and slow ways to solve them."""

import itertools
import math
import random
from dataclasses import dataclass
from fractions import Fraction

from nip_core.values.linear import ONE, maximise
from nip_core.values.sides import EMPTY, TwoSides

PAY = ("one", "other")


@dataclass(frozen=True)
class Node:
    """A node of a tree: an end with pay, a draw, or a move of a side that has seen something."""

    side: int | None = None  # None: chance, or an end
    seen: object = None
    children: tuple = ()  # of nodes, or of (chance, node)
    pay: tuple = ()


def in_sequence_form(root):
    """Return a tree in sequence form; both sides must remember everything."""
    game = TwoSides()

    def walk(node, chance, sequences):
        if node.pay:
            for feature, amount in zip(PAY, node.pay, strict=True):
                game.add(*sequences, feature, chance * amount)
        elif node.side is None:
            for share, child in node.children:
                walk(child, chance * share, sequences)
        else:
            names = tuple(range(len(node.children)))
            decision = game.sides[node.side].at(sequences[node.side], node.seen, names)
            for move, child in zip(decision.moves, node.children, strict=True):
                after = [*sequences]
                after[node.side] = move
                walk(child, chance, tuple(after))

    walk(root, Fraction(1), (EMPTY, EMPTY))
    return game


def kuhn_poker():
    """Return Kuhn's poker with three cards, whose value for the first player is -1/18."""
    draws = []
    for one, other in itertools.permutations(range(3), 2):

        def showdown(stake, one=one, other=other):
            won = Fraction(stake if one > other else -stake)
            return Node(pay=(won, -won))

        def folded(won):
            return Node(pay=(Fraction(won), Fraction(-won)))

        called = Node(1, (other, "bet"), (folded(1), showdown(2)))
        answer = Node(0, (one, "check, bet"), (folded(-1), showdown(2)))
        passed = Node(1, (other, "check"), (showdown(1), answer))
        draws.append((Fraction(1, 6), Node(0, (one,), (passed, called))))
    return Node(children=tuple(draws))


def bimatrix(table):
    """Return the game in which both sides move at once; `table[one][other]` is the pay."""
    rows = [
        Node(1, "other", tuple(Node(pay=tuple(map(Fraction, pay))) for pay in row)) for row in table
    ]
    return Node(0, "one", tuple(rows))


def random_game(rng, depth=3, zero_sum=True, width=3):
    """Return a random game in which sides see some of the draws and moves."""
    names = itertools.count()

    def grown(left, views):
        if not left or (left < depth and rng.random() < 0.15):
            amount = Fraction(rng.randint(-6, 6), rng.choice([1, 1, 2, 3]))
            other = -amount if zero_sum else Fraction(rng.randint(-3, 3))
            return Node(pay=(amount, other))
        side = rng.choice([None, 0, 1, 0, 1])
        count = rng.randint(2, width)
        turn = next(names) if rng.random() < 0.3 else left
        if side is None:
            weights = [rng.randint(1, 4) for _ in range(count)]
            shares = [Fraction(w, sum(weights)) for w in weights]
        hidden = [rng.random() < 0.5 for _ in range(2)]
        children = []
        for option in range(count):
            after = list(views)
            for place in range(2):
                if place == side or not hidden[place]:
                    after[place] = (*views[place], (left, option))
            children.append((left - 1, tuple(after)))
        grown_children = [grown(*child) for child in children]
        if side is None:
            return Node(children=tuple(zip(shares, grown_children, strict=True)))
        return Node(side, (turn, count, views[side]), tuple(grown_children))

    return grown(depth, ((), ()))


def plans(side):
    """Return the weights of all plans without chance."""
    ways = [range(len(decision.options)) for decision in side.decisions]
    return [side.pure(picked) for picked in itertools.product(*ways)]


def by_plans(game, entries):
    """Return the value from the matrix of all plans without chance, with the exact simplex."""
    columns = plans(game.sides[1])
    rows = plans(game.sides[0])
    table = [[game.value(entries, row, column) for column in columns] for row in rows]
    low = min(map(min, table))
    # The mixture's weights, and the value above the lowest entry.
    value = len(rows)
    programs = [
        {n: table[n][c] - low for n in range(value)} | {value: Fraction(-1)}
        for c in range(len(columns))
    ]
    whole = dict.fromkeys(range(value), Fraction(-1)) | {ONE: Fraction(1)}
    return maximise({value: Fraction(1)}, [*programs, whole], value + 1).value + low


def count_of_plans(side):
    """Return how many plans without chance :func:`plans` lists."""
    return math.prod(len(decision.options) for decision in side.decisions)


def some_game(seed, **options):
    """Return a random game in sequence form, and its tree."""
    tree = random_game(random.Random(seed), **options)
    return in_sequence_form(tree), tree
