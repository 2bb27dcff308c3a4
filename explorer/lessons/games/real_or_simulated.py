"""Tell apart a conversation with a prover and a simulated one."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations, product
from random import Random
from typing import Any

from explorer.lessons.game import Choice, Circumstances, Role, Scene, ScriptLine, coin
from explorer.lessons.games.three_colouring import COLOURING, EDGES

State = dict[str, Any]
SHOWN = 3
Round = tuple[int, int, int]
"""The opened edge, and its two colours."""


Law = dict[tuple[Round, ...], Fraction]
ORDERS: tuple[tuple[int, ...], ...] = tuple(permutations(range(3)))


def real_law(rounds: int, *, shuffles: bool, known: bool = True) -> Law:
    """Return the distribution of the verifier's view for uniformly random edges and ideal boxes.

    A prover that `shuffles` renames its colours before every round. Otherwise they are either
    `known` beforehand, or all their names are equally likely.
    """
    if shuffles:
        return _law(rounds, ORDERS)
    if known:
        return _law(rounds, ORDERS[:1])
    law: Law = {}
    for order in ORDERS:
        for seen, chance in _law(rounds, (order,)).items():
            law[seen] = law.get(seen, Fraction(0)) + chance / len(ORDERS)
    return law


def _law(rounds: int, orders: tuple[tuple[int, ...], ...]) -> Law:
    """Return the distribution if each round uses one of these equally likely colourings."""
    first: Law = {(): Fraction(1)}
    chance = Fraction(1, len(EDGES) * len(orders))
    for _ in range(rounds):
        after: Law = {}
        for seen, weight in first.items():
            for (number, (a, b)), order in product(enumerate(EDGES), orders):
                new = (*seen, (number, order[COLOURING[a]], order[COLOURING[b]]))
                after[new] = after.get(new, Fraction(0)) + weight * chance
        first = after
    return first


def simulated_law(rounds: int) -> Law:
    """Return the simulator's distribution: two random different colours for each edge."""
    pairs = list(permutations(range(3), 2))
    chance = Fraction(1, len(EDGES) * len(pairs))
    one = [(number, x, y) for number in range(len(EDGES)) for x, y in pairs]
    return dict.fromkeys(product(one, repeat=rounds), chance**rounds)


def advantage(rounds: int, *, shuffles: bool, known: bool = True) -> Fraction:
    """Return the best guesser's advantage over chance: half the distance of two distributions."""
    real = real_law(rounds, shuffles=shuffles, known=known)
    made_up = simulated_law(rounds)
    keys = real.keys() | made_up.keys()
    zero = Fraction(0)
    return sum((abs(real.get(k, zero) - made_up.get(k, zero)) for k in keys), zero) / 4


class RealOrSimulated:
    """One of two conversations is real."""

    title = "Real or simulated?"
    roles = (Role("guesser", "I guess"),)
    outcomes: Mapping[str, str] = {"right": "Guessed right", "wrong": "Guessed wrong"}
    settings: Mapping[str, str] = {
        "shuffles": "Does the prover re-shuffle its colours? By default it does."
    }

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return the cases: with shuffling, or without, where most simulations are recognised."""
        if settings.get("shuffles", True):
            half = Fraction(1, 2)
            return {
                "blind": Circumstances("Whatever one looks for", {"right": half, "wrong": half})
            }
        wrong = Fraction(1, 2 * 6**SHOWN)
        best = "The best guesser, who knows the prover's colours"
        return {"seen": Circumstances(best, {"right": 1 - wrong, "wrong": wrong})}

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Return both conversations, in an order that a coin chose."""
        real = [_drawn(random, real=True, shuffles=bool(settings.get("shuffles", True)))]
        made_up = [_drawn(random, real=False, shuffles=True)]
        place = coin(random)
        return {
            "logs": real + made_up if place == 0 else made_up + real,
            "real": place,
            "case": next(iter(self.cases(settings))),
            "said": None,
        }

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return both conversations; which one is real appears at the end."""
        said = tuple(
            ScriptLine("One" if which == 0 else "Two", "; ".join(_words(seen) for seen in log))
            for which, log in enumerate(state["logs"])
        )
        if state["said"] is None:
            choices = (Choice("0", "One is real"), Choice("1", "Two is real"))
            return Scene(said, (), "One conversation was had with a prover. Which?", choices)
        outcome = "right" if state["said"] == state["real"] else "wrong"
        name = "One" if state["real"] == 0 else "Two"
        return Scene(
            said, (), f"{name} is real. {self.outcomes[outcome]}.", (), outcome, state["case"]
        )

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> State:
        """Return the guess."""
        self.scene(state).check(choice)
        return {**state, "said": int(choice)}


GAME = RealOrSimulated()


def _drawn(random: Random, *, real: bool, shuffles: bool) -> list[list[int]]:
    log: list[list[int]] = []
    for _ in range(SHOWN):
        number, order = random.randrange(len(EDGES)), [0, 1, 2]
        if shuffles or not real:
            random.shuffle(order)
        a, b = EDGES[number]
        colours = (order[COLOURING[a]], order[COLOURING[b]]) if real else tuple(order[:2])
        log.append([number, *colours])
    return log


def _words(seen: list[int]) -> str:
    a, b = EDGES[seen[0]]
    return f"edge {a}-{b}: {'ABC'[seen[1]]} and {'ABC'[seen[2]]}"
