"""Proofs: how often a liar survives one test or many, and what a verifier learns.

`how_many_episodes` repeats whole episodes, to compare two protocols.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import accumulate
from random import Random
from typing import TypeVar

from explorer.lessons.experiment import Experiment, ExperimentResult, Knob, Settings, percent
from explorer.lessons.game import coin, vertex_question
from explorer.lessons.games.real_or_simulated import advantage
from explorer.lessons.games.sumcheck import difference, evaluate, is_possible, success
from explorer.lessons.games.three_colouring import CHEAT_SURVIVES, CHEATS, EDGES
from explorer.lessons.games.two_rooms import APART, NODES, PLAN, passes

MOST_SEEN = 2
PROVERS = {
    "re-shuffles": {"shuffles": True},
    "keeps its colours, unknown": {"shuffles": False, "known": False},
    "keeps its colours, known": {"shuffles": False},
}


@cache
def _right(rounds: int, prover: str) -> float:
    """Return how often the best guesser tells a real conversation from a simulated one."""
    return float(Fraction(1, 2) + advantage(rounds, **PROVERS[prover]))


def _knowledge_gained(settings: Settings) -> ExperimentResult:
    """Compare the two distributions, by enumerating all conversations."""
    rounds = int(settings["rounds"])
    shuffled, unknown, known = (_right(rounds, prover) for prover in PROVERS)
    return ExperimentResult(
        f"Rounds seen: {rounds}. If the prover re-shuffles, the best guesser is right in exactly "
        f"{shuffled:.0%} of the cases. If it keeps its colours, a guesser who has yet to find them "
        f"out is right in {unknown:.1%}, and one who knew them beforehand in {known:.1%}.",
        [
            {"rounds seen": str(n), "prover": prover, "best guesser is right": _right(n, prover)}
            for prover in PROVERS
            for n in range(1, MOST_SEEN + 1)
        ],
        {"shuffled": shuffled, "unknown": unknown, "known": known},
        x="rounds seen",
        y="best guesser is right",
        by="prover",
        form="bars",
    )


PLAYS = 1000
MOST_ROUNDS = 20


def _sumcheck(settings: Settings) -> ExperimentResult:
    """Play the protocol a thousand times, and compute the expected result."""
    prime, degree = int(settings["prime"]), int(settings["degree"])
    rounds, known = int(settings["rounds"]), bool(settings["known"])
    random = Random(int(settings["seed"]))
    believed = sum(_is_believed(prime, degree, rounds, known, random) for _ in range(PLAYS))
    exact = 1.0 if known else float(success(prime, degree, rounds))
    bound = min(1.0, rounds * degree / prime)
    rows = [
        {"rounds": n, "liar believed": chance, "who": who}
        for n in range(1, MOST_ROUNDS + 1)
        for who, chance in (
            ("best liar, points unforeseen", float(success(prime, degree, n))),
            ("liar that knows the points", 1.0),
        )
    ]
    what = "knows the points beforehand" if known else "cannot foresee the points"
    return ExperimentResult(
        f"Points from 0 to {prime - 1}, {rounds} round{'s' if rounds > 1 else ''}, curves of "
        f"degree {degree}: the best liar, who {what}, is believed with chance {percent(exact, 2)}; "
        f"in {PLAYS} plays it was believed {believed} time{'' if believed == 1 else 's'}.",
        rows,
        {"exact": exact, "bound": bound, "measured": believed / PLAYS},
        x="rounds",
        y="liar believed",
        by="who",
    )


def _is_believed(prime: int, degree: int, rounds: int, known: bool, random: Random) -> bool:
    """Return whether the liar is believed in one play, following its claim's error."""
    points = [random.randrange(prime) for _ in range(rounds)]
    error = random.randrange(1, prime)
    for point in points:
        roots = _roots_with(point, prime) if known else [0, *range(2, degree + 1)]
        error = evaluate(difference(error, roots, prime), point, prime)
        if error == 0:
            return True
    return False


def _roots_with(point: int, prime: int) -> list[int]:
    """Return one or two points at which the curves meet, including the one that will be asked."""
    pairs = ([point], *([point, other] for other in range(prime) if other != point))
    return next(roots for roots in pairs if is_possible(roots, prime))


MOST_TESTS = 40
Chance = TypeVar("Chance", float, Fraction)


def at_least(needed: int, tests: int, chance: Fraction) -> Fraction:
    """Return the exact probability that at least `needed` of `tests` independent tests accept."""
    return sum(binomial(tests, chance)[needed:], Fraction(0))


def binomial(count: int, chance: Chance) -> list[Chance]:
    """Return the probability of each number of successes in this many trials."""
    return [math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(count + 1)]


def _repetition(settings: Settings) -> ExperimentResult:
    """Compare accepting if all tests accept with accepting if enough of them do."""
    tests = int(settings["tests"])
    true, false = Fraction(str(settings["complete"])), Fraction(str(settings["sound"]))
    share = Fraction(str(settings["share"]))
    rows = [
        {"tests": k, "statement": name, "accepted": float(at_least(_needed(share, k), k, chance))}
        for name, chance in (("true", true), ("false", false))
        for k in range(1, MOST_TESTS + 1)
    ]
    needed = _needed(share, tests)
    good, bad = (float(at_least(needed, tests, chance)) for chance in (true, false))
    rule = "all" if needed == tests else f"at least {needed}"
    return ExperimentResult(
        f"Accept if {rule} of {tests} fresh {'tests accept' if tests > 1 else 'test accepts'}: "
        f"a true statement is accepted with chance {percent(good, 4)}, a false one with chance "
        f"{percent(bad, 4)}.",
        rows,
        {"complete": good, "sound": bad, "needed": needed},
        x="tests",
        y="accepted",
        by="statement",
    )


def _needed(share: Fraction, tests: int) -> int:
    return max(1, math.ceil(share * tests))


# For each game, the probability that the best liar survives a round.
SURVIVES: Mapping[str, Fraction] = {
    "the same graph twice": Fraction(1, 2),
    "two rooms": APART,
    "one room": Fraction(1),
    "one wrong edge": CHEAT_SURVIVES,
}
ROUNDS = 30


def survives(game: str, random: Random) -> bool:
    """Play a round by the game's own rule against the best liar; return whether it survives."""
    if game == "the same graph twice":
        return coin(random) == 0
    if game == "one wrong edge":
        a, b = random.choice(EDGES)
        colours = CHEATS[random.choice(EDGES)]
        return colours[a] != colours[b]
    question = vertex_question(NODES, random)
    if game == "one room":
        return True
    return passes(question, (PLAN[question[0]], PLAN[question[1]]))


def _survival(settings: Settings) -> ExperimentResult:
    """Return how many of many liars are left after each round, simulated and as expected."""
    game, liars = str(settings["game"]), int(settings["liars"])
    random = Random(int(settings["seed"]))
    left = [liars]
    while len(left) <= ROUNDS:
        left.append(sum(survives(game, random) for _ in range(left[-1])))
    rows = [
        {"rounds": k, "liars": name, "survive": chance}
        for k, drawn in enumerate(left)
        for name, chance in (
            ("exact", float(SURVIVES[game] ** k)),
            (f"{liars} drawn liars", drawn / liars),
        )
    ]
    ten, found = float(SURVIVES[game] ** 10), left[10] / liars
    return ExperimentResult(
        f"After ten rounds {percent(found)} of {liars:,} liars are still there; on average it is "
        f"({SURVIVES[game]})¹⁰, {percent(ten)}.",
        rows,
        {"ten": ten, "found": found},
        x="rounds",
        y="survive",
        by="liars",
    )


SIZES = (5, 10, 20, 50, 100, 150, 200, 300, 400, 500)
SEEN = ("the better one looks better", "the better one looks worse")


def _how_many_episodes(settings: Settings) -> ExperimentResult:
    """Return how likely the better of two protocols also has the better result in a sample."""
    better, worse = sorted((float(settings["one"]), float(settings["other"])), reverse=True)
    episodes = int(settings["episodes"])
    rows = [
        {"episodes of each": n, "what is seen": what, "chance": chance}
        for n in sorted({*SIZES, episodes})
        for what, chance in zip(SEEN, orders(better, worse, n), strict=True)
    ]
    right, wrong = orders(better, worse, episodes)
    seen = (
        f"the better protocol looks better with chance {percent(right)}, and worse with "
        f"chance {percent(wrong)}."
        if better > worse
        else f"neither protocol is better, but one looks so with chance {percent(right + wrong)}."
    )
    return ExperimentResult(
        f"True accuracies of {better:.0%} and {worse:.0%}, {episodes} "
        f"episode{'s' if episodes > 1 else ''} of each: {seen}",
        rows,
        {"right order": right, "wrong order": wrong},
        x="episodes of each",
        y="chance",
        by="what is seen",
    )


def orders(better: float, worse: float, episodes: int) -> tuple[float, float]:
    """Return the probabilities that the first has more, and that it has fewer, right verdicts."""
    first, second = binomial(episodes, better), binomial(episodes, worse)
    below = [0.0, *accumulate(second)]
    more = sum(chance * least for chance, least in zip(first, below, strict=False))
    fewer = sum(chance * (1 - least) for chance, least in zip(first, below[1:], strict=True))
    return min(max(more, 0.0), 1.0), min(max(fewer, 0.0), 1.0)


EXPERIMENTS = {
    "repetition": Experiment(
        "Repeat to be sure",
        (
            Knob("tests", "Tests", 10, low=1, high=MOST_TESTS, step=1),
            Knob("complete", "One test accepts what is true", 1.0, low=0.5, high=1.0, step=0.01),
            Knob("sound", "One test accepts what is false", 0.5, low=0.0, high=0.9, step=0.01),
            Knob(
                "share",
                "Share of tests that must accept",
                1.0,
                0.05,
                1.0,
                0.05,
                help="1: all of them must. Less: a vote with a threshold.",
            ),
        ),
        _repetition,
    ),
    "survival": Experiment(
        "How long do liars last?",
        (
            Knob("game", "Game", "two rooms", choices=tuple(SURVIVES)),
            Knob("liars", "Liars", 1000, low=10, high=5000, step=10),
            Knob("seed", "Seed", 0, low=0, high=99, step=1),
        ),
        _survival,
    ),
    "how_many_episodes": Experiment(
        "How many episodes are enough?",
        (
            Knob("one", "True accuracy of one protocol", 0.84, low=0.5, high=1.0, step=0.01),
            Knob("other", "True accuracy of the other", 0.74, low=0.5, high=1.0, step=0.01),
            Knob("episodes", "Episodes of each", 50, low=1, high=500, step=1),
        ),
        _how_many_episodes,
    ),
    "knowledge_gained": Experiment(
        "What does the verifier learn?",
        (Knob("rounds", "Rounds seen", 1, low=1, high=MOST_SEEN, step=1),),
        _knowledge_gained,
    ),
    "sumcheck": Experiment(
        "A liar in the sum-check protocol",
        (
            Knob(
                "prime",
                "Number of points to choose from",
                "11",
                choices=("5", "11", "101", "1009"),
            ),
            Knob("rounds", "Rounds", 2, low=1, high=MOST_ROUNDS, step=1),
            Knob("degree", "Degree of the curves", 2, low=2, high=4, step=1),
            Knob("known", "The liar knows the points beforehand", False),
            Knob("seed", "Seed of the thousand plays", 1, low=0, high=9999, step=1),
        ),
        _sumcheck,
    ),
}
