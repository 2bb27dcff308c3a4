"""The eight lines of a card, each worked out from honest play and from best replies to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

from nip_core.displays import join_names
from nip_core.errors import NipError, StoppedError, TooLargeError
from nip_core.language import Specification
from nip_core.values.commitment import commitments
from nip_core.values.evidence import Abstracted
from nip_core.values.features import Goal, Sided, amount_of, goal_bounds
from nip_core.values.given_play import PlayValues, play_values
from nip_core.values.honesty import Honesty, Limits, NotComputedError, chance_of, paying
from nip_core.values.opposing import opposed
from nip_core.values.plans import Plan
from nip_core.values.readings import CardLine, Reading
from nip_core.values.replies import Reply, best_reply
from nip_core.values.solving import why

__all__ = ["CARD_LINES", "Line", "lines_of"]

SCEPTICAL, TRUSTING, BOTH = "sceptical judge", "trusting judge", "either judge"
LEVEL = 0.95
# The seconds that a commitment may take if nobody says otherwise: its program may take hours.
PATIENCE = 5.0


class Line(NamedTuple):
    """A line of every card: its title, and its model in words."""

    title: str
    sentence: str


CARD_LINES: Mapping[str, Line] = {
    "random": Line(
        "Random play",
        "Everybody picks every option with equal chance, and messages say nothing.",
    ),
    "honest": Line(
        "Judge right if experts are honest",
        "Experts show all evidence that they have. A sceptical judge counts only shown evidence; "
        "a trusting one also believes what experts choose and claim. Judges give their best reply, "
        "learned from play with one mistake in a thousand.",
    ),
    "errors": Line(
        "Errors of the judge",
        "Completeness is how often the judge accepts what is true, the soundness error how often "
        "it accepts what is false, if experts are honest. A judge that takes all answers for "
        "equally likely gives each verdict equally often.",
    ),
    "advantage": Line(
        "Truth's advantage",
        "What a seat is paid on average if what it argues for is true, minus what it is paid if "
        "that is false; all experts are honest.",
    ),
    "one": Line(
        "Most that one expert gains by another plan",
        "One seat that knows what is true gives its best reply to honest play of all others. Where "
        "it does not care, it does what is worst for the judge.",
    ),
    "together": Line(
        "All experts together",
        "All seats that know what is true share what they know and what they are paid, and give "
        "their best reply; where they do not care, they do what is worst for the judge.",
    ),
    "equilibrium": Line(
        "Is honest play an equilibrium",
        "It is if no seat gains anything by another plan of its own. Up to 1/1000 is not counted "
        "for a judge, whose plan was learned from play with mistakes.",
    ),
    "guaranteed": Line(
        "What the judge can guarantee",
        "The safe value is what the judge's best plan earns at least, whatever the experts do. A "
        "commitment is a plan that the judge announces: experts, who share what they know and what "
        "they are paid, give their best reply to it.",
    ),
}
"""The lines of every card, in order, by their keys."""


def lines_of(
    game: Abstracted, limits: Limits, keys: Collection[str] = tuple(CARD_LINES)
) -> Iterator[CardLine]:
    """Yield lines of a card, one after the other."""
    lines = _Lines(game, limits)
    return (lines.line(key) for key in CARD_LINES if key in keys)


class Bounds(NamedTuple):
    """What is known of a number."""

    low: Fraction
    high: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether it is known exactly."""
        return self.low == self.high

    def within(self, low: Fraction | None, high: Fraction | None) -> Bounds:
        """Return the closer ones of these bounds and others; None where there is none."""
        return Bounds(
            self.low if low is None else max(self.low, low),
            self.high if high is None else min(self.high, high),
        )

    def read(self, what: str) -> Reading:
        """Return the number, or the interval."""
        if self.is_exact:
            return Reading(what, value=self.low)
        return Reading(what, low=self.low, high=self.high, how="interval")


class _Lines:
    """Works out the lines of a card, one after the other; each has a method of its name."""

    def __init__(self, game: Abstracted, limits: Limits) -> None:
        self.game, self.limits, self.spec = game, limits, game.spec
        self.plays = {SCEPTICAL: Honesty(game, trusting=False, limits=limits)}
        # Where experts claim nothing but what they show, both judges are the same.
        if game.honest() == game.honest(trusting=True):
            self.plays = {BOTH: self.plays[SCEPTICAL]}
        else:
            self.plays[TRUSTING] = Honesty(game, trusting=True, limits=limits)

    def line(self, key: str) -> CardLine:
        """Return a line; a number that cannot be found says why."""
        title, sentence = CARD_LINES[key]
        readings: Callable[[str], Iterator[Reading]] = getattr(self, key)
        found: list[Reading] = []
        for judge in ("",) if key in ("random", "guaranteed") else tuple(self.plays):
            missing = self.missing(key)
            if missing:
                found = [Reading(title, how="none", reason=missing)]
                break
            try:
                found += readings(judge)
            except (NotComputedError, StoppedError, TooLargeError) as error:
                found.append(Reading(title, judge, how="not computed", reason=why(error)))
        return CardLine(key, title, sentence, tuple(found))

    def missing(self, key: str) -> str:
        """Return what a protocol lacks for a line."""
        game = self.game
        if key == "random":
            return ""
        if game.reason or game.unsaid:
            return game.reason or game.unsaid
        if key in ("honest", "errors"):
            if game.kind == "word":
                return "a judge's word is taken for the truth, so it is always right"
            if not game.compared:
                return "no verdict" if not game.deciders else "no truth to compare the verdict with"
        if key == "advantage" and not self.arguing():
            return "no seat that argues for an answer"
        if key in ("one", "together", "equilibrium", "guaranteed") and not game.knowing:
            return "no seat that knows what is true"
        if key == "together" and len(game.knowing) == 1:
            return "no more than one seat that knows what is true"
        if key == "guaranteed" and not game.judges:
            return "no judge"
        return ""

    # -- single lines ------------------------------------------------------------------------------

    def random(self, judge: str) -> Iterator[Reading]:
        """Yield what random play of the protocol leads to, as it is written."""
        limits = self.limits
        try:
            values = play_values(
                self.game.document, seconds=limits.seconds, cancelled=limits.cancelled
            )
        except NipError as error:
            raise NotComputedError(why(error)) from None
        yield from _random(values, judge)

    def honest(self, judge: str) -> Iterator[Reading]:
        play = self.plays[judge]
        yield Reading("verdict right", judge, amount_of(play.bad, play.verdicts))
        for seat in self.paid:
            yield Reading(f"pay of {self.spec.seat_phrase(seat)}", judge, play.mean(seat))

    def errors(self, judge: str) -> Iterator[Reading]:
        game, verdicts = self.game, self.plays[judge].verdicts
        for what, is_first in (("completeness", True), ("soundness error", False)):
            chance = chance_of(verdicts, game.first_answer, game, is_first=is_first)
            if chance is None:
                yield Reading(what, judge, how="none", reason="no such truth")
            else:
                yield Reading(what, judge, chance)

    def advantage(self, judge: str) -> Iterator[Reading]:
        for seat in self.arguing():
            what = f"advantage of {self.spec.seat_phrase(seat)}"
            wanted = [
                Sided(seat, what, side) for what in ("pay", "chance") for side in (True, False)
            ]
            features = self.plays[judge].measured(*wanted)
            paid, unpaid, true, false = (Fraction(features.get(each, 0)) for each in wanted)
            if true and false:
                yield Reading(what, judge, paid / true - unpaid / false)
            else:
                reason = "what it argues for is always true, or always false"
                yield Reading(what, judge, how="none", reason=reason)

    def one(self, judge: str) -> Iterator[Reading]:
        play = self.plays[judge]
        gains: list[tuple[Fraction, Fraction, str]] = []
        missing: list[Reading] = []
        for seat in self.game.knowing:
            try:
                worst = amount_of(play.bad, play.reply(seat).features)
                gains.append((-play.gain_between(seat)[0], worst, seat))
            except NotComputedError as error:
                what = f"gain of {self.spec.seat_phrase(seat)}"
                missing.append(Reading(what, judge, how="not computed", reason=str(error)))
        for _, _, seat in sorted(gains):
            yield from self.gain(judge, (seat,), self.spec.seat_phrase(seat))
        yield from missing

    def together(self, judge: str) -> Iterator[Reading]:
        yield from self.gain(judge, self.game.knowing, "all", "all together")

    def gain(
        self, judge: str, seats: tuple[str, ...], who: str, title: str = ""
    ) -> Iterator[Reading]:
        """Yield what seats gain, and how often the verdict is right then."""
        play = self.plays[judge]
        low, high = play.gain_between(*seats)
        what = f"gain of {title or who}"
        if play.reply(*seats).exact:
            yield Reading(what, judge, low)
            yield from self.then(judge, play.reply(*seats), f"with another plan of {who}")
        else:
            yield Reading(what, judge, low=low, high=high, how="interval")

    def equilibrium(self, judge: str) -> Iterator[Reading]:
        gaining = self.plays[judge].gaining
        names = join_names(map(self.spec.seat_phrase, gaining)) if gaining else ""
        reason = f"{names} would gain" if gaining else ""
        yield Reading("honest play is an equilibrium", judge, not gaining, reason=reason)

    def guaranteed(self, judge: str) -> Iterator[Reading]:
        """Yield the safe value and the best commitment of the judges, who pool what they know."""
        game, limits = self.game, self.limits
        spec = paying(game.spec, {*game.judges, *game.knowing})
        sides = (game.judges, game.knowing)
        nature = game.nature()
        given: dict[str, Any] = {
            "seconds": PATIENCE if limits.seconds is None else limits.seconds,
            "cancelled": limits.cancelled,
        }
        goal: Goal = dict.fromkeys(game.judges, 1)
        # What the rules can pay at all.
        any_play = Bounds(*goal_bounds(spec, goal))
        found = commitments(spec, *sides, nature, **given)
        safe = any_play.within(found[0].safe, found[0].safe_most)
        if not safe.is_exact:
            program = opposed(spec, *sides, habits=nature, **given)
            safe = safe.within(program.low, program.high)
        best = [any_play.within(each.low, each.high) for each in found]
        if not all(each.is_exact for each in (safe, *best)):
            given["most"] = limits.most
            hostile: Goal = dict.fromkeys(game.judges, -1)
            against: list[Fraction | None] = []
            announced: list[Fraction | None] = []
            for plans in self.learned:
                reply = best_reply(
                    spec, game.knowing, habits=nature, players=plans, goal=hostile, **given
                )
                against.append(None if reply.high is None else -reply.high)
                reply = best_reply(
                    spec, game.knowing, habits=nature, players=plans, worst_tie=goal, **given
                )
                announced.append(amount_of(goal, reply.features) if reply.exact else None)
            # What the judges earn from honest experts, and what all could do for them together.
            honest = best_reply(spec, game.judges, habits=game.honest(), goal=goal, **given)
            helped = best_reply(
                spec, {*game.judges, *game.knowing}, habits=nature, goal=goal, **given
            )
            safe = safe.within(None, honest.high)
            for low in against:
                safe = safe.within(low, None)
            # A plan that is safe can be announced, too.
            for low in (safe.low, *announced):
                best = [each.within(low, helped.high) for each in best]
        yield safe.read("safe value")
        for each, bounds in zip(found, best, strict=True):
            yield bounds.read(f"best commitment, ties {each.ties} the judge")

    @property
    def learned(self) -> Iterator[list[Plan]]:
        """The plans of judges who have learned from honest experts, as far as they are known."""
        for play in self.plays.values():
            with suppress(NotComputedError):
                yield play.plans

    # -- parts of lines ----------------------------------------------------------------------------

    @property
    def paid(self) -> list[str]:
        """The judges that are paid for something."""
        paid = {seat for pay in self.spec.pay for seat, _ in pay.to}
        return [seat for seat in self.game.judges if seat in paid]

    def arguing(self) -> list[str]:
        """Return the seats that know what is true and argue for an answer."""
        roles = self.game.document.roles
        if self.game.kind in ("act", "none"):
            return []
        answers = {*self.game.answers}
        return [
            seat
            for seat in self.game.experts
            if seat in roles.sides
            and not answers.isdisjoint(_may_argue(self.game.document, seat, answers))
        ]

    def then(self, judge: str, reply: Reply, when: str) -> Iterator[Reading]:
        """Yield how often the verdict is right, or what judges are paid, for a reply."""
        features = reply.features or {}
        if self.game.compared:
            goal = next(iter(self.plays.values())).bad
            yield Reading(f"verdict right {when}", judge, amount_of(goal, features))
        else:
            for seat in self.paid:
                what = f"pay of {self.spec.seat_phrase(seat)} {when}"
                yield Reading(what, judge, Fraction(features.get(seat, 0)))


def _may_argue(spec: Specification, seat: str, answers: set[Any]) -> set[Any]:
    expression = spec.expression(spec.seat(seat).argues)
    if not expression.reads:
        return {expression.value({})}
    kind = expression.kind
    return answers if kind.name == "number" else {*kind.options}


def _random(values: PlayValues, judge: str) -> Iterator[Reading]:
    """Yield what random play leads to."""
    if values.right is not None and values.exact:
        yield Reading("verdict right", judge, _fraction(values.right))
    elif (both := values.right_interval(LEVEL)) is not None:
        low, high = both
        yield Reading("verdict right", judge, values.right, low, high, "interval", LEVEL)
    for seat, mean in values.means.items():
        what = f"pay of {values.spec.seat_phrase(seat)}"
        if values.exact:
            yield Reading(what, judge, _fraction(mean))
        else:
            low, high = values.interval(seat, LEVEL)
            level, value = (LEVEL, mean) if values.plays else (None, None)
            yield Reading(what, judge, value, low, high, "interval", level)


def _fraction(value: Any) -> Any:
    return Fraction(value) if isinstance(value, int) else value
