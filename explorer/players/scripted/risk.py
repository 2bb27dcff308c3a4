"""How likely a verifier ends up rejecting, after each possible answer of a prover.

A smoothed table for each named verifier, counted in games in the protocol with one prover, on half
of the bundled tasks. Games on the other half show how well it is calibrated; see
docs/concepts/players.md.
``python -m explorer study players`` counts again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from nip_core.displays import displayed

RISKS_FILE = "risks.json"
# What an answer is: true, the story, a conceded value, an invention, a slip, or turned aside.
Kind = str
# An answer, whether the question is unusual, lies and turned questions so far, and questions left.
Features = tuple[Kind, bool, int, int, int]
MOST = 2
# How many games a coarser table counts as, where a finer one has seen few.
PRIOR = 12
WORDS = ((0.2, "safe"), (0.5, "some risk"), (0.8, "risky"), (1.01, "nearly lost"))


def features(kind: Kind, unusual: bool, lies: int, asides: int, left: int) -> Features:
    """Return what a risk depends on."""
    return kind, unusual, min(lies, MOST), min(asides, MOST), min(max(left, 0), 3)


def _cuts(at: Features) -> Iterable[tuple[object, ...]]:
    """Yield the same from the coarsest to the finest."""
    kind, unusual, lies, asides, left = at
    yield ()
    yield (kind,)
    yield (kind, lies, asides)
    yield (kind, unusual, lies, asides)
    yield (kind, unusual, lies, asides, left)


@displayed
@dataclass(frozen=True, slots=True)
class Risk:
    """The chance of being rejected by one verifier."""

    counts: Mapping[tuple[object, ...], tuple[int, int]]

    @classmethod
    def of(cls, seen: Iterable[tuple[Features, bool]]) -> Risk:
        """Count games: each answer, and whether its game was lost."""
        counts: dict[tuple[object, ...], tuple[int, int]] = {}
        for at, lost in seen:
            for cut in _cuts(at):
                old = counts.get(cut, (0, 0))
                counts[cut] = old[0] + lost, old[1] + 1
        return cls(counts)

    def __call__(self, at: Features) -> float:
        """Return the chance; a coarser count answers where a finer one has seen little."""
        chance = 0.5
        for cut in _cuts(at):
            lost, seen = self.counts.get(cut, (0, 0))
            chance = (lost + PRIOR * chance) / (seen + PRIOR)
        return chance

    @property
    def base(self) -> float:
        """The chance before a prover has said anything."""
        lost, seen = self.counts[()]
        return lost / seen

    def to_rows(self) -> list[list[object]]:
        """Return plain data."""
        return [[*cut, *counts] for cut, counts in sorted(self.counts.items(), key=repr)]


def word(chance: float) -> str:
    """Return a risk in a word."""
    return next(name for most, name in WORDS if chance < most)


@cache
def risks() -> Mapping[str, Risk]:
    """Return the measured risks, by the name of the verifier."""
    text = (files("explorer.players.scripted") / RISKS_FILE).read_text("utf-8")
    return {
        name: Risk({tuple(row[:-2]): (row[-2], row[-1]) for row in rows})
        for name, rows in json.loads(text)["verifiers"].items()
    }


@displayed
@dataclass(frozen=True, slots=True)
class Calibration:
    """How well risks were calibrated on tasks that they were not counted on."""

    answers: int
    base: float
    brier: float
    # The Brier score of always saying the base rate.
    of_base: float
    # The mean distance between what was said and what came true, over tenths of the risk.
    error: float


def calibration(risk: Risk, seen: Iterable[tuple[Features, bool]]) -> Calibration:
    """Return how well a risk predicts the games of some answers."""
    said = [(risk(at), lost) for at, lost in seen]
    number = len(said)
    base = sum(lost for _, lost in said) / number
    tenths: dict[int, list[float]] = {}
    for chance, lost in said:
        tenths.setdefault(min(9, int(chance * 10)), []).append(chance - lost)
    return Calibration(
        number,
        base,
        sum((chance - lost) ** 2 for chance, lost in said) / number,
        base * (1 - base),
        sum(abs(sum(gaps)) for gaps in tenths.values()) / number,
    )
