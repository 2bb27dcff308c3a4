"""The numbers behind the charts of the Rewards page, from theory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from explorer.pictures import signed, two_decimals
from explorer.rewards.valuation import shortened
from nip_core.displays import capitalized
from nip_core.errors import NipError, UnsupportedError
from nip_core.values import (
    Exploitability,
    Frontier,
    best_mechanism,
    exact_values,
    exploitability,
    frontier,
    judged,
    optimal_stopping,
    paid_by_verdict,
    random_play,
    value_table,
)

if TYPE_CHECKING:
    from nip_core.registry import AnyProtocol
    from nip_core.values import PlayModel, ValueTable
    from nip_core.values.exploitability import Stops

T = TypeVar("T")


CHECK = 0.75
"""The default for how often a verifier's own check, or an answer it hears, is right."""
MOST_ROUNDS = 16  # of the chart of rounds: each number of rounds needs its own linear program
PRIORS = 21


@dataclass(frozen=True, slots=True)
class Opening:
    """What three verifiers earn, for people who have not read the paper."""

    judge: str  # the seat that decides, within a sentence: "the verifier"
    # What a right and a wrong verdict pay to the verifier; None if that depends on more.
    paid: tuple[float, float] | None
    coins: float  # the reward of a verifier that plays at random
    # The reward of a verifier that hears independent answers and stops at the best moment; None if
    # it cannot be computed.
    stops: float | None
    # The least reward of a verifier with its own check, whatever the prover does; None if it cannot
    # be computed.
    guaranteed: float | None


def judge_of(protocol: AnyProtocol) -> str:
    """Return the seat that decides, as it is called within a sentence: ``"the verifier"``."""
    game = judged(protocol)
    return game.spec.seat_phrase(game.verifier)


def opening(protocol: AnyProtocol) -> Opening:
    """Return what three verifiers earn on average, if statements are as often true as false."""
    game = judged(protocol)
    coins = exact_values(protocol, random_play(protocol)).mean(game.verifier)
    try:
        paid = paid_by_verdict(game, game.verifier)[:2]
    except UnsupportedError:
        paid = None
    return Opening(
        judge_of(protocol),
        paid,
        coins,
        _stopping(protocol, 0.5),
        _guaranteed(protocol, 0.5),
    )


def _stopping(protocol: AnyProtocol, prior: float) -> float | None:
    try:
        return optimal_stopping(protocol, accuracy=CHECK, prior=prior).value
    except NipError:
        return None


def _guaranteed(protocol: AnyProtocol, prior: float, check: float = CHECK) -> float | None:
    """Return the reward of a verifier that ignores all messages and relies on its own check."""
    try:
        # Messages of a prover without a signal carry no information, as with the worst prover.
        best = best_mechanism(
            protocol, pessimistic=True, prior=prior, prover_accuracy=0.5, verifier_accuracy=check
        )
    except NipError:
        return None
    return float(best.safe_value)


def opening_sentence(worth: Opening) -> str:
    """Say what three verifiers earn, for people who have not read the paper."""
    percent, some = f"{CHECK:.0%}", _some(worth.judge)
    sentences = [f"{capitalized(some)} who flips coins earns {two_decimals(worth.coins)}."]
    if worth.paid is not None:
        right, wrong = map(signed, worth.paid)
        sentences.insert(0, f"A right verdict pays {right}, a wrong one {wrong}.")
    if worth.stops is not None:
        sentences.append(
            f"One who hears independent answers, each right {percent} of the time, and stops at "
            f"the best moment earns {two_decimals(worth.stops)}."
        )
    if worth.guaranteed is not None:
        sentences.append(
            f"Against the worst possible prover, {some} whose own check is right {percent} of "
            f"the time can guarantee {two_decimals(worth.guaranteed)}."
        )
    return " ".join(sentences)


def _some(judge: str) -> str:
    """Return any seat of a kind: ``"a judge"`` for ``"the judge"``."""
    kind = judge.removeprefix("the ")
    return judge if kind == judge else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


# -- the frontier ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """A frontier, and the chosen point on it."""

    curve: Frontier
    # The chosen point.
    soundness_error: float
    completeness: float
    # The soundness error and the completeness of the commitment that earns most.
    best: tuple[float, float] | None


def frontier_at(
    protocol: AnyProtocol,
    *,
    prior: float,
    check: float,
    knows: float,
    allowed: float,
) -> FrontierPoint:
    """Return the frontier of a verifier that commits to a strategy, and a point on it.

    At a prior of 0 or 1 there is no frontier, and the nearest hundredth is taken. `check` and
    `knows` say how often the verifier's and the prover's own signal is right, and `allowed` is the
    soundness error that the point may have. A NipError says that it cannot be computed.
    """
    game = judged(protocol)
    # A handler is made anew by each run of the page; its specification is equal, and enough unless
    # a class or an experiment adds to it.
    is_data = game.handler is not None and game.stepped is None and not game.draws_side
    rules = game.handler.spec if game.handler is not None and is_data else game.given
    curve, best = _frontier(rules, min(max(prior, 0.01), 0.99), check, knows)
    return point_at(curve, allowed, best)


@lru_cache(maxsize=512)
def _frontier(
    which: AnyProtocol, prior: float, check: float, knows: float
) -> tuple[Frontier, tuple[float, float] | None]:
    """Return a frontier and the commitment that earns most; cached for drags that repeat values."""

    def asked(make: Callable[..., T]) -> T:
        return make(
            which, pessimistic=True, prior=prior, prover_accuracy=knows, verifier_accuracy=check
        )

    best = asked(best_mechanism)
    rates = best.soundness_error, best.completeness
    pair = None if None in rates else (float(rates[0] or 0), float(rates[1] or 0))
    return asked(frontier), pair


def point_at(
    curve: Frontier, allowed: float, best: tuple[float, float] | None = None
) -> FrontierPoint:
    """Return the best point of a frontier whose soundness error is at most `allowed`."""
    (least, _), *_, (most, _) = (*curve.corners, curve.corners[-1])
    error = min(max(allowed, float(least)), float(most))
    complete = curve.completeness(min(max(Fraction(allowed), least), most))
    return FrontierPoint(curve, error, float(complete), best)


# -- curves ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a chart."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class WorthOfRounds:
    """What each number of rounds is worth to the verifier."""

    table: ValueTable
    stopping: tuple[float | None, ...]  # the value of optimal stopping with each number of rounds

    def curves(self) -> list[Curve]:
        """Return a line for each arrangement that could be computed; equal lines are merged."""
        named: dict[tuple[tuple[float, float], ...], list[str]] = {}
        lines: dict[str, Sequence[float | Fraction | None]] = {
            "hears independent answers": self.stopping
        }
        for arrangement, label in ANSWERING.items():
            bound = self.table.values[arrangement] != self.table.at_most[arrangement]
            lines[f"{label}, at least" if bound else label] = self.table.values[arrangement]
        for name, values in lines.items():
            pairs = zip(self.table.rounds, values, strict=True)
            points = tuple((float(n), float(value)) for n, value in pairs if value is not None)
            if points:
                named.setdefault(points, []).append(name)
        return [Curve("; ".join(names), points) for points, names in named.items()]

    def rows(self) -> list[dict[str, str | int]]:
        """Return a row for each number of rounds, with two decimals."""
        columns = {
            "guaranteed": [_span(safe, safe) for safe in self.table.safe],
            "independent answers": [_span(value, value) for value in self.stopping],
            **{
                label: [
                    _span(value, most)
                    for value, most in zip(
                        self.table.values[name], self.table.at_most[name], strict=True
                    )
                ]
                for name, label in ANSWERING.items()
            },
            "a second prover adds": self._added("mnip_together", "nip"),
            "a wall adds": self._added("mnip", "mnip_together"),
        }
        return [
            {"rounds": number, **{name: cells[place] for name, cells in columns.items()}}
            for place, number in enumerate(self.table.rounds)
        ]

    def _added(self, more: str, base: str) -> list[str]:
        """Return how much more one arrangement is worth than another: at least and at most."""
        low, high = self.table.values, self.table.at_most
        least, most = (
            [None if a is None or b is None else a - b for a, b in zip(*pair, strict=True)]
            for pair in ((low[more], high[base]), (high[more], low[base]))
        )
        return [_span(*pair) for pair in zip(least, most, strict=True)]


ANSWERING = {
    "nip": "one prover",
    "mnip_together": "two provers together",
    "mnip": "two provers apart",
}
"""Short names of the arrangements whose provers play best responses."""


def _span(value: float | Fraction | None, most: float | Fraction | None) -> str:
    """Return a value with two decimals, or its lower and upper bound."""
    if value is None or most is None:
        return "not known"
    low, high = two_decimals(float(value)), two_decimals(float(most))
    return low if low == high else f"{low} to {high}"


def over_rounds(protocol: AnyProtocol, *, prior: float, check: float) -> WorthOfRounds:
    """Return the value of each number of rounds, up to the protocol's own and :data:`MOST_ROUNDS`.

    A NipError says that the protocol's arrangements cannot be compared.
    """
    numbers = range(1, min(judged(protocol).num_rounds, MOST_ROUNDS) + 1)
    table = value_table(
        protocol, pessimistic=True, rounds=numbers, prior=prior, verifier_accuracy=check
    )
    stopping = tuple(_with_rounds(protocol, number, prior) for number in numbers)
    return WorthOfRounds(table, stopping)


def _with_rounds(protocol: AnyProtocol, rounds: int, prior: float) -> float | None:
    try:
        return _stopping(shortened(protocol, rounds), prior)
    except NipError:
        return None


def over_prior(protocol: AnyProtocol, model: PlayModel, *, check: float) -> list[Curve]:
    """Return what verifiers earn by how likely statements are true."""
    priors = np.linspace(0.0, 1.0, PRIORS).tolist()
    lines: dict[str, list[float | None]] = {
        "plays as chosen above": list(_as_chosen(protocol, model, priors)),
        "hears independent answers": [_stopping(protocol, prior) for prior in priors],
        "worst possible prover": [_guaranteed(protocol, prior, check) for prior in priors],
    }
    curves: list[Curve] = []
    for name, values in lines.items():
        pairs = zip(priors, values, strict=True)
        points = tuple((prior, value) for prior, value in pairs if value is not None)
        if points:
            curves.append(Curve(name, points))
    return curves


def _as_chosen(protocol: AnyProtocol, model: PlayModel, priors: Sequence[float]) -> Sequence[float]:
    """Return the verifier's means, from two points, since they are linear in the prior."""
    verifier = judged(protocol).verifier
    ends = [exact_values(protocol, replace(model, prior=end)).mean(verifier) for end in (0.0, 1.0)]
    return [(1 - prior) * ends[0] + prior * ends[1] for prior in priors]


# -- exploitability --------------------------------------------------------------------------------


def exploitable(
    protocol: AnyProtocol, *, prior: float, check: float, knows: float = 1.0
) -> dict[str, Exploitability]:
    """Return how much some strategies lose to a prover that knows them, or raise a NipError."""
    game = judged(protocol)
    best = best_mechanism(
        protocol, pessimistic=True, prior=prior, prover_accuracy=knows, verifier_accuracy=check
    )
    own = (None,) if check == 0.5 else (0, 1)
    counts = np.flatnonzero(game.turns[0]).tolist()
    spoken = [r for r in range(game.num_rounds) if game.messages(0, r)]
    heard = [r for r in counts if spoken and r > spoken[0]]
    verdict = {0: (1.0, 0.0), 1: (0.0, 1.0), None: (0.5, 0.5)}
    strategies: dict[str, Stops] = {"Best commitment": cast("Stops", best.stops)}
    if counts:
        strategies["Trusts only its own check"] = {
            (signal, None, counts[-1]): verdict[signal] for signal in own
        }
    if heard:
        strategies["Believes the prover"] = {
            (signal, report, heard[0]): verdict[report] for signal in own for report in (0, 1)
        }
    return {
        name: exploitability(
            protocol, stops, prior=prior, prover_accuracy=knows, verifier_accuracy=check
        )
        for name, stops in strategies.items()
    }
