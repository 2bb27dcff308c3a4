"""Scripted verifiers as five numbers: what they ask, and what they check of what they hear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nip_core.displays import displayed
from nip_core.errors import UnknownNameError

DEFAULT_STRATEGY = "tester"


@displayed
@dataclass(frozen=True, slots=True)
class Strategy:
    """A scripted verifier.

    Parameters
    ----------
    name : str
        Its name in records and addresses.
    title, plays : str
        For people who choose it: its name, and what it does.
    asks : int
        The most questions, if the protocol allows so many.
    runs : int
        How many claims about what a program returns it tests, chosen at random.
    works_out : int
        How many claims about what would be right it works out, chosen at random.
    unusual : float
        The share of its questions about inputs that a quick reader would not try.
    patience : int
        How many questions may be turned aside.
    twice : bool
        Whether it asks a single prover one question twice.
    decides : {"evidence", "first", "chance"}
        By what it finds; for the first side that it hears; at random.
    """

    name: str
    title: str
    plays: str
    asks: int
    runs: int = 0
    works_out: int = 0
    unusual: float = 0.0
    patience: int = 9
    twice: bool = False
    decides: Literal["evidence", "first", "chance"] = "evidence"


# From the weakest to the strongest.
STRATEGIES: dict[str, Strategy] = {
    each.name: each
    for each in (
        Strategy(
            "chance", "Chance", "It asks a question, and then tosses a coin.", 1, decides="chance"
        ),
        Strategy(
            "gullible",
            "Gullible",
            "It asks a question, and believes the first side that it hears.",
            1,
            decides="first",
        ),
        Strategy(
            "comparer",
            "Comparer",
            "It runs nothing. It asks three questions, one of them twice if there is one prover, "
            "and believes what fits together.",
            3,
            unusual=0.9,
            twice=True,
        ),
        Strategy(
            "tester",
            "Tester",
            "It asks four questions, and runs the program on two of the inputs that it was told "
            "about, chosen at random. It does not know what would be right.",
            4,
            runs=2,
            unusual=0.6,
            patience=1,
        ),
        Strategy(
            "careful",
            "Careful",
            "It asks four questions, mostly about unusual inputs. It runs two answers, and for one "
            "it works out what would be right; they are chosen at random.",
            4,
            runs=2,
            works_out=1,
            unusual=0.9,
            patience=1,
        ),
        Strategy(
            "examiner",
            "Examiner",
            "It asks five questions about unusual inputs, one of them twice. It runs three "
            "answers, and works out for three what would be right.",
            5,
            runs=3,
            works_out=3,
            unusual=1.0,
            patience=1,
            twice=True,
        ),
    )
}


def strategy(name: str) -> Strategy:
    """Return the strategy of this name, or raise an UnknownNameError."""
    if name not in STRATEGIES:
        raise UnknownNameError("strategy", name, list(STRATEGIES))
    return STRATEGIES[name]
