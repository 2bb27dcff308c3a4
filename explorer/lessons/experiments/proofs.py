"""Interactive proofs: what the verifier learns, and a liar in the sum-check protocol."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random

from explorer.lessons.experiment import Experiment, ExperimentResult, Knob, Settings
from explorer.lessons.games.real_or_simulated import advantage
from explorer.lessons.games.sumcheck import difference, evaluate, is_possible, success

__all__ = ["EXPERIMENTS"]

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
    """Compare the two laws, by counting all conversations."""
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
    """Play it a thousand times, and compute what is to be expected."""
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
        f"degree {degree}: the best liar, who {what}, is believed with chance {exact:.2%}; "
        f"in {PLAYS} plays it was believed {believed} times.",
        rows,
        {"exact": exact, "bound": bound, "measured": believed / PLAYS},
        x="rounds",
        y="liar believed",
        by="who",
    )


def _is_believed(prime: int, degree: int, rounds: int, known: bool, random: Random) -> bool:
    """Follow the error of the claim through one play."""
    points = [random.randrange(prime) for _ in range(rounds)]
    error = random.randrange(1, prime)
    for point in points:
        roots = _roots_with(point, prime) if known else [0, *range(2, degree + 1)]
        error = evaluate(difference(error, roots, prime), point, prime)
        if error == 0:
            return True
    return False


def _roots_with(point: int, prime: int) -> list[int]:
    """Return one or two meeting points, among them the one that will be asked about."""
    pairs = ([point], *([point, other] for other in range(prime) if other != point))
    return next(roots for roots in pairs if is_possible(roots, prime))


EXPERIMENTS = {
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
