"""Ideas that are one for people and several facts of a document: each is one gesture, and one undo.

"Accept, reject or go on" is an option, a silence, a way out, a verdict and payments. What a person
has set already is never changed: what would be added is left out, or said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nip_core.editing.arguments import (
    Count,
    Flag,
    Options,
    SeatName,
    SeatNames,
    StageNumber,
    Target,
    Title,
    TurnNumber,
)
from nip_core.editing.choices import add_choice_of, choose_in, facts, truth_of_task
from nip_core.editing.course import leave_for
from nip_core.editing.edits import Add
from nip_core.editing.forms import is_list, names_of
from nip_core.editing.naming import fresh, has_name, is_family
from nip_core.editing.paying import add_pay, sides, usual
from nip_core.editing.work import RefusedError, Work, gesture
from nip_core.language.data import CHANCE, END, START

__all__ = ["argue_for", "decide_at", "let_answer", "let_estimate", "others_than"]

WAIT, AGREE, DIFFER = "wait", "agree", "differ"


def others_than(work: Work, seat: str) -> list[str]:
    """Return all seats but one, in order."""
    return [name for name in work.seats if name != seat]


def argue_for(work: Work, seats: Sequence[str], answers: Sequence[str]) -> None:
    """Let seats argue for answers, one each, as far as nobody argues for anything yet."""
    if sides(work):
        return
    for seat, side in zip(seats, answers, strict=False):
        work.set(work.place("seat", seat), argues=side)
        work.note(f"{work.said('seat', seat)} now argues for “{side}”.")


def _words_of(work: Work, fact: str) -> list[str]:
    options = work.table("choices")[fact]["options"]
    return [o for o in options if isinstance(o, str)] if is_list(options) else []


def _set_verdict(work: Work, of: str) -> None:
    if work.document.get("verdict", "none") == "none":
        work.set(("protocol",), verdict=of)


def let_answer(work: Work, by: str, stage: int, turn: int, answers: list[Any]) -> str:
    """Let a seat say at the end which answer is right, with a truth and sides if there are none."""
    known = facts(work)
    words = _words_of(work, known[0]) if known else []
    answers = words if len(words) > 1 else answers
    truth = truth_of_task(work, answers)
    answers = _words_of(work, truth) or answers
    name = add_choice_of(work, "verdict", by, answers)
    # The options of the truth mean the same here.
    place = work.place("choice", name)
    work.set(place, options=work.table("choices")[truth]["options"])
    choose_in(work, name, stage, turn)
    others = others_than(work, by)
    if len(others) == 2:
        argue_for(work, others, answers)
    family = is_family(work.document, "seat", by)
    _set_verdict(work, f"majority({name})" if family else name)
    return name


@gesture("let {by} say which answer is right in turn {turn} of {stage}")
def answer(
    work: Work,
    by: SeatName,
    stage: StageNumber,
    turn: TurnNumber,
    options: Options = ("A", "B"),
) -> None:
    """Let a seat say which answer is right. The task says what is; two others argue for a side."""
    let_answer(work, by, stage, turn, [*options])


@gesture("let {by} accept, reject or go on in turn {turn} of {stage}")
def decide(
    work: Work, by: SeatName, stage: StageNumber, turn: TurnNumber, usual_pay: Flag = True
) -> None:
    """Let a seat accept, reject or go on in a turn: once it has decided, play ends.

    It writes nothing when it decides. The others argue for "accept" if nobody argues for anything,
    and the usual payments are added if there are none.
    """
    decide_at(work, by, stage, turn, with_pay=usual_pay)


def decide_at(work: Work, by: str, stage: int, turn: int, *, with_pay: bool = True) -> str:
    """Let a seat accept, reject or go on; return the name of the choice."""
    if is_family(work.document, "seat", by):
        raise RefusedError(f"{work.said('seat', by)} would decide for all; let one seat decide.")
    if any(WAIT in names_of(choice["options"]) for choice in _own(work, by)):
        raise RefusedError(f"{work.said('seat', by)} can decide or go on already.")
    known = facts(work)
    words = _words_of(work, known[0]) if known else []
    answers = words if len(words) == 2 else ["reject", "accept"]
    yes = "accept" if "accept" in answers else answers[0]
    argue_for(work, others_than(work, by), [yes] * len(work.seats))
    truth_of_task(work, answers)
    name = add_choice_of(work, "verdict", by, [])
    wait = WAIT if not _is_taken(work, WAIT) else "go_on"
    work.set(work.place("choice", name), options=[*answers, wait])
    # First the answer that is argued for, as protocols of rounds say it.
    final = " or ".join(f"{name} = {option}" for option in sorted(answers, key=lambda o: o != yes))
    choose_in(work, name, stage, turn)
    acts = [
        act | {"silent": final} if act.get("say") else act for act in work.acts(by, stage, turn)
    ]
    for act in acts:
        if act.get("may_say"):
            # Whether it writes, it decides by itself.
            act.pop("silent", None)
    work.set_acts(by, stage, turn, acts)
    leave_for(work, stage, turn, END, _either(work, stage, turn, END, final))
    _set_verdict(work, f"({name}) if {final} else none")
    if with_pay and not work.document.get("pay"):
        usual(work, "right or wrong")
        if sides(work):
            usual(work, "persuades")
        work.note("the usual payments were added.")
    return name


def _is_taken(work: Work, name: str) -> bool:
    kinds = ("choice", "value", "setting", "label")
    return any(has_name(work.document, kind, name) for kind in kinds)


def _own(work: Work, seat: str) -> list[dict[str, Any]]:
    choices = work.table("choices").values()
    return [c for c in choices if c["by"] == seat and is_list(c["options"])]


def _either(work: Work, stage: int, turn: int, target: str, when: str) -> str:
    """Return a way out that is there already or taken if another condition holds."""
    there = work.turns(stage)[turn].get("then", {}).get(target)
    return when if there is None else f"({there}) or ({when})"


@gesture("let play go to {target} once all agree in turn {turn} of {stage}")
def until_agreed(
    work: Work, stage: StageNumber, turn: TurnNumber, target: Target = END, seats: SeatNames = None
) -> None:
    """Let all who act in a turn say whether they agree; once all do, play goes on elsewhere."""
    actors = [s for s in work.actors(stage, turn) if s != CHANCE and s in (seats or work.seats)]
    if not actors:
        raise RefusedError("Nobody acts in this turn who could agree.")
    votes: list[str] = []
    for seat in actors:
        options = [AGREE, DIFFER]
        own = [
            name
            for name, choice in work.table("choices").items()
            if choice["by"] == seat and choice["options"] == options
        ]
        vote = own[0] if own else add_choice_of(work, "vote", seat, options)
        work.set(work.place("choice", vote), options=options)
        choose_in(work, vote, stage, turn)
        family = is_family(work.document, "seat", seat)
        all_of = f"count({vote}[j] = {AGREE} for j in {seat}) = count(true for j in {seat})"
        votes.append(all_of if family else f"{vote} = {AGREE}")
    leave_for(work, stage, turn, target, _either(work, stage, turn, target, " and ".join(votes)))
    work.note(f"{work.said('seats', actors)} now say whether they agree.")


@gesture("let {by} say a probability in turn {turn} of {stage}")
def probability(
    work: Work, by: SeatName, stage: StageNumber, turn: TurnNumber, step: Count = 10
) -> None:
    """Let a seat say how likely an answer is, paid by a proper score: honesty pays most.

    Who argues for an answer is paid what the estimate says of it.
    """
    let_estimate(work, by, stage, turn, step)


def let_estimate(work: Work, by: str, stage: int, turn: int, step: Any = 10) -> str:
    """Let a seat say a probability; return the name of the choice."""
    name = add_choice_of(work, "estimate", by, {"from": 0, "to": 100, "step": step})
    truth = truth_of_task(work, ["A", "B"])
    answers = work.table("choices")[truth]["options"]
    choose_in(work, name, stage, turn)
    others = others_than(work, by)
    if len(others) == 2 and is_list(answers) and all(isinstance(a, str) for a in answers):
        argue_for(work, others, answers)
    if is_list(answers):
        first = answers[0]
        add_pay(work, {by: 1}, f"quadratic({name}, {truth} = {first})")
        for seat, side in sides(work).items():
            if {side} <= {str(answer) for answer in answers} and len(answers) == 2:
                amount = name if side == str(first) else f"(100 - {name})"
                add_pay(work, {seat: 1}, f"{amount} / 100")
    return name


@gesture("let {by} check {of} at most {budget} times from turn {turn} of {stage} on")
def audits(
    work: Work,
    by: SeatName,
    of: SeatName,
    stage: StageNumber,
    turn: TurnNumber,
    budget: Count = 2,
) -> None:
    """Give a seat a budget of audits: one acts, the other lets it pass or looks, and looks rarely.

    What was done is hidden until it is looked at. Harm that is found ends play; harm that is let
    pass costs the seat that let it pass.
    """
    if by == of:
        raise RefusedError("A seat cannot check itself: name two.")
    deed = add_choice_of(work, "deed", of, ["harmless", "harmful"])
    check = add_choice_of(work, "check", by, ["pass", "audit"])
    harmless, harmful = work.table("choices")[deed]["options"]
    let, audit = work.table("choices")[check]["options"]
    times = dict.fromkeys((of,), START) | dict.fromkeys(others_than(work, of), END)
    work.set_seen("choice", deed, times)
    work.set(work.place("choice", deed), truth_of="whether the deed is harmful")
    choose_in(work, deed, stage, turn)
    work.do(Add(("turn", stage, turn + 1), {}))
    choose_in(work, check, stage, turn + 1)
    caught = f"{check} = {audit} and {deed} = {harmful}"
    leave_for(work, stage, turn + 1, END, caught)
    limits = len(work.document.get("limits", []))
    rule = {"seat": by, "of": check, "option": audit, "most": budget, "per": "game"}
    work.do(Add(("limit", limits), rule))
    add_pay(work, {of: 1, by: -1}, 10, f"{check} = {let} and {deed} = {harmful}", check)
    add_pay(work, {of: 1, by: 1}, 1, f"{check} = {let} and {deed} = {harmless}", check)
    add_pay(work, {of: -1, by: 1}, 3, caught, check)
    work.note(f"a turn was added in which {work.said('seat', by)} lets it pass or looks.")


@gesture("hide {title} from {seat}, and check quotes from it")
def hidden_passage(work: Work, seat: SeatName, title: Title = "passage") -> None:
    """Hide a part of the task from a seat until the end; quotes from it are checked.

    The part is added if there is none of this name.
    """
    slugged = title if has_name(work.document, "part", title) else ""
    if not slugged:
        slugged = fresh(work.document, title)
        work.add("part", slugged, {"seen": "everyone"})
    hide_part(work, slugged, seat)


def hide_part(work: Work, part: str, seat: str) -> None:
    """Hide a part of the task from a seat until the end, and check quotes from it."""
    times = work.seen("part", part)
    times = times or dict.fromkeys(work.seats, START)
    work.set_seen("part", part, times | {seat: END})
    work.set(work.place("part", part), quotable=True)
