"""Repeating a test: repeated acceptance, liars over many rounds, and samples of episodes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from random import Random

from explorer.lessons.experiment import Experiment, ExperimentResult, Knob, Settings
from explorer.lessons.game import coin, vertex_question
from explorer.lessons.games.three_colouring import CHEAT_SURVIVES, CHEATS, EDGES
from explorer.lessons.games.two_rooms import APART, NODES, PLAN, passes

__all__ = ["EXPERIMENTS", "SURVIVES", "at_least", "orders", "survives"]

MOST_TESTS = 40


def at_least(needed: int, tests: int, chance: Fraction) -> Fraction:
    """P(at least `needed` of `tests` independent tests accept): a binomial tail, exactly."""
    return sum(
        (
            math.comb(tests, n) * chance**n * (1 - chance) ** (tests - n)
            for n in range(needed, tests + 1)
        ),
        Fraction(0),
    )


def _repetition(settings: Settings) -> ExperimentResult:
    """Accept if all tests accept, or if enough of them do."""
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
        f"Accept if {rule} of {tests} fresh tests accept: a true statement is accepted with chance "
        f"{good:.4%}, a false one with chance {bad:.4%}.",
        rows,
        {"complete": good, "sound": bad, "needed": needed},
        x="tests",
        y="accepted",
        by="statement",
    )


def _needed(share: Fraction, tests: int) -> int:
    return max(1, math.ceil(share * tests))


# The chance that the best liar survives a round of each game.
SURVIVES: Mapping[str, Fraction] = {
    "the same graph twice": Fraction(1, 2),
    "two rooms": APART,
    "one room": Fraction(1),
    "one wrong edge": CHEAT_SURVIVES,
}
ROUNDS = 30


def survives(game: str, random: Random) -> bool:
    """Play a round by the game's own rule, the liar playing its best."""
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
    """How many liars are still there after each round: drawn by chance, beside the exact law."""
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
        f"After ten rounds {found:.1%} of {liars:,} liars are still there; on average it is "
        f"({SURVIVES[game]})^10 = {ten:.1%}.",
        rows,
        {"ten": ten, "found": found},
        x="rounds",
        y="survive",
        by="liars",
    )


SIZES = (5, 10, 20, 50, 100, 150, 200, 300, 400, 500)
SEEN = ("the better one looks better", "the better one looks worse")


def _how_many_episodes(settings: Settings) -> ExperimentResult:
    """Return the chance that the better of two protocols also looks better."""
    better, worse = sorted((float(settings["one"]), float(settings["other"])), reverse=True)
    episodes = int(settings["episodes"])
    rows = [
        {"episodes of each": n, "what is seen": what, "chance": chance}
        for n in sorted({*SIZES, episodes})
        for what, chance in zip(SEEN, orders(better, worse, n), strict=True)
    ]
    right, wrong = orders(better, worse, episodes)
    seen = (
        f"the better protocol looks better with chance {right:.1%}, and worse with chance "
        f"{wrong:.1%}."
        if better > worse
        else f"neither protocol is better, but one looks so with chance {right + wrong:.1%}."
    )
    return ExperimentResult(
        f"True accuracies of {better:.0%} and {worse:.0%}, {episodes} episodes of each: {seen}",
        rows,
        {"right order": right, "wrong order": wrong},
        x="episodes of each",
        y="chance",
        by="what is seen",
    )


def orders(better: float, worse: float, episodes: int) -> tuple[float, float]:
    """Return the chances that the first has more, and fewer, right verdicts than the second."""
    first, second = _binomial(episodes, better), _binomial(episodes, worse)
    below = [0.0, *accumulate(second)]
    more = sum(chance * least for chance, least in zip(first, below, strict=False))
    fewer = sum(chance * (1 - least) for chance, least in zip(first, below[1:], strict=True))
    return min(max(more, 0.0), 1.0), min(max(fewer, 0.0), 1.0)


def _binomial(count: int, chance: float) -> list[float]:
    """The chance of each number of hits in so many tries."""
    return [math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(count + 1)]


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
}
