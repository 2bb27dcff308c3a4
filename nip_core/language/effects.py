"""Remarks on what is without an effect or without chance, and remarks of one cause as one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from nip_core.budget import DECLARATIONS, EXPRESSIONS, spend
from nip_core.language.apart import questions_of
from nip_core.language.data import ALWAYS, CHANCE, END, IS, TASK, Choice
from nip_core.language.expressions import REPEAT
from nip_core.language.roles import roles_of
from nip_core.language.structure import Structure
from nip_core.spec import Remark

__all__ = ["joined_remarks", "without_effect"]

# More cases are not tried.
MOST_CASES = 200


def without_effect(spec: Structure) -> Iterator[Remark]:
    """Yield remarks on a constant verdict, choices that change nothing, and needless `apart`."""
    verdict = spec.expression(spec.verdict)
    if spec.verdict != "none" and not verdict.reads:
        yield Remark(
            "verdict-constant",
            "warning",
            f"The verdict is {verdict.value({})} in every play.",
            place="verdict",
            remedy="Name the choice that decides, or leave the verdict out.",
        )
    for choice in spec.choices:
        if _is_worked_out(spec, choice):
            yield Remark(
                "chance-works-out",
                "note",
                "Only one weight is ever not 0, so chance only works out what other choices say.",
                choice=choice.name,
                place=f"choice {choice.name!r}, weights",
                remedy="Write an entry in `values` instead; then no turn is needed for it.",
            )
    yield from _kept_values(spec)
    effective, truth = _effective(spec), roles_of(spec).truth
    for choice in spec.choices:
        if not (choice.name in effective or choice.truth_of or choice.name == truth):
            source = {TASK: "the task", CHANCE: "chance"}.get(choice.by, choice.by)
            yield Remark(
                "choice-without-effect",
                "note",
                f"What {source} says here changes neither pay, nor the course of play, nor the "
                "verdict, and nobody else is told before the end.",
                agents=(choice.by,) if choice.by in spec.seat_names else (),
                choice=choice.name,
                place=f"choice {choice.name!r}",
                remedy="Name it in an expression, let somebody see it, or leave it out.",
            )
    for stage, number, act in spec.acts():
        if act.apart and len(questions_of(act, spec.families)) == 1:
            yield Remark(
                "apart-alone",
                "note",
                f"`apart` changes nothing: {act.seat} is asked for one thing only.",
                agents=(act.seat,),
                place=f"stage {spec.stages[stage].name!r}, turn {number + 1}",
                remedy="Leave `apart` out, or give what is asked for a `count`.",
            )


def _kept_values(spec: Structure) -> Iterator[Remark]:
    """Yield remarks on choices that keep an old value where their act does not happen."""
    turns: dict[str, list[tuple[int, str]]] = {}
    for stage, _, act in spec.acts():
        for name, _ in act.choose:
            turns.setdefault(name, []).append((stage, act.when))
    read_by = [spec.expression(text).reads for text in _read_later(spec)]
    for name, made in turns.items():
        again = len(made) > 1 or any(spec.times(stage) > 1 for stage, _ in made)
        whens = {text for _, text in made if text != ALWAYS}
        spend(2 + len(read_by), DECLARATIONS, "choice {!r}", name)
        if not again or not whens or spec.choice(name).by not in spec.seat_names:
            continue
        depends = frozenset[str]().union(*(spec.expression(text).reads for text in whens))
        # Whoever looks at what the act depends on, too, knows whether the value is old.
        if any(name in reads and not depends <= reads | {name, REPEAT} for reads in read_by):
            who = spec.choice(name).by
            yield Remark(
                "choice-may-be-old",
                "note",
                f"Where {who} is not asked again, its earlier option stays, and still counts.",
                agents=(who,),
                choice=name,
                place=f"choice {name!r}",
                remedy="If it should not count, name the condition where the choice is read: "
                f"`{name} if ... else none`.",
            )


def _read_later(spec: Structure) -> set[str]:
    """Return the expressions that may read a choice in a turn in which it is not made."""
    texts = {spec.verdict}
    texts |= {text for pay in spec.pay if pay.at == END for text in (pay.amount, pay.when)}
    for _, _, turn in spec.places():
        texts |= {condition for _, condition in turn.then}
    return texts | {value.expression for value in spec.values if value.way == IS}


def _is_worked_out(spec: Structure, choice: Choice) -> bool:
    """Return whether the weights of a choice always leave one option; false if it takes long."""
    weights = [spec.expression(weight) for weight in choice.weights]
    reads = sorted(set[str]().union(*(weight.reads for weight in weights)))
    if not reads or not all(name in spec.options for name in reads):
        return False
    cases = math.prod(len(spec.options[name]) for name in reads)
    if cases > MOST_CASES:
        return False
    spend(cases * (2 + sum(weight.cost for weight in weights)), EXPRESSIONS)
    for options in itertools.product(*(spec.options[name] for name in reads)):
        registers = dict(zip(reads, options, strict=True))
        if sum(bool(weight.value(registers)) for weight in weights) != 1:
            return False
    return True


def _effective(spec: Structure) -> set[str]:
    """Return the choices that are told to others, or on which pay, play or the verdict depends."""
    texts = {spec.verdict, *(seat.argues for seat in spec.seats)}
    texts |= {text for pay in spec.pay for text in (pay.amount, pay.when)}
    for _, _, turn in spec.places():
        texts |= {condition for _, condition in turn.then}
        texts |= {text for act in turn.acts for text in (act.when, act.silent)}
    expressions = [spec.expression(text) for text in texts]
    expressions += [spec.expression(value.expression) for value in spec.values]
    copied = {text for _, _, turn in spec.places() for _, text in turn.copies}
    expressions += [spec.channel_expression(text) for text in copied]
    found = {
        choice.name
        for choice in spec.choices
        if any(since != END and seat != choice.by for seat, since in choice.seen)
    }
    found |= {pay.at for pay in spec.pay} | {name for value in spec.values for name in value.at}
    for expression in expressions:
        spend(2 + len(expression.reads), EXPRESSIONS)
        found |= {*spec.names.decided_by(expression.reads)}
    # What chance draws matters if the choices matter whose weights depend on it.
    waiting = [choice for choice in spec.choices if choice.name in found]
    while waiting:
        for text in waiting.pop().weights:
            reads = spec.names.decided_by(spec.expression(text).reads)
            spend(2 + len(reads), DECLARATIONS)
            waiting += [spec.choice(name) for name in {*reads} - found if name in spec.options]
            found |= {*reads}
    return found


def joined_remarks(remarks: Iterable[Remark]) -> list[Remark]:
    """Return remarks of which those that say the same about several turns are one.

    Members of a family are not named, so that a remark about each of them is one, too.
    """
    places: dict[Remark, list[str]] = {}
    agents: dict[Remark, dict[str, None]] = {}
    for remark in remarks:
        # Others would not say any more what they are about.
        same = replace(remark, place="") if remark.place.startswith("stage ") else remark
        same = replace(same, agents=())
        places.setdefault(same, []).append(remark.place)
        agents.setdefault(same, {}).update(dict.fromkeys(remark.agents))
    return [
        replace(remark, place=_together([*dict.fromkeys(found)]), agents=tuple(agents[remark]))
        for remark, found in places.items()
    ]


def _together(places: list[str]) -> str:
    more = f" and {len(places) - 2} more places" if len(places) > 3 else ""
    return "; ".join(places[: 2 if more else 3]) + more
