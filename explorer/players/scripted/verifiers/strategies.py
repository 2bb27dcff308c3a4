"""The strategies and levels of scripted verifiers, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nip_core.displays import displayed
from nip_core.errors import UnknownNameError

USUAL_LEVEL = "medium"
DEFAULT_STRATEGY = "tester"

# The checks of messages.
Check = Literal[
    "substance",  # does a message speak of the task, and answer what was asked?
    "look up",  # is what it says so, as far as the statement itself shows?
    "itself",  # does an expert contradict itself?
    "others",  # do experts contradict each other?
    "work out",  # run the program, or count: the most telling claims of each round
]

# The first questions: the prepared ones in random order; return values for inputs; the example in
# the question and then the most informative ones; questions without prepared answers.
Asks = Literal["prepared", "inputs", "telling", "unprepared"]


@displayed
@dataclass(frozen=True, slots=True)
class Strategy:
    """The strategy of a scripted verifier."""

    # Its name in records and addresses.
    name: str
    # For people who choose it: its name, what it does, and what it can know.
    title: str
    plays: str
    knows: str
    # Its checks of experts' messages.
    checks: frozenset[Check] = frozenset()
    # By its findings; for the first side that it hears; at random.
    decides: Literal["evidence", "first", "chance"] = "evidence"
    # Its first questions.
    asks: Asks = "prepared"
    # Whether it asks a single expert everything twice.
    twice: bool = False

    @property
    def has_levels(self) -> bool:
        """Whether it can be played at several levels."""
        return bool(self.checks)


@dataclass(frozen=True, slots=True)
class Care:
    """The meaning of a level for a verifier."""

    # The most questions, if the protocol allows so many.
    questions: int
    # The probability of noticing a fault; nonsense is always noticed.
    notices: float
    # Whether it asks about unusual inputs, instead of any.
    unusual: bool
    # The most claims that it checks by computation in a round, the most informative first.
    checks: int


# By level; provers have levels of the same names.
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
    """Return the strategy of this name, or raise an UnknownNameError."""
    if name not in STRATEGIES:
        raise UnknownNameError("strategy", name, list(STRATEGIES))
    return STRATEGIES[name]


def care(level: str) -> Care:
    """Return the meaning of a level, or raise an UnknownNameError."""
    if level not in CARE:
        raise UnknownNameError("level", level, list(CARE))
    return CARE[level]
