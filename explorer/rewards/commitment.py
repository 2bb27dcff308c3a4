"""By commitment: what a judge can guarantee whatever experts do, and safety against usefulness."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from explorer.rewards.seats import main_seat
from nip_core.displays import capitalized, displayed
from nip_core.language import Pay, Specification
from nip_core.values import (
    Abstracted,
    Evidence,
    abstracted,
    audit_frontier,
    best_reply,
    card,
    opposed,
    right,
    with_counters,
)

__all__ = ["Curve", "Guarantees", "guarantees", "is_control"]

# Seconds for a first answer and for all of it, and the most moves of one linear program.
SECONDS, MOST, MOST_STEPS = 40.0, 60_000, 4
COMMITMENT = 10.0  # seconds for the best commitment to the judge's own pay
CLOSE = 1e-7
HARM, USEFUL = "harm_done", "useful_work"


@displayed
@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of the picture: what a plan can reach, from left to right.

    Parameters
    ----------
    name : str
        What distinguishes it: the number of audits, say; empty if there is only one.
    points : tuple of (float, float)
    """

    name: str
    points: tuple[tuple[float, float], ...]


@displayed
@dataclass(frozen=True, slots=True)
class Guarantees:
    """What a side can guarantee.

    Parameters
    ----------
    kind : {"errors", "audits", "none"}
        Completeness by soundness error; harm by usefulness; or neither, for a `reason`.
    curves : tuple of Curve
    best : float, optional
        How often the verdict is right at least, or the least that is useful without any harm.
    is_exact, is_done : bool
    reason : str
    answers : tuple of str
        The first answer and the others, for people.
    now : str
        The name of the curve of the protocol as it is.
    note : str
        How it was made smaller; empty if it was not.
    committed : tuple of str
        What else the card says about safe values and best commitments, as sentences.
    """

    kind: str
    curves: tuple[Curve, ...] = ()
    best: float | None = None
    is_exact: bool = True
    is_done: bool = False
    reason: str = ""
    answers: tuple[str, ...] = ()
    now: str = ""
    note: str = ""
    committed: tuple[str, ...] = ()


def is_control(spec: Specification) -> bool:
    """Return whether a side watches another one, whose act is what is true: a harmful step."""
    return any(_counted(spec))


def guarantees(
    spec: Specification,
    evidence: tuple[tuple[str, Any], ...],
    *,
    cancelled: threading.Event | None = None,
) -> Iterator[Guarantees]:
    """Yield what can be guaranteed, curve by curve, or point by point."""
    last: Guarantees | None = None
    for last in _frontiers(spec, evidence, cancelled):
        yield last if not last.is_done else replace(last, is_done=False)
    if last is not None:
        yield replace(last, committed=_committed(spec, evidence, cancelled))


def _committed(
    spec: Specification, evidence: tuple[tuple[str, Any], ...], cancelled: threading.Event | None
) -> tuple[str, ...]:
    """Return the safe value and the best commitments for the judge's own pay, as sentences."""
    assumed = Evidence(**dict(evidence))
    found = card(spec, assumed, seconds=COMMITMENT, cancelled=cancelled, keys=("guaranteed",))
    told = [r for r in found["guaranteed"].readings if r.how in ("exact", "interval")]
    return tuple(f"{capitalized(reading.what)}: {reading.said}." for reading in told)


def _frontiers(
    spec: Specification,
    evidence: tuple[tuple[str, Any], ...],
    cancelled: threading.Event | None,
) -> Iterator[Guarantees]:
    game = abstracted(spec, Evidence(**dict(evidence)))
    if game.compared and not game.reason and game.kind == "fact" and len(game.answers) == 2:
        yield from _errors(spec, dict(evidence), cancelled)
    elif is_control(spec):
        yield from _audits(spec, game, cancelled)
    else:
        reason = game.reason or "no verdict between two answers that can be right or wrong"
        yield Guarantees("none", is_done=True, reason=reason)


# -- completeness and soundness error -------------------------------------------------------------

Point = tuple[float, float]


def _errors(
    spec: Specification, evidence: dict[str, Any], cancelled: threading.Event | None
) -> Iterator[Guarantees]:
    """Yield the corners of what can be guaranteed of both answers, as they are found.

    A plan guarantees that the verdict is right with chance a if the first answer is true, and with
    chance b if another one is. Two plans are equally good for one prior. If a third plan is better
    there, it is a corner between them; if none is, the frontier between the two is straight.
    """
    game = abstracted(spec, Evidence(**evidence))
    first = game.first_answer
    others = [answer for answer in game.answers if answer != first]
    answers = tuple(map(spec.title_of, (first, *others)))
    search = _Search(spec, evidence, first, others[0], time.monotonic() + SECONDS, cancelled)
    prior = Fraction(str(evidence.get("prior", "1/2")))
    best = search.plan_at(prior)
    if best is None:
        yield Guarantees("none", is_done=True, reason="it has too many moves to be solved in time")
        return
    # Always the same verdict is right whenever that answer is true.
    points: list[Point] = [(0.0, 0.0), (1.0, 1.0)]
    waiting = [(points[0], points[1])]
    if best.point not in points:
        points.append(best.point)
        waiting = [(points[0], best.point), (best.point, points[1])]
    told: dict[str, Any] = {"best": best.value, "answers": answers}
    yield Guarantees("errors", (_curve(points),), is_exact=search.is_exact, **told)
    while waiting:
        low, high = waiting.pop(0)
        rise, run = high[1] - low[1], high[0] - low[0]
        weight = Fraction(run / (rise + run)).limit_denominator(10_000)
        plan = search.plan_at(weight) if 0 < weight < 1 else None
        if plan is None:
            continue
        both = float(weight) * low[1] + float(1 - weight) * (1 - low[0])
        if plan.value > both + CLOSE and plan.point not in points:
            points.append(plan.point)
            waiting += [(low, plan.point), (plan.point, high)]
            yield Guarantees("errors", (_curve(points),), is_exact=search.is_exact, **told)
    shown = (_curve(points),)
    yield Guarantees("errors", shown, is_exact=search.is_exact, is_done=True, **told)


def _curve(points: Iterable[Point]) -> Curve:
    return Curve("", tuple(sorted({(round(x, 6), round(y, 6)) for x, y in points})))


class _Plan(NamedTuple):
    value: float  # how often the verdict is right at least
    point: Point  # how often it is the first answer if that is false, and if it is true


@dataclass
class _Search:
    """Finds plans for judges that guarantee most, for given priors."""

    spec: Specification
    evidence: dict[str, Any]
    first: Any
    other: Any
    until: float
    cancelled: threading.Event | None
    is_exact: bool = True

    def plan_at(self, prior: Fraction) -> _Plan | None:
        """Return the best plan if the first answer is true with this chance; None without time."""
        if time.monotonic() > self.until:
            self.is_exact = False
            return None
        assumed: dict[str, Any] = {**self.evidence, "prior": prior}
        game = abstracted(self.spec, Evidence(**assumed))
        goal = right(game.spec)
        nature = [habit for habit in game.honest() if habit.choice in game.truths]
        limits: dict[str, Any] = {"habits": nature, "cancelled": self.cancelled}
        left = max(0.1, self.until - time.monotonic())
        sides = (game.deciders, game.experts)
        found = opposed(game.spec, *sides, goal=goal, seconds=left, most=MOST, **limits)
        if found.low is None or found.plans is None:
            self.is_exact = False
            return None
        worst = {feature: -weight for feature, weight in goal.items()}
        limits["players"] = found.plans[:1]
        reply = best_reply(game.spec, game.experts, goal=worst, seconds=left, **limits)
        told = reply.by_truth
        if not told:
            self.is_exact = False
            return None
        self.is_exact = self.is_exact and found.exact
        yes = float(told.get(self.first, {}).get(self.first, 0))
        no = float(told.get(self.other, {}).get(self.other, 0))
        return _Plan(float(found.low), (1 - no, yes))


# -- safety and usefulness -----------------------------------------------------------------------


def _counted(spec: Specification) -> tuple[list[Pay], list[Pay]]:
    """Return the rules that pay a watched seat for harm, and those that pay both for honest work.

    A seat is watched if its act is what is true, such as a harmful step.
    """
    watched = {choice.by for choice in spec.choices if choice.truth_of}
    mine = main_seat(spec)
    harm: list[Pay] = []
    useful: list[Pay] = []
    for pay in spec.pay:
        given = dict(pay.to)
        own = given.get(mine)
        theirs = next((given[seat] for seat in watched if seat in given and seat != mine), None)
        if own is None or theirs is None:
            continue
        if own * theirs < 0 < theirs:
            harm.append(pay)
        elif own > 0 and theirs > 0:
            useful.append(pay)
    return (harm, useful) if harm and useful else ([], [])


def _audits(
    spec: Specification, game: Abstracted, cancelled: threading.Event | None
) -> Iterator[Guarantees]:
    """Yield a curve for each budget: how useful honest work is, by the most harm that is done.

    If the protocol has too many steps, the most that can be solved are taken.
    """
    evidence, until = dict(vars(game.evidence)), time.monotonic() + SECONDS
    settings = dict(spec.settings)
    budget = next((name for name in settings if "audit" in name), None)
    now = "" if budget is None else str(settings[budget])
    curves, reason, steps, name = list[Curve](), "", 0, _steps(spec)
    for steps in _fewer(spec, name):
        told = spec if name is None else spec.with_settings(**{name: steps})
        points = _frontier(told, evidence, until, cancelled)
        if not isinstance(points, str):
            curves = [Curve(now, points)]
            break
        reason = points
    if not curves:
        yield Guarantees("none", is_done=True, reason=reason)
        return
    note = f"{steps} of {settings[name]} {name}" if name and steps != settings[name] else ""
    for value in _budgets(spec, budget):
        yield Guarantees("audits", tuple(curves), curves[0].points[0][1], now=now, note=note)
        changed = {str(budget): value, **({name: steps} if name else {})}
        points = _frontier(spec.with_settings(**changed), evidence, until, cancelled)
        if isinstance(points, str):
            break
        curves.append(Curve(str(value), points))
    shown = tuple(curves)
    useful = shown[0].points[0][1]
    yield Guarantees("audits", shown, useful, is_done=True, now=now, note=note)


def _steps(spec: Specification) -> str | None:
    """Return the setting that says how often a stage is repeated, if there is one."""
    names = {name for name, _ in spec.settings}
    return next(
        (s.times for s in spec.stages if isinstance(s.times, str) and s.times in names), None
    )


def _fewer(spec: Specification, name: str | None) -> list[int]:
    if name is None:
        return [0]
    most = int(dict(spec.settings)[name])
    # Of more steps, there are too many moves in any case.
    return [steps for steps in range(MOST_STEPS, 0, -1) if steps <= most]


def _budgets(spec: Specification, budget: str | None) -> list[int]:
    """Return other numbers of audits than the protocol's own."""
    if budget is None:
        return []
    own = int(dict(spec.settings)[budget])
    return [value for value in (0, 1, 2, 3) if value != own]


def _frontier(
    spec: Specification, evidence: dict[str, Any], until: float, cancelled: threading.Event | None
) -> tuple[tuple[float, float], ...] | str:
    """Return the corners of usefulness by harm, or why there are none."""
    harm, useful = _counted(spec)
    game = abstracted(with_counters(spec, {HARM: harm, USEFUL: useful}), Evidence(**evidence))
    if game.reason:
        return game.reason
    watched = {choice.by for choice in spec.choices if choice.truth_of}
    acts = [choice.name for choice in spec.choices if choice.truth_of]
    mine = {main_seat(spec)}
    # All other seats, such as auditors, do their work.
    habits = [h for h in game.honest() if game.spec.choice(h.choice).by not in mine | watched]
    found = audit_frontier(
        game.spec,
        mine,
        watched,
        useful={USEFUL: Fraction(1)},
        harm={HARM: Fraction(1)},
        honest={act: _harmless(spec, act) for act in acts},
        habits=habits,
        seconds=max(0.1, until - time.monotonic()),
        most=MOST,
        cancelled=cancelled,
    )
    if not found.corners:
        return found.reason
    return tuple((float(corner.harm), float(corner.useful)) for corner in found.corners)


def _harmless(spec: Specification, choice: str) -> Any:
    """Return the option of an act that is paid as useful: the first with which no harm is done."""
    options = spec.options[choice]
    harm, _ = _counted(spec)
    bad = {
        option for option in options if any(f"{choice} = {option}" in rule.when for rule in harm)
    }
    return next((option for option in options if option not in bad), options[0])
