r"""Small finite games: a one-prover protocol in which every message is one of a few symbols.

Chance draws the label and, on request, a private signal for each seat; then the rounds follow the
protocol's schedule, with the protocol's rewards. A message on which nobody can act is always the
same symbol. A decision that does not end the episode is left out, since nobody hears it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, cast

from nip_core.displays import Table, Tabular, brief, line
from nip_core.errors import UnsupportedError
from nip_core.language.rounds import UNDECIDED
from nip_core.registry import AnyProtocol
from nip_core.values.checks import (
    a_protocol,
    check,
    checked,
    checked_chance,
    checked_switch,
    instance,
    refuse,
    whole,
)
from nip_core.values.judged import Judged, judged
from nip_core.values.outcomes import outcomes_of
from nip_core.values.rationals import fraction

__all__ = [
    "PLACE",
    "Chance",
    "DecisionPoint",
    "End",
    "FiniteGame",
    "InformationSet",
    "Node",
    "check_one_prover",
    "finite_game",
    "place_of",
    "signals_of",
]

MOST_ENDS = 20_000
VERIFIER, PROVER = 0, 1
SILENT = "anything"

InformationSet = tuple[int, int | None, tuple[tuple[str, ...], ...]]
"""The seat, its signal (None without one), and the messages of each earlier round."""
PLACE = ("signal", "said before")


@dataclass(frozen=True, slots=True)
class End:
    """The end of a play, with the pay of the verifier and the prover."""

    payoffs: tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """A move of a seat; nodes of the same information set look the same to it."""

    where: InformationSet
    children: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Chance:
    """A random draw: names, probabilities, and the following nodes."""

    children: tuple[tuple[str, Fraction, Node], ...]


Node = End | DecisionPoint | Chance


@dataclass(frozen=True, eq=False)
class FiniteGame(Tabular):
    """A finite game between a verifier and at most one prover.

    Parameters
    ----------
    title : str
    players : tuple of str
        The verifier, and the prover (or "nobody").
    root : Node
    knowledge : str
        What each player knows about the label, in words, to be shown with every figure of the game.
    ends : int
        The number of endings.
    renamable : bool
        Whether the prover's actions are interchangeable: swapping them after any history, for all
        of its signals at once, changes nothing.
    """

    title: str
    players: tuple[str, str]
    root: Node
    knowledge: str
    ends: int = 0
    renamable: bool = False

    def __repr__(self) -> str:
        return line(self, brief(self.title), *map(brief, self.players), f"{self.ends:,} ends")

    def table(self) -> Table:
        """Return a table of each decision: what the player knows there, and its actions."""
        rows = [
            (self.players[where[0]], *place_of(where), ", ".join(actions))
            for where, actions in sorted(
                _decisions(self.root).items(), key=lambda each: (each[0][0], len(each[0][2]))
            )
        ]
        return Table(("player", *PLACE, "may"), rows)

    def __post_init__(self) -> None:
        check(vars(self), _FIELDS)


def place_of(where: InformationSet) -> tuple[int | None, str]:
    """Return an information set as two cells of a table."""
    _, signal, rounds = where
    return signal, "; ".join(" + ".join(messages) or "nothing" for messages in rounds)


def _decisions(root: Node) -> dict[InformationSet, tuple[str, ...]]:
    """Return the information sets of a game in the order of play, and the actions in each."""
    found: dict[InformationSet, tuple[str, ...]] = {}
    waiting: list[Node] = [root]
    for node in waiting:
        if isinstance(node, DecisionPoint):
            found[node.where] = tuple(action for action, _ in node.children)
        if not isinstance(node, End):
            waiting += [child for *_, child in node.children]
    return found


GAME = instance(FiniteGame, "a game, as finite_game makes it")


def _checked_players(name: str, value: Any) -> None:
    is_pair = isinstance(value, tuple) and list(map(type, cast("Any", value))) == [str, str]
    if not is_pair:
        refuse(name, value, "a pair of names")


_FIELDS = {
    "title": instance(str, "a text"),
    "players": _checked_players,
    "root": instance((End, DecisionPoint, Chance), "an End, a DecisionPoint or a Chance"),
    "knowledge": instance(str, "a text"),
    "ends": whole(0),
    "renamable": checked_switch,
}


@checked(
    handler=a_protocol,
    symbols=whole(1, MOST_ENDS),
    prior=checked_chance,
    prover_accuracy=checked_chance,
    verifier_accuracy=checked_chance,
)
def finite_game(
    handler: AnyProtocol,
    *,
    symbols: int = 2,
    prior: float | Fraction = Fraction(1, 2),
    prover_accuracy: float | Fraction = Fraction(1),
    verifier_accuracy: float | Fraction = Fraction(1, 2),
) -> FiniteGame:
    """Return the finite abstraction of a protocol with at most one prover.

    Parameters
    ----------
    handler : ProtocolHandler, Specification, or anything else that identifies a protocol
    symbols : int
        The number of different messages.
    prior : float or Fraction
        The probability that the label is 1. A float stands for the simple fraction nearest to it,
        or else for its decimal digits.
    prover_accuracy, verifier_accuracy : float or Fraction
        The probability that a seat's private signal of the label is right: with 1 it knows the
        label, with 1/2 it has no signal.

    Raises
    ------
    UnsupportedError
        For protocols with several provers, variants, private channels or a simulator, and for
        games with more than :data:`MOST_ENDS` ends.
    """
    game = judged(handler)
    check_one_prover(game, "The finite game is made of")
    likely = fraction(prior)
    accuracies = [fraction(prover_accuracy), fraction(verifier_accuracy)]
    grower = _Grower(game, symbols)
    draws: list[tuple[str, Fraction, Node]] = []
    for y, chance in ((0, 1 - likely), (1, likely)):
        for prover, p in signals_of(accuracies[0], y):
            for verifier, q in signals_of(accuracies[1], y):
                if weight := chance * p * q:
                    name = f"y={y}" + _named("prover", prover) + _named("verifier", verifier)
                    node = _grown(grower, _Line(y, (verifier, prover)))
                    draws.append((name, weight, node))
    return FiniteGame(
        title=f"{game.name}, {symbols} symbols",
        players=(game.verifier, game.provers[0] if game.provers else "nobody"),
        root=Chance(tuple(draws)),
        knowledge=_knowledge(game, accuracies),
        ends=grower.ends,
        renamable=True,
    )


def _grown(grower: _Grower, line: _Line) -> Node:
    try:
        return grower.grow(line)
    except RecursionError:
        raise UnsupportedError(
            f"A game of {grower.rounds:,} turns is too long for a tree. Take fewer."
        ) from None


def check_one_prover(game: Judged, what: str) -> None:
    """Refuse a protocol unless its verifier faces one prover who reads everything that it reads."""
    reasons = {
        "two verifiers decide": game.is_zero_knowledge,
        f"there are {len(game.provers)} provers": len(game.provers) > 1,
        "the seed picks the schedule": game.num_variants > 1,
        "not everybody reads every channel": not game.is_public,
        "the side of the prover is drawn": game.draws_side,
    }
    for reason, holds in reasons.items():
        if holds:
            raise UnsupportedError(
                f"{what} protocols with at most one prover who reads all that the verifier reads; "
                f"in {game.name!r} {reason}."
            )


def signals_of(accuracy: Fraction, y: int) -> list[tuple[int | None, Fraction]]:
    """Return a seat's private signals under a label, with their probabilities."""
    if accuracy == Fraction(1, 2):
        return [(None, Fraction(1))]
    return [(y, accuracy), (1 - y, 1 - accuracy)]


def _named(seat: str, signal: int | None) -> str:
    return "" if signal is None else f", {seat} sees {signal}"


def _knowledge(game: Judged, accuracies: list[Fraction]) -> str:
    def says(seat: str, accuracy: Fraction) -> str:
        if accuracy in (0, 1):
            return f"the {seat} knows y"
        if accuracy == Fraction(1, 2):
            return f"the {seat} knows nothing of y"
        return f"the {seat} has a signal of y that is right with chance {float(accuracy):g}"

    seats = [("prover", accuracies[0])] * bool(game.provers) + [("verifier", accuracies[1])]
    said = "; ".join(says(*seat) for seat in seats)
    return said[0].upper() + said[1:] + "."


class _Line(NamedTuple):
    """The history before a round: chance's draws, the messages and the rewards so far."""

    y: int
    signals: tuple[int | None, int | None]
    round: int = 0
    said: tuple[tuple[str, ...], ...] = ()
    paid: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))


class _Grower:
    """Makes the tree below a draw of chance, round by round.

    In each round, the prover's choices are below the verifier's, although both speak at once: the
    prover's information set does not contain the verifier's present action. A single option makes
    no decision point.
    """

    def __init__(self, game: Judged, symbols: int) -> None:
        self._table, self._symbols = outcomes_of(game), symbols
        self.ends = 0
        self.rounds = game.num_rounds
        rounds = range(self.rounds)
        self._verifier = game.turns[0].tolist()
        self._prover = [bool(game.messages(0, r)) for r in rounds]
        self._seats = [game.agent_index(seat) for seat in (game.verifier, *game.provers)]
        # A message matters only while a reader of it still has to act in a way that matters: that
        # is, while the verifier has a later turn.
        last = max((r for r in rounds if self._verifier[r]), default=-1)
        heard = [r for r in rounds if self._prover[r] and r < last]
        self._answers_matter = set(heard)
        self._questions_matter = {
            r for r in rounds if self._verifier[r] and r < max(heard, default=-1)
        }

    def grow(self, line: _Line) -> Node:
        """Return the tree from a round on: the verifier's decision point, then the prover's, ..."""
        round_id = line.round
        if not self._verifier[round_id]:
            return self._answers(line, (), UNDECIDED)
        options = [
            (name, partial(self._answers, line, (), decision))
            for name, decision in self._decisions(round_id)
        ]
        if self._may(round_id, UNDECIDED) and not self._always_stops(round_id, UNDECIDED):
            options += [
                (f"ask {symbol}", partial(self._answers, line, (symbol,), UNDECIDED))
                for symbol in self._words(round_id in self._questions_matter)
            ]
        return self._turn((VERIFIER, line.signals[VERIFIER], line.said), options)

    def _answers(self, line: _Line, asked: tuple[str, ...], decision: int) -> Node:
        """Return the prover's possible answers in a round, given the verifier's action in it."""
        if not self._prover[line.round] or self._stops(line.round, decision, line.y):
            return self._after(line, asked, decision)
        # All speakers of a round speak at once: the prover does not see the present question.
        where = (PROVER, line.signals[PROVER], line.said)
        options = [
            (symbol, partial(self._after, line, (*asked, symbol), decision))
            for symbol in self._words(line.round in self._answers_matter)
        ]
        return self._turn(where, options)

    def _after(self, line: _Line, spoken: tuple[str, ...], decision: int) -> Node:
        """Return the tree after a round."""
        total = self._pay(line.paid, line.round, decision, line.y)
        if self._stops(line.round, decision, line.y):
            self.ends += 1
            if self.ends > MOST_ENDS:
                raise UnsupportedError(
                    f"This game has more than {MOST_ENDS:,} ends. Take fewer rounds or symbols."
                )
            return End(total)
        further = line._replace(round=line.round + 1, said=(*line.said, spoken), paid=total)
        return self.grow(further)

    def _turn(self, where: InformationSet, options: list[tuple[str, Callable[[], Node]]]) -> Node:
        if len(options) == 1:
            return options[0][1]()
        return DecisionPoint(where, tuple((name, make()) for name, make in options))

    def _words(self, matters: bool) -> list[str]:
        return [str(number) for number in range(self._symbols)] if matters else [SILENT]

    def _decisions(self, round_id: int) -> Iterator[tuple[str, int]]:
        """Yield the decisions with which the episode can end in a round."""
        verdicts = self._table.verdicts[self._phase(round_id), :, :, 0]
        if (verdicts != UNDECIDED).any() and (verdicts == verdicts[UNDECIDED]).all():
            yield "the forced verdict", UNDECIDED
            return
        for decision, name in enumerate(("reject", "accept", "no verdict")):
            if self._may(round_id, decision) and self._always_stops(round_id, decision):
                yield name, decision

    def _may(self, round_id: int, decision: int) -> bool:
        return bool(self._table.may[self._phase(round_id), decision])

    def _phase(self, round_id: int) -> int:
        return int(self._table.phases[0, round_id])

    def _stops(self, round_id: int, decision: int, y: int) -> bool:
        return bool(self._table.stops[self._phase(round_id), decision, y, 0])

    def _always_stops(self, round_id: int, decision: int) -> bool:
        return all(self._stops(round_id, decision, y) for y in (0, 1))

    def _pay(
        self, paid: tuple[Fraction, Fraction], round_id: int, decision: int, y: int
    ) -> tuple[Fraction, Fraction]:
        row = self._table.pays[self._phase(round_id), decision, y, 0]
        got = [fraction(float(row[seat])) for seat in self._seats]
        return paid[0] + got[0], paid[1] + (got[1] if len(got) > 1 else 0)
