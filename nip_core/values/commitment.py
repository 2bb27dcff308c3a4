"""The best commitment of a side of a document: what it gains by a plan that others know.

The leader says how it will play, chance included, and the followers reply with what is best for
themselves. Followers of several seats pool what they know and want the sum of their pay, or what
their goal says.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from nip_core.budget import Budget
from nip_core.displays import Table, line
from nip_core.errors import StoppedError, TooLargeError
from nip_core.language import Habit, Specification
from nip_core.values.checks import checked, refuse
from nip_core.values.features import Goal
from nip_core.values.leader_programs import TOLERANCE
from nip_core.values.leading import Led, led
from nip_core.values.saddle import Saddle, saddle
from nip_core.values.sequences import MOST_MOVES, mixed_plans, sequences
from nip_core.values.sides import TwoSides
from nip_core.values.solving import GOAL, SOLVING, Solved, a_side, not_computed, pay_of, sides_of
from nip_core.values.turns import Player, Turns

__all__ = ["Committed", "Ties", "commitments", "committed"]

Ties = Literal["for", "against"]


@dataclass(frozen=True, eq=False)
class Committed(Solved):
    """A side's best commitment.

    Parameters
    ----------
    leader, followers : frozenset of str
    ties : {"for", "against"}
        Whether followers pick, among their best replies, the best or the worst one for the leader.
    how : str
        ``"exact"``, up to a millionth; ``"interval"``; or ``"not computed: ..."``.
    low : Fraction, optional
        What the plan is worth to the leader, exactly; see `attained`.
    high : Fraction, optional
        No commitment is worth more. With ties against the leader, only replies count that some
        commitment makes better by a thousandth of what is at stake than all that do not always pay
        the followers the same.
    safe : Fraction, optional
        What the leader can guarantee whatever the followers want.
    safe_most : Fraction, optional
        It can guarantee no more; the same as `safe` if that is exact.
    follower : Fraction, optional
        What the followers get.
    plan : Player, optional
        What the leader commits to.
    reply : Player, optional
        What the followers do.
    attained : bool
        Whether the plan itself is worth `low`. Otherwise plans near it are worth nearly as much,
        but under it the followers are indifferent.
    """

    leader: frozenset[str]
    followers: frozenset[str]
    ties: Ties
    how: str
    low: Fraction | None = None
    high: Fraction | None = None
    safe: Fraction | None = None
    safe_most: Fraction | None = None
    follower: Fraction | None = None
    plan: Player | None = None
    reply: Player | None = None
    attained: bool = True

    def __repr__(self) -> str:
        if self.low is None or self.high is None:
            return line(self, *sorted(self.leader), self.how)
        value = f"{float(self.low):.4g}"
        if not self.exact:
            value = f"at least {value}, at most {float(self.high):.4g}"
        return line(
            self,
            f"{', '.join(sorted(self.leader))} {value}",
            f"ties {self.ties}",
            "attained" if self.attained else "only approached",
        )

    def table(self) -> Table:
        """Return the values."""
        values = (self.low, self.high, self.safe, self.follower)
        row = [None if value is None else float(value) for value in values]
        head = ("at least", "at most", "safe value", "followers", "ties", "how")
        return Table(head, [(*row, self.ties, self.how)])


def _ties(name: str, value: object) -> None:
    if value not in ("for", "against"):
        refuse(name, value, "'for' or 'against'")


@checked(leader=a_side, followers=a_side, ties=_ties, goal=GOAL, follower_goal=GOAL, **SOLVING)
def committed(
    spec: Specification,
    leader: str | Iterable[str],
    followers: str | Iterable[str],
    *,
    ties: Ties = "against",
    goal: Goal | None = None,
    follower_goal: Goal | None = None,
    habits: Sequence[Habit] = (),
    players: Sequence[Player] = (),
    seconds: float | None = None,
    most: int | None = MOST_MOVES,
    cancelled: threading.Event | None = None,
) -> Committed:
    """Return the best commitment of a side, to which others reply.

    Parameters
    ----------
    spec : Specification
    leader, followers : str or iterable of str
        The seats of both sides. Seats of one side pool what they know.
    ties : {"for", "against"}
        How followers choose between replies that are equally good for them.
    goal, follower_goal : Goal, optional
        What each side wants, by default its own pay.
    habits, players
        How all others play, as in :func:`~nip_core.values.best_reply`.
    seconds, most, cancelled
        The limits: time, moves, and an event that another thread sets.

    Notes
    -----
    For one prover, :func:`~nip_core.values.best_mechanism` does the same for 1,000 rounds.
    """
    one, other = sides_of(spec, leader, followers)
    goal = pay_of(one) if goal is None else goal
    follower_goal = pay_of(other) if follower_goal is None else follower_goal
    game = _Game(spec, one, other, goal, follower_goal, tuple(habits), tuple(players))
    return game.commitments((ties,), seconds, most, cancelled)[0]


def commitments(
    spec: Specification,
    leader: Iterable[str],
    followers: Iterable[str],
    habits: Iterable[Habit],
    *,
    seconds: float | None = None,
    most: int | None = MOST_MOVES,
    cancelled: threading.Event | None = None,
) -> tuple[Committed, Committed]:
    """Return the best commitments for own pay, with ties against the leader and for it.

    This takes little more time than one of them.
    """
    one, other = sides_of(spec, leader, followers)
    game = _Game(spec, one, other, pay_of(one), pay_of(other), tuple(habits), ())
    against, helping = game.commitments(("against", "for"), seconds, most, cancelled)
    return against, helping


@dataclass(frozen=True, eq=False)
class _Game:
    spec: Specification
    leader: frozenset[str]
    followers: frozenset[str]
    goal: Goal
    follower_goal: Goal
    habits: tuple[Habit, ...]
    players: tuple[Player, ...]

    def commitments(
        self,
        ties: Sequence[Ties],
        seconds: float | None,
        most: int | None,
        cancelled: threading.Event | None,
    ) -> list[Committed]:
        """Return the best commitment with each kind of ties."""
        measured = {*self.goal, *self.follower_goal}
        try:
            with Budget(seconds=seconds, cancelled=cancelled):
                sides = [self.leader, self.followers]
                turns = Turns(self.spec, sides, self.habits, self.players, measured)
                game = sequences(turns, most=most)
                leads, follows = game.entries(self.goal), game.entries(self.follower_goal)
                safe = saddle(game, leads)
                if safe is None:
                    raise StoppedError("The linear program took too much time.")
                found = led(game, leads, follows, safe, [each == "against" for each in ties])
        except (StoppedError, TooLargeError) as error:
            how = not_computed(error, most)
            return [Committed(self.leader, self.followers, each, how) for each in ties]
        return [
            self._told(each, one, safe, turns, game) for each, one in zip(ties, found, strict=True)
        ]

    def _told(
        self, ties: Ties, found: Led, safe: Saddle, turns: Turns, game: TwoSides
    ) -> Committed:
        low, high = found.low, Fraction(found.high)
        plan, reply = mixed_plans(turns, game, found.plan, game.sides[1].pure(found.reply))
        is_closed = high - low <= TOLERANCE
        return Committed(
            self.leader,
            self.followers,
            ties,
            "exact" if is_closed else "interval",
            low=low,
            high=low if is_closed else high,
            safe=safe.low,
            safe_most=safe.high,
            follower=found.follower,
            plan=plan,
            reply=reply,
            attained=found.attained,
        )
