"""Honest play: experts who show what they have, and judges who have learned what to make of it.

A judge plays its best reply to honest experts. It learns from play with a mistake in a thousand
turns, since otherwise it would know nothing about what honest experts never do; what it is worth is
measured in play without mistakes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from nip_core.budget import Budget
from nip_core.errors import StoppedError, TooLargeError
from nip_core.language import Habit, Specification
from nip_core.language.data import Option
from nip_core.values.evidence import Abstracted
from nip_core.values.features import Feature, Features, Goal, Verdict, amount_of
from nip_core.values.plans import Plan
from nip_core.values.replies import MOST_MOVES, Reply, best_reply, played
from nip_core.values.solving import why
from nip_core.values.turns import Turns

__all__ = ["MISTAKES", "Honesty", "Limits", "NotComputedError"]

MISTAKES = Fraction(1, 1000)
# What a verdict is worth to a judge that takes all answers for equally likely: so little that it
# decides nothing else.
NEARLY_NOTHING = Fraction(1, 10**9)
# Among more answers, the verdict at equal beliefs is the first one.
MOST_ANSWERS = 4
BEST_IS_UNKNOWN = "the best reply is not known exactly"


class NotComputedError(Exception):
    """Raised inside this package where a limit has ended a computation; says which."""


@dataclass(frozen=True)
class Limits:
    """What each computation of a card may take.

    Parameters
    ----------
    seconds : float, optional
        Its time; that of the whole card is limited by a budget around all of them.
    most : int
        Its steps.
    cancelled : threading.Event, optional
    """

    seconds: float | None = None
    most: int = MOST_MOVES
    cancelled: threading.Event | None = None


class Honesty:
    """Honest play of a protocol with evidence.

    Parameters
    ----------
    game : Abstracted
    trusting : bool
        Whether judges also believe what experts claim, and count on it that they take the right
        side; otherwise only what is shown counts.
    limits : Limits, optional
    """

    def __init__(self, game: Abstracted, *, trusting: bool, limits: Limits | None = None) -> None:
        self.game, self.trusting = game, trusting
        self.limits = Limits() if limits is None else limits
        self._habits = game.honest(trusting=trusting)
        self._known: dict[object, Any] = {}

    def reply(self, *seats: str) -> Reply:
        """Return the best reply of seats to honest play of all others, with the worst tie."""
        plans = [plan for plan in self.plans if plan.seats.isdisjoint(seats)]
        wanted = {*seats} if self.game.compared else {*seats, *self.game.judges}
        spec = paying(self.game.spec, wanted)
        return self._once(seats, lambda: self._reply(spec, seats, self._habits, plans, self.bad))

    def _once(self, key: object, work: Callable[[], Any]) -> Any:
        """Do some work once; what has reached a limit is not tried again for another line."""
        if key not in self._known:
            try:
                self._known[key] = work()
            except NotComputedError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, NotComputedError):
            raise found
        return found

    def _reply(
        self,
        spec: Specification,
        seats: Iterable[str],
        habits: Sequence[Habit],
        plans: Sequence[Plan],
        tie: Goal,
    ) -> Reply:
        limits = self.limits
        found = best_reply(
            spec,
            seats,
            habits=habits,
            players=plans,
            worst_tie=tie,
            seconds=limits.seconds,
            most=limits.most,
            cancelled=limits.cancelled,
        )
        if found.low is None:
            raise NotComputedError(found.how.removeprefix("not computed: "))
        return found

    @cached_property
    def bad(self) -> Goal:
        """What ties are resolved against: that the verdict is right, or what judges are paid."""
        game = self.game
        if game.compared:
            return {Verdict(answer, answer): 1 for answer in game.answers}
        return dict.fromkeys(game.judges, 1)

    @property
    def plans(self) -> list[Plan]:
        """What judges have learned, one after the other: first those who decide.

        Later ones reply to them: who asks wants to know what helps whoever decides. Where a judge
        does not care, it wants the verdict to be right.
        """
        return self._leaning(None)

    def _leaning(self, answer: Option | None) -> list[Plan]:
        """Return what judges have learned that give one verdict wherever they do not care."""
        return self._once(("plans", answer), lambda: self._learned(answer))

    def _learned(self, answer: Option | None) -> list[Plan]:
        found: list[Plan] = []
        habits = self.game.honest(mistakes=MISTAKES, trusting=self.trusting)
        tie: dict[Feature, Fraction] = {f: -Fraction(weight) for f, weight in self.bad.items()}
        if answer is not None:
            for truth in self.game.answers:
                verdict = Verdict(verdict=answer, truth=truth)
                tie[verdict] = tie.get(verdict, Fraction(0)) - NEARLY_NOTHING
        for seat in self.game.judges:
            spec = paying(self.game.spec, {seat})
            reply = self._reply(spec, (seat,), habits, found, tie)
            if not reply.exact or reply.plan is None:
                raise NotComputedError(reply.reason)
            found.append(reply.plan)
        return found

    def measured(self, *features: Feature) -> Features:
        """Return what honest play leads to, as far as it is about these features."""
        return self._once(("measured", features), lambda: self._measured(features, self.plans))

    def _measured(self, features: tuple[Feature, ...], plans: list[Plan]) -> Features:
        limits = self.limits
        try:
            with Budget(limits.most, seconds=limits.seconds, cancelled=limits.cancelled):
                return played(Turns(self.game.spec, [], self._habits, plans, features))
        except TooLargeError:
            raise NotComputedError(f"more than {limits.most:,} steps") from None
        except StoppedError as error:
            raise NotComputedError(why(error)) from None

    def mean(self, seat: str) -> Fraction:
        """Return what a seat is paid on average."""
        return amount_of({seat: 1}, self.measured(seat))

    @property
    def verdicts(self) -> Features:
        """The chances of verdicts with each truth.

        Judges that take all answers for equally likely give each verdict equally often, so that no
        truth is favoured. How often they are right is the same with any other rule.
        """
        return self._once("verdicts", self._fair) if self.game.compared else {}

    def _fair(self) -> Features:
        answers = self.game.answers
        if len(answers) > MOST_ANSWERS:
            return self.measured(*self.bad)
        found: dict[Feature, Fraction] = {}
        for answer in answers:
            for feature, chance in self._measured((*self.bad,), self._leaning(answer)).items():
                share = Fraction(chance) / len(answers)
                found[feature] = found.get(feature, Fraction(0)) + share
        return found

    def gain(self, *seats: str) -> Fraction:
        """Return what seats gain together by their best reply, if that is known exactly."""
        low, high = self.gain_between(*seats)
        if low != high:
            raise NotComputedError(BEST_IS_UNKNOWN)
        return low

    def gain_between(self, *seats: str) -> tuple[Fraction, Fraction]:
        """Return what seats gain at least and at most by their best reply."""
        found = self.reply(*seats)
        assert found.low is not None
        assert found.high is not None
        mean = sum(map(self.mean, seats), Fraction(0))
        if found.exact:
            return found.low - mean, found.high - mean
        # Honest play is one of the plans.
        return max(found.low - mean, Fraction(0)), max(found.high - mean, Fraction(0))

    @property
    def gaining(self) -> tuple[str, ...]:
        """The seats that gain something alone; judges more than learning may cost them."""
        least = dict.fromkeys(self.game.knowing, Fraction(0))
        least |= dict.fromkeys(self.game.judges, MISTAKES)
        gains = {seat: self.gain_between(seat) for seat in least}
        found = tuple(seat for seat, (low, _) in gains.items() if low > least[seat])
        open_ = any(high > least[seat] for seat, (_, high) in gains.items())
        if open_ and not found:
            raise NotComputedError(BEST_IS_UNKNOWN)
        return found


def chance_of(
    features: Features, verdict: object, game: Abstracted, *, is_first: bool
) -> Fraction | None:
    """Return the chance of a verdict, given that an answer is true or not."""
    cells = [
        (feature.verdict, chance)
        for feature, chance in features.items()
        if isinstance(feature, Verdict) and (feature.truth == game.first_answer) == is_first
    ]
    whole = sum((chance for _, chance in cells), Fraction(0))
    if not whole:
        return None
    return sum((chance for said, chance in cells if said == verdict), Fraction(0)) / whole


def paying(spec: Specification, seats: Collection[str]) -> Specification:
    """Return a protocol in which only some seats are paid: what others earn takes time, too."""
    rules = [replace(pay, to=tuple((s, f) for s, f in pay.to if s in seats)) for pay in spec.pay]
    return spec.replace(pay=tuple(pay for pay in rules if pay.to))
