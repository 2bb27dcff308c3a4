"""The best commitment of one side of a game, to which the other one replies.

The leader commits to a plan, chance included; the follower knows it and picks the plan that is best
for itself. Of several best ones, it picks the one that is best, or worst, for the leader.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from nip_core.budget import Budget, seconds_left
from nip_core.errors import StoppedError
from nip_core.values.leader_programs import TOLERANCE, LeaderProgram, Picked
from nip_core.values.saddle import Saddle
from nip_core.values.sides import Entries, TwoSides

__all__ = ["Led", "led"]

# With more moves and payments, the program with whole numbers finds nothing in minutes.
MOST_WHOLE = 2_000


@dataclass(frozen=True, eq=False, slots=True)
class Led:
    """A commitment, and what is known about the best one.

    Parameters
    ----------
    low : Fraction
        The value of this commitment, or one that is approached near it; exact.
    high : Fraction or float
        No commitment is worth more. Floats are right within
        :data:`~nip_core.values.leader_programs.TOLERANCE`. With ties against the leader, only
        replies count that some commitment makes better than others by
        :data:`~nip_core.values.leader_programs.MARGIN`.
    plan : sequence of Fraction
        The weights of the leader's sequences.
    reply : tuple of int
        The number of the option that the follower picks at each of its decisions.
    follower : Fraction
        What the reply is worth to the follower.
    attained : bool
        Whether this commitment has the value `low` itself.
    """

    low: Fraction
    high: Any
    plan: Sequence[Fraction]
    reply: Picked
    follower: Fraction
    attained: bool = True


def led(
    game: TwoSides, leads: Entries, follows: Entries, safe: Saddle, ties: Sequence[bool]
) -> list[Led]:
    """Return the best commitments of the first side.

    Parameters
    ----------
    game : TwoSides
    leads, follows : Entries
        What the leader and the follower want.
    safe : Saddle
        The leader's safe value, and its plan.
    ties : sequence of bool
        For each commitment, whether the follower picks, among its best replies, the worst one for
        the leader.
    """
    searches = [_Search(game, leads, follows, safe, against) for against in ties]
    missing = [search for search in searches if not search.is_done]
    # What is known when the time is up is still true.
    with suppress(StoppedError):
        near = missing[0].program.relaxed() if missing else (None, None)
        for search in missing:
            search.take(*near)
        for number, search in enumerate(missing):
            left = seconds_left()
            share = None if left is None else left / (len(missing) - number)
            with suppress(StoppedError), Budget(seconds=share):
                search.run()
    return [search.best for search in searches]


class _Search:
    """The best commitment so far, and where to look for better ones."""

    def __init__(
        self, game: TwoSides, leads: Entries, follows: Entries, safe: Saddle, against: bool
    ) -> None:
        self._game, self._leads, self._follows, self._against = game, leads, follows, against
        helped = game.worth([each for each in leads if each[2] > 0], 0, [1] * game.sides[1].size)
        self.best = self._valued(safe.one, game.sides[0].best(helped).values[0])
        self.program = LeaderProgram(game, leads, follows, against=against)
        if against and self.program.is_indifferent:
            # It may do whatever is worst for the leader.
            self.best = replace(self.best, high=safe.high)

    @property
    def is_done(self) -> bool:
        """Whether nothing better can be found."""
        return self.best.high - self.best.low <= TOLERANCE

    def run(self) -> None:
        """Look for the best commitment among all, if it is not known yet."""
        if self._game.moves + len(self._leads) <= MOST_WHOLE and not self.is_done:
            self.take(*self.program.best_reply(self.best.low))

    def take(self, reply: Picked | None, high: float | None) -> None:
        """Find the best commitment to which a reply is best, and keep a bound of all of them."""
        if self.is_done:
            return
        plans = None if reply is None else self.program.plans_for(reply)
        if plans is not None:
            self._offer(self._valued(plans[0]))
            if len(plans) > 1:
                self._offer(self._approached(*plans))
        if high is not None:
            self.best = replace(self.best, high=max(self.best.low, min(high, self.best.high)))

    def _offer(self, found: Led) -> None:
        if found.low > self.best.low:
            self.best = replace(found, high=max(found.low, self.best.high))

    def _valued(self, plan: Sequence[Fraction], high: Any = None) -> Led:
        """Return a commitment with its own value."""
        wants, gains = (self._game.worth(each, 1, plan) for each in (self._follows, self._leads))
        sign = -1 if self._against else 1
        reply = self._game.sides[1].best(wants, [sign * gain for gain in gains])
        return Led(sign * reply.values[1], high, plan, reply.picked, reply.values[0])

    def _approached(self, end: Sequence[Fraction], towards: Sequence[Fraction]) -> Led:
        """Return the value that is approached at a plan, if it is moved towards another one."""
        game = self._game
        wants, then = (game.worth(self._follows, 1, plan) for plan in (end, towards))
        losses = [-gain for gain in game.worth(self._leads, 1, end)]
        reply = game.sides[1].best(wants, then, losses)
        return Led(-reply.values[2], None, end, reply.picked, reply.values[0], attained=False)
