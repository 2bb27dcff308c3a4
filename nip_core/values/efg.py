"""A small document as a game for Gambit and OpenSpiel (``.efg``), so that others can check us.

Each side is a player, named after its seats; all other seats play as given and are chance. What is
paid on the way is paid at the end, in expectation over chance moves that nobody can tell apart.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from nip_core.budget import MOVES, Budget, spend
from nip_core.displays import Table, line
from nip_core.errors import StoppedError, TooLargeError
from nip_core.language import Habit, Specification
from nip_core.values.checks import checked
from nip_core.values.features import Goal, amount_of
from nip_core.values.sequences import Known, ways
from nip_core.values.sides import EMPTY, Side
from nip_core.values.solving import SOLVING, Solved, a_side, all_are, not_computed, pay_of, sides_of
from nip_core.values.turns import Own, Player, State, Step, Turns

__all__ = ["ExtensiveGame", "to_efg"]

MOST_NODES = 200_000


@dataclass(frozen=True)
class ExtensiveGame(Solved):
    """A game in Gambit's format.

    Parameters
    ----------
    players : tuple of str
        Their names, in the order of payoffs.
    how : str
        ``"exact"``, or ``"not computed: ..."`` with the reason.
    text : str
        The file; empty if it was not computed.
    ends : int
        The number of its ends.
    """

    players: tuple[str, ...]
    how: str
    text: str = ""
    ends: int = 0

    def __repr__(self) -> str:
        return line(self, *self.players, f"{self.ends:,} ends" if self.text else self.how)

    def table(self) -> Table:
        """Return the players."""
        return Table(("player",), [(player,) for player in self.players])


def _sides(name: str, value: Any) -> None:
    for side in value:
        a_side(name, side)


@checked(sides=_sides, goals=all_are(lambda one: isinstance(one, Mapping), "goals"), **SOLVING)
def to_efg(
    spec: Specification,
    *sides: str | Iterable[str],
    goals: Sequence[Goal] = (),
    habits: Sequence[Habit] = (),
    players: Sequence[Player] = (),
    seconds: float | None = None,
    most: int | None = MOST_NODES,
    cancelled: threading.Event | None = None,
) -> ExtensiveGame:
    """Return a document as a game in extensive form, with exact numbers.

    Parameters
    ----------
    spec : Specification
    *sides : str or iterable of str
        The seats of each player, by default one player for each seat that chooses something. Seats
        of one side pool what they know.
    goals : sequence of Goal, optional
        What each player wants, by default what its seats are paid.
    habits, players
        How all other seats play, as in :func:`~nip_core.values.best_reply`.
    seconds, most, cancelled
        The limits: time, nodes of the tree, and an event that another thread sets.
    """
    choosing = {act.seat for _, _, act in spec.acts() if act.choose}
    own = (seat for seat in spec.seat_names if seat in choosing)
    sided = sides_of(spec, *(sides or own))
    wanted = goals or [*map(pay_of, sided)]
    names = tuple(", ".join(s for s in spec.seat_names if s in side) for side in sided)
    try:
        with Budget(seconds=seconds, cancelled=cancelled):
            turns = Turns(spec, sided, habits, players, {f for goal in wanted for f in goal})
            writer = _Writer(turns, wanted, most)
            if not writer.write():
                raise TooLargeError("The tree is too large.")
    except (StoppedError, TooLargeError) as error:
        return ExtensiveGame(names, not_computed(error, most))
    title = f"EFG 2 R {_quoted(spec.full_name)} {{ {' '.join(map(_quoted, names))} }}"
    return ExtensiveGame(names, "exact", "\n".join([title, "", *writer.lines, ""]), writer.ends)


Paid = tuple[Fraction, ...]


class _Asking(NamedTuple):
    """A state in which the sides from one on still have to choose."""

    state: State
    known: tuple[Known, ...]
    chosen: tuple[Own, ...]
    paid: Paid


class _Drawing(NamedTuple):
    """The draws after all choices of a turn, or before the first one."""

    step: Step
    known: tuple[Known, ...]
    paid: Paid


class _Writer:
    """Writes nodes in the order of the tree, without recursion, as games may be long."""

    def __init__(self, turns: Turns, goals: Sequence[Goal], most: int | None) -> None:
        self.lines: list[str] = []
        self.ends = self._draws = 0
        self._turns, self._goals, self._most = turns, goals, most
        self._sides = [Side() for _ in goals]
        self._left: list[_Asking | _Drawing | Paid] = []

    def write(self) -> bool:
        """Write the tree; return whether it was small enough."""
        nothing = (Known(EMPTY),) * len(self._goals)
        self._left = [_Drawing(self._turns.start, nothing, (Fraction(0),) * len(self._goals))]
        while self._left:
            spend(20, MOVES)
            node = self._left.pop()
            if isinstance(node, _Drawing):
                self._draw(node)
            elif isinstance(node, _Asking):
                self._ask(node)
            else:
                self.ends += 1
                pays = ", ".join(map(str, node))
                self.lines.append(f't "" {self.ends} "" {{ {pays} }}')
            if self._most is not None and len(self.lines) > self._most:
                return False
        return True

    def _ask(self, node: _Asking) -> None:
        place = len(node.chosen)
        if place == len(self._goals):
            step = self._turns.step(node.state, node.chosen)
            self._left.append(_Drawing(step, node.known, node.paid))
            return
        offer = self._turns.offers(node.state)[place]
        side, known = self._sides[place], node.known[place]
        found = ways(side, known, offer)
        if len(found) > 1:
            number = side.owners[found[0][1].sequence] + 1
            actions = " ".join(_quoted(_said(own)) for own, _ in found)
            self.lines.append(f'p "" {place + 1} {number} "" {{ {actions} }} 0')
        for own, after in reversed(found):
            later = (*node.known[:place], after, *node.known[place + 1 :])
            self._left.append(_Asking(node.state, later, (*node.chosen, own), node.paid))

    def _draw(self, node: _Drawing) -> None:
        step = node.step
        paid = tuple(
            before + amount_of(goal, step.features)
            for before, goal in zip(node.paid, self._goals, strict=True)
        )
        over = step.whole - sum(outcome.weight for outcome in step.outcomes)
        children: list[tuple[int, _Asking | Paid]] = [(over, paid)] if over else []
        for weight, seen, state in step.outcomes:
            known = tuple(k.after(s) for k, s in zip(node.known, seen, strict=True))
            children.append((weight, _Asking(state, known, (), paid)))
        if len(children) > 1:
            draws = " ".join(
                f'"{number}" {Fraction(weight, step.whole)}'
                for number, (weight, _) in enumerate(children)
            )
            self._draws += 1
            self.lines.append(f'c "" {self._draws} "" {{ {draws} }} 0')
        self._left += [child for _, child in reversed(children)]


def _said(own: Own) -> str:
    return ", ".join(f"{name} {option}" for name, option in own)


def _quoted(text: str) -> str:
    """Return a label in printable ASCII with single blanks between words, as Gambit requires."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '\\"' else "_" for c in text)
    return f'"{" ".join(plain.split())}"'
