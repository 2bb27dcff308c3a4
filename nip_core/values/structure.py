"""The value of each part of a protocol: one more round, a second prover, a wall between provers.

The verifier commits to a strategy and provers reply. Three arrangements are compared: one prover;
two provers that hear each other; two provers with a wall between them. Payoffs, rounds and who
begins are those of the given protocol.

Provers that hear each other are paid for the same verdict, so they act as a team: they agree
beforehand on what each says. With a wall between them, each maximises its own pay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from nip_core.displays import Table, Tabular, brief, line
from nip_core.errors import NipError, UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.parameters import HyperParameters
from nip_core.registry import AnyProtocol, protocol
from nip_core.spec import PAYOFFS, ProtocolSpec
from nip_core.values.checks import (
    a_protocol,
    checked,
    checked_chance,
    checked_switch,
    checked_whole,
    optional,
    refuse,
)
from nip_core.values.judged import judged
from nip_core.values.mechanisms import Mechanism, best_mechanism
from nip_core.values.reports import Opposition

__all__ = ["ARRANGEMENTS", "ValueTable", "value_table"]

# The compared arrangements, by protocol; each differs in one thing from the one before.
ARRANGEMENTS: Mapping[str, str] = {
    "nip": "one prover",
    "mnip_together": "two provers that hear each other",
    "mnip": "two isolated provers",
}
# How provers oppose the verifier, if not by the default of best_mechanism.
OPPOSITIONS: Mapping[str, Opposition] = {"mnip_together": "team"}
MOST_ROUNDS = 50
# The payoffs of decisions, and who begins.
_COMMON = (*PAYOFFS, "shared_reward", "force_guess")


@dataclass(frozen=True, slots=True)
class ValueTable(Tabular):
    """The value of the verifier's best commitment, by arrangement and number of rounds.

    Parameters
    ----------
    spec : ProtocolSpec
        The given protocol.
    pessimistic : bool
        Whether an indifferent prover acts against the verifier.
    rounds : tuple of int
    values : mapping of str to tuple
        By arrangement (:data:`ARRANGEMENTS`): the value with each number of rounds, or None if it
        cannot be computed.
    at_most : mapping of str to tuple
        An upper bound. If it is larger than the value, the value is a lower bound.
    safe : tuple
        By number of rounds: the value that the verifier can guarantee against any provers, the same
        in every arrangement.
    reasons : mapping of str to str
        By arrangement, why a value is missing.
    """

    spec: ProtocolSpec
    pessimistic: bool
    rounds: tuple[int, ...]
    values: Mapping[str, tuple[Fraction | None, ...]]
    at_most: Mapping[str, tuple[Fraction | None, ...]]
    safe: tuple[Fraction | None, ...]
    reasons: Mapping[str, str]

    def __repr__(self) -> str:
        span = f"{self.rounds[0]} to {self.rounds[-1]} rounds"
        return line(self, brief(self.spec.name), span, f"{len(self.values)} arrangements")

    def of_round(self, arrangement: str) -> tuple[Fraction | None, ...]:
        """Return how much each number of rounds adds to the previous one in the table."""
        found = self._exact(arrangement)
        return (None, *map(_difference, found[1:], found[:-1]))

    def of_second_prover(self) -> tuple[Fraction | None, ...]:
        """Return how much a second prover adds that forms a team with the first, by rounds."""
        return tuple(map(_difference, self._exact("mnip_together"), self._exact("nip")))

    def of_wall(self) -> tuple[Fraction | None, ...]:
        """Return how much a wall between two provers adds, by rounds."""
        return tuple(map(_difference, self._exact("mnip"), self._exact("mnip_together")))

    def _exact(self, arrangement: str) -> list[Fraction | None]:
        """Return the exact values, without lower bounds, whose differences mean nothing."""
        both = zip(self.values[arrangement], self.at_most[arrangement], strict=True)
        return [value if value == most else None for value, most in both]

    def table(self) -> Table:
        """Return a row for each number of rounds."""
        columns: dict[str, Iterable[Fraction | None]] = {"safe": self.safe}
        for name, label in ARRANGEMENTS.items():
            if self.at_most[name] == self.values[name]:
                columns[label] = self.values[name]
            else:
                columns[f"{label}, at least"] = self.values[name]
                columns[f"{label}, at most"] = self.at_most[name]
            columns[f"{label}: the round adds"] = self.of_round(name)
        columns["a second prover adds"] = self.of_second_prover()
        columns["a wall adds"] = self.of_wall()
        rows = zip(self.rounds, *([_number(e) for e in c] for c in columns.values()), strict=True)
        return Table(("rounds", *columns), list(rows))


def _difference(more: Fraction | None, less: Fraction | None) -> Fraction | None:
    return None if more is None or less is None else more - less


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _checked_rounds(name: str, value: Any) -> None:
    if not isinstance(value, Collection) or isinstance(value, str | bytes) or not value:
        refuse(name, value, "a list of numbers of rounds, at least one")
    for number in cast("Collection[object]", value):
        checked_whole(f"number of rounds in the {name}", number, 1, MOST_ROUNDS)


@checked(
    handler=a_protocol,
    pessimistic=checked_switch,
    rounds=optional(_checked_rounds),
    prior=checked_chance,
    prover_accuracy=checked_chance,
    verifier_accuracy=checked_chance,
)
def value_table(
    handler: AnyProtocol,
    *,
    pessimistic: bool,
    rounds: Collection[int] | None = None,
    prior: float | Fraction = Fraction(1, 2),
    prover_accuracy: float | Fraction = Fraction(1),
    verifier_accuracy: float | Fraction = Fraction(1, 2),
) -> ValueTable:
    """Return the value of each further round, of a second prover, and of a wall between them.

    Parameters
    ----------
    handler : ProtocolHandler, Specification, or anything else that identifies a protocol
        The source of payoffs and of who begins; its own arrangement has no effect.
    rounds : collection of int, optional
        The numbers of rounds to compare, up to 50 each; by default all up to the protocol's own,
        and no more than 12.
    pessimistic, prior, prover_accuracy, verifier_accuracy
        As in :func:`~nip_core.values.best_mechanism`.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge variant, and for rules that a specification cannot express.
    """
    game = judged(handler)
    given = game.handler
    if given is None:
        raise UnsupportedError(
            f"{game.name!r} is written in stages, so that its payoffs cannot be given to protocols "
            "with other rounds and provers, which are compared here."
        )
    spec = given.spec
    if game.stepped is not None:
        raise UnsupportedError(
            f"{spec.name!r} has rewards that do not follow from its payoffs alone, so that it "
            "cannot be compared with other arrangements; use a protocol without zero knowledge "
            "and without rules of its own."
        )
    default = range(1, min(spec.max_message_rounds, 12) + 1)
    numbers = tuple(sorted({*(default if rounds is None else rounds)}))
    chances = {
        "prior": prior,
        "prover_accuracy": prover_accuracy,
        "verifier_accuracy": verifier_accuracy,
    }
    found = {
        name: [_best(given, name, n, pessimistic, chances) for n in numbers]
        for name in ARRANGEMENTS
    }
    return ValueTable(
        spec,
        pessimistic,
        numbers,
        values={name: tuple(map(_value, each)) for name, each in found.items()},
        at_most={name: tuple(map(_at_most, each)) for name, each in found.items()},
        safe=tuple(map(_safe, found["nip"])),
        reasons={
            name: next(why for why in each if isinstance(why, str))
            for name, each in found.items()
            if any(isinstance(why, str) for why in each)
        },
    )


def _best(
    handler: ProtocolHandler,
    name: str,
    rounds: int,
    pessimistic: bool,
    chances: Mapping[str, Any],
) -> Mechanism | str:
    """Return the best commitment in an arrangement, or the reason why there is none."""
    try:
        return best_mechanism(
            _arranged(handler, name, rounds),
            pessimistic=pessimistic,
            opposition=OPPOSITIONS.get(name),
            **chances,
        )
    except NipError as error:
        return str(error)


def _value(best: Mechanism | str) -> Fraction | None:
    return None if isinstance(best, str) else best.value


def _at_most(best: Mechanism | str) -> Fraction | None:
    return None if isinstance(best, str) else best.at_most


def _safe(best: Mechanism | str) -> Fraction | None:
    return None if isinstance(best, str) else best.safe_value


def _arranged(handler: ProtocolHandler, name: str, rounds: int) -> ProtocolHandler:
    """Return an arrangement with a protocol's payoffs and a number of rounds."""
    spec = handler.spec
    common = {key: getattr(handler.payoff, key) for key in _COMMON}
    begins = handler.hyper_params.protocol_common.verifier_first
    return protocol(
        HyperParameters(interaction_protocol=name),
        rounds=rounds,
        min_message_rounds=min(rounds, spec.min_message_rounds),
        verifier_first=begins,
        **common,
    )
