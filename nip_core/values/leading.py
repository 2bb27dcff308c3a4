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

from nip_core.errors import StoppedError
from nip_core.values.leader_programs import LeaderProgram, Picked
from nip_core.values.saddle import Saddle
from nip_core.values.sides import Entries, TwoSides

__all__ = ["Led", "led"]


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


def led(game: TwoSides, leads: Entries, follows: Entries, safe: Saddle, *, against: bool) -> Led:
    """Return the best commitment of the first side.

    Parameters
    ----------
    game : TwoSides
    leads, follows : Entries
        What the leader and the follower want.
    safe : Saddle
        The leader's safe value, and its plan.
    against : bool
        Whether the follower picks, among its best replies, the worst one for the leader.
    """
    search = _Search(game, leads, follows, safe, against)
    # What is known when the time is up is still true.
    with suppress(StoppedError):
        search.run()
    return search.best


class _Search:
    """The best commitment so far, and where to look for better ones."""

    def __init__(
        self, game: TwoSides, leads: Entries, follows: Entries, safe: Saddle, against: bool
    ) -> None:
        self._game, self._leads, self._follows, self._against = game, leads, follows, against
        helped = game.worth([each for each in leads if each[2] > 0], 0, [1] * game.sides[1].size)
        self.best = self._valued(safe.one, game.sides[0].best(helped).values[0])

    def run(self) -> None:
        """Look for the best commitment."""
        program = LeaderProgram(self._game, self._leads, self._follows, against=self._against)
        reply, high = program.best_reply(self.best.low)
        plans = None if reply is None else program.plans_for(reply)
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
