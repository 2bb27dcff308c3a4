"""Gestures about what seats are paid, and what they may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nip_core.editing.arguments import (
    Amounts,
    Condition,
    Count,
    Plain,
    SeatNames,
)
from nip_core.editing.choices import facts
from nip_core.editing.edits import Add, Remove
from nip_core.editing.forms import full, is_list, is_table, names_of
from nip_core.editing.meaning import names_in
from nip_core.editing.work import RefusedError, Repair, Work, gesture
from nip_core.errors import EditError, show
from nip_core.language.data import ALWAYS, END, TEXT_LIMITS

__all__ = ["USUAL", "add_pay", "sides", "usual", "verdict_of"]


def add_pay(work: Work, to: Mapping[str, Any], amount: Any, when: str = "", at: str = END) -> None:
    """Add a payment after the others."""
    rule: dict[str, Any] = {"to": dict(to), "amount": amount}
    rule |= {"when": when} if when not in ("", ALWAYS) else {}
    rule |= {"at": at} if at != END else {}
    work.do(Add(("pay", len(work.document.get("pay", []))), rule))


@gesture("pay {amount}")
def pay(work: Work, to: Amounts, amount: Condition, when: Condition = "", at: Plain = END) -> None:
    """Pay seats an amount, each with a factor: at the end, or whenever something happens."""
    _named_time(work, at)
    add_pay(work, to, amount, when, at)
    who = work.said("seats", [*to])
    work.words = f"pay {who} {work.said('expression', amount)}{_when(when)}"


def _when(condition: str) -> str:
    return f" if {condition}" if condition not in ("", ALWAYS) else ""


def _named_time(work: Work, at: Any) -> None:
    known = [END, *work.seats, *work.table("choices")]
    if not isinstance(at, str) or at not in known:
        raise EditError(f"{show(at)} is no time of payment: write end, a seat or a choice.")


@gesture("change payment {number}")
def change_pay(
    work: Work,
    number: Plain,
    to: Amounts = {},  # noqa: B006
    amount: Condition = "",
    when: Condition = "same",
    at: Plain = "",
) -> None:
    """Change who is paid, how much, when, or at which time; what is left out stays."""
    rules = work.document.get("pay", [])
    if type(number) is not int or not 0 <= number < len(rules):
        raise EditError(f"There is no payment {show(number)}; there are {len(rules)}.")
    place = ("pay", number)
    if to:
        work.set(place, to=to)
    if amount:
        work.set(place, amount=amount)
    if when != "same":
        work.set(place, when=None if when in ("", ALWAYS) else when)
    if at:
        _named_time(work, at)
        work.set(place, at=None if at == END else at)
    work.words = f"change payment {number + 1}"


@gesture("limit {of}")
def limit(
    work: Work,
    seats: SeatNames,
    of: Plain,
    most: Count,
    per: Plain = "",
    option: Plain = None,
) -> None:
    """Limit what seats may write, or how often an option may be taken in a game."""
    names = seats or work.seats
    if not isinstance(of, str) or (of not in TEXT_LIMITS and of not in work.table("choices")):
        known = ", ".join(TEXT_LIMITS)
        raise EditError(f"{show(of)} cannot be limited: write {known}, or a choice.")
    what = {"of": of, "most": most} | ({"per": per} if per else {})
    what |= {} if option is None else {"option": option}
    who = work.said("seats", names)
    work.words = f"let {who} use at most {most} {of if option is None else f'times “{option}”'}"
    for number, rule in enumerate(work.document.get("limits", [])):
        same = rule["of"] == of and rule.get("option") == option
        if same and {*names_of(rule["seat"])} == {*names}:
            work.set(("limit", number), most=most)
            if per:
                work.set(("limit", number), per=per)
            return
    place = ("limit", len(work.document.get("limits", [])))
    work.do(Add(place, {"seat": names if len(names) > 1 else names[0], **what}))


# -- usual payments --------------------------------------------------------------------------------

USUAL = {
    "right": "a seat that decides is paid if it is right",
    "right or wrong": "paid if it is right, and loses as much if it is wrong or never decides",
    "persuades": "whoever argues for a side is paid if that is the verdict",
    "adversarial": "two sides: what one wins, the other loses",
    "together": "everyone is paid if the verdict is right",
    "score": "an estimate is paid by a proper score, and who argues by what it says",
    "cost": "each act costs a little",
}


def verdict_of(work: Work) -> str:
    """Return the choice that is the verdict; refuse if there is none yet."""
    named = names_in(work.document.get("verdict", ""))
    choices = work.table("choices")
    found = [name for name in choices if name in named and choices[name]["by"] in work.seats]
    if not found:
        actors = [
            (s, t) for s in range(len(work.document["stages"])) for t in range(len(work.turns(s)))
        ]
        stage, turn = actors[-1]
        at = {"by": work.seats[-1], "stage": stage, "turn": turn}
        who = work.said("seat", work.seats[-1])
        decide = Repair(f"Let {who} decide at the end", "answer", at)
        raise RefusedError("There is no verdict yet: let a seat decide first.", decide)
    return found[0]


def given(work: Work, choice: str) -> str:
    """Return the condition that a verdict has been given, if it may wait; empty if it may not."""
    options = work.table("choices")[choice]["options"]
    ways = {
        text
        for stage in work.document["stages"]
        for turn in stage["turns"]
        for text in turn.get("then", {}).values()
        if choice in names_in(text)
    }
    if not ways or not is_list(options):
        return ""
    named = {name for text in ways for name in names_in(text)}
    final = [option for option in options if option in named]
    either = " or ".join(f"{choice} = {option}" for option in final)
    return f"({either})" if 0 < len(final) < len(options) else ""


def sides(work: Work) -> dict[str, str]:
    """Return what seats argue for, of those that argue for something."""
    seats = {name: full("seats", seat) for name, seat in work.table("seats").items()}
    return {name: seat["argues"] for name, seat in seats.items() if "argues" in seat}


def truth_for(work: Work, choice: str) -> str:
    """Return what the task says is true; refuse if it says nothing."""
    known = facts(work)
    options = work.table("choices")[choice]["options"]
    fits = [f for f in known if is_list(options) and _share(work, f, options)]
    if not known:
        answers = [o for o in options if isinstance(o, str)] if is_list(options) else []
        arguments = {"title": "truth", "by": "task", "options": answers[:2] or ["A", "B"]}
        add = Repair("Let the task say which answer is true", "add_choice", arguments)
        raise RefusedError("The task does not say what is true.", add)
    return (fits or known)[0]


def _share(work: Work, fact: str, options: list[Any]) -> bool:
    own = work.table("choices")[fact]["options"]
    return is_list(own) and not {*own}.isdisjoint(options)


def usual(work: Work, way: str) -> None:
    """Add payments of a usual kind."""
    if way == "cost":
        who = work.seats[-1]
        add_pay(work, {who: 1}, "-0.1", at=who)
        return
    if way == "score":
        _score(work)
        return
    choice = verdict_of(work)
    by, made = work.table("choices")[choice]["by"], given(work, choice)
    also = f"{made} and " if made else ""
    argued = sides(work)
    if way in ("persuades", "adversarial") and not argued:
        raise RefusedError("Nobody argues for a side yet: let a seat argue for one first.")
    if way == "adversarial" and len(argued) != 2:
        raise RefusedError(f"{len(argued)} seats argue for a side; this is about two.")
    match way:
        case "right":
            add_pay(work, {by: 1}, 1, f"{choice} = {truth_for(work, choice)}")
        case "right or wrong":
            truth = truth_for(work, choice)
            add_pay(work, {by: 1}, 1, f"{also}{choice} = {truth}")
            add_pay(work, {by: 1}, -1, f"{also}{choice} != {truth}")
            if made:
                add_pay(work, {by: 1}, -1, f"not {made}")
        case "persuades":
            for seat, side in argued.items():
                add_pay(work, {seat: 1}, 1, f"{also}{choice} = {_operand(side)}")
        case "adversarial":
            (one, side), (other, _) = argued.items()
            amount = f"1 if {choice} = {_operand(side)} else -1"
            amount += f" if {made} else 0" if made else ""
            add_pay(work, {one: 1, other: -1}, amount)
        case _:
            to = dict.fromkeys(work.seats, 1)
            add_pay(work, to, 1, f"{also}{choice} = {truth_for(work, choice)}")


def _operand(side: str) -> str:
    return side if side.replace("_", "").isalnum() else f"({side})"


def _score(work: Work) -> None:
    choices = work.table("choices")
    estimates = [
        name
        for name, choice in choices.items()
        if is_table(choice["options"]) and choice["by"] in work.seats
    ]
    if not estimates:
        raise RefusedError("There is no estimate yet: let a seat say a probability first.")
    estimate = estimates[0]
    truth = truth_for(work, estimate)
    answers = choices[truth]["options"]
    first = answers[0] if is_list(answers) else 1
    add_pay(work, {choices[estimate]["by"]: 1}, f"quadratic({estimate}, {truth} = {first})")
    for seat, side in sides(work).items():
        amount = estimate if side == first else f"(100 - {estimate})"
        add_pay(work, {seat: 1}, f"{amount} / 100")


@gesture("add the usual payments: {way}")
def usual_pay(work: Work, way: Plain) -> None:
    """Add payments of a usual kind: right, right or wrong, persuades, adversarial, together, ..."""
    if not isinstance(way, str) or way not in USUAL:
        raise EditError(f"There is no usual payment {show(way)}; there is {', '.join(USUAL)}.")
    usual(work, way)


@gesture("pay nothing")
def pay_nothing(work: Work) -> None:
    """Remove all payments."""
    for number in reversed(range(len(work.document.get("pay", [])))):
        work.do(Remove(("pay", number)))
