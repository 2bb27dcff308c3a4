"""How scripted verifiers play, as data: what each does, what it can know, how well it does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nip_core.displays import displayed
from nip_core.errors import UnknownNameError

USUAL_LEVEL = "medium"
DEFAULT_STRATEGY = "tester"

# How a verifier may check what experts say.
Check = Literal[
    "substance",  # does a message speak of the task, and answer what was asked?
    "look up",  # is what it says so, as far as the statement itself shows?
    "itself",  # does an expert contradict itself?
    "others",  # do experts contradict each other?
    "work out",  # run the program, or count: the most telling claims of each round
]

# What it asks first: what was prepared for the task, in any order; what the program returns for
# inputs; the example in the question, and then what is most telling; what nobody has prepared.
Asks = Literal["prepared", "inputs", "telling", "unprepared"]


@displayed
@dataclass(frozen=True, slots=True)
class Strategy:
    """How a scripted verifier plays.

    Parameters
    ----------
    name : str
        What records and addresses call it.
    title, plays, knows : str
        Shown where it is chosen: its name, what it does, and what it can know.
    checks : frozenset of str
        How it checks what experts say.
    decides : {"evidence", "first", "chance"}
        By what it has found; for the first side that it hears; by a coin.
    asks : {"prepared", "inputs", "telling", "unprepared"}
        What first.
    twice : bool
        Does it ask a single expert everything twice?
    """

    name: str
    title: str
    plays: str
    knows: str
    checks: frozenset[Check] = frozenset()
    decides: Literal["evidence", "first", "chance"] = "evidence"
    asks: Asks = "prepared"
    twice: bool = False

    @property
    def has_levels(self) -> bool:
        """Can it be played better or worse?"""
        return bool(self.checks)


@dataclass(frozen=True, slots=True)
class Care:
    """What a level means for a verifier.

    Parameters
    ----------
    questions : int
        How many times it asks, where the protocol lets it.
    notices : float
        The chance that it does not overlook a fault; nonsense nobody overlooks.
    unusual : bool
        Does it ask about inputs that nobody would try first, or about any?
    checks : int
        How many claims it works out in a round, the most telling first.
    """

    questions: int
    notices: float
    unusual: bool
    checks: int


# By level; provers have the same.
CARE: dict[str, Care] = {
    "easy": Care(questions=1, notices=0.5, unusual=False, checks=1),
    "medium": Care(questions=2, notices=0.9, unusual=True, checks=2),
    "hard": Care(questions=9, notices=1.0, unusual=True, checks=4),
}

STRATEGIES: dict[str, Strategy] = {
    each.name: each
    for each in (
        Strategy(
            "gullible",
            "Gullible",
            "It asks politely and believes the first side that it hears.",
            "It knows nothing and checks nothing.",
            decides="first",
        ),
        Strategy(
            "careful",
            "Careful",
            "It asks the most telling question, and does not believe a prover that talks "
            "nonsense, evades, contradicts itself or says something that the statement shows to "
            "be false.",
            "It knows the statement: the names in the program, the example in the question, every "
            "edge of the graphs. It runs nothing, so a fluent lie about a program convinces it, "
            "and an honest answer that says too little does not.",
            frozenset({"substance", "look up", "itself"}),
            asks="telling",
        ),
        Strategy(
            "tester",
            "Tester",
            "It asks what the program returns, and in each round checks the claim that would be "
            "most telling.",
            "It can run the program on a few inputs a round (bundled programs only), or count in "
            "the graphs: one claim a round at level easy, two at medium, four at hard. It does "
            "not know what the right result would be.",
            frozenset({"substance", "work out"}),
            asks="inputs",
        ),
        Strategy(
            "comparer",
            "Comparer",
            "It asks all provers the same question, one that they cannot have prepared, and looks "
            "for a difference. It asks a single prover twice.",
            "It compares answers with one another, not with the program or the graphs.",
            frozenset({"substance", "itself", "others"}),
            asks="unprepared",
            twice=True,
        ),
        Strategy(
            "chance",
            "Chance",
            "It asks like the others, and then tosses a coin.",
            "It does not listen.",
            decides="chance",
        ),
    )
}


def strategy(name: str) -> Strategy:
    """Return the strategy of this name.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    if name not in STRATEGIES:
        raise UnknownNameError("strategy", name, list(STRATEGIES))
    return STRATEGIES[name]


def care(level: str) -> Care:
    """Return what a level means.

    Raises
    ------
    UnknownNameError
        If there is no such level.
    """
    if level not in CARE:
        raise UnknownNameError("level", level, list(CARE))
    return CARE[level]
