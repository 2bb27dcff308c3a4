"""What each seat is paid, in one sentence, as short as the rules allow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from explorer.pictures import two_decimals
from explorer.rewards.seats import seats_in_order
from nip_core.displays import displayed
from nip_core.language import END, Side, Specification, Wording
from nip_core.values import VerdictPay, verdict_pay

__all__ = ["Payoff", "amount", "outcome_words", "payoffs"]

# More combinations of choices than these are tried in another process only.
MOST_COMBINED = 2_000


@displayed
@dataclass(frozen=True, slots=True)
class Payoff:
    """The seats that are paid alike, and how, as a sentence."""

    seats: tuple[str, ...]
    text: str
    is_short: bool  # whether it is about verdicts only


def amount(value: Any) -> str:
    """Return an amount with its sign and at most two decimals: ``"+1"``, ``"0"``, ``"−0.25"``."""
    text = two_decimals(float(value)).rstrip("0").rstrip(".")
    return text if value <= 0 else f"+{text}"


def payoffs(spec: Specification) -> list[Payoff]:
    """Return a sentence for each group of seats that are paid alike, the main seat's first."""
    known, groups = verdict_pay(spec, MOST_COMBINED), dict[tuple[str, bool], list[str]]()
    for seat in seats_in_order(spec):
        pay = known.get(seat)
        sentence = _in_words(spec, seat) if pay is None else _by_verdict(spec, pay)
        groups.setdefault((sentence, pay is not None), []).append(seat)
    return [Payoff(tuple(seats), text, short) for (text, short), seats in groups.items()]


def _by_verdict(spec: Specification, pay: VerdictPay) -> str:
    right, wrong = _verdicts(spec, pay.side)
    parts = [f"{right} pays {amount(pay.right)}", f"{wrong} {amount(pay.wrong)}"]
    # Most protocols always end with a verdict, so none is told only if it pays something else.
    if pay.none is not None and pay.none not in (pay.right, pay.wrong):
        parts.append(f"none {amount(pay.none)}")
    return ", ".join(parts) + ("" if pay.only else "; more is paid during play")


def _verdicts(spec: Specification, side: Side | None) -> tuple[str, str]:
    """Return the verdict that a seat wants, and the other one, with their articles."""
    if side is None:
        return "a right verdict", "a wrong one"
    if spec.roles.on_statement and side.option is not None:
        said = ("an accepted", "a rejected")
        wanted, other = said if side.option == "accept" else said[::-1]
        return f"{wanted} claim", f"{other} one"
    return "the verdict for its side", "against it"


def outcome_words(spec: Specification, pay: VerdictPay, *, may_be_open: bool) -> dict[Any, str]:
    """Return what each amount is paid for, in a word or two for a chart's axis.

    It may be paid without a verdict, too, if plays may end without one (`may_be_open`).
    """
    right, wrong = "right", "wrong"
    if pay.side is not None and spec.roles.on_statement and pay.side.option is not None:
        said = ("accepted", "rejected")
        right, wrong = said if pay.side.option == "accept" else said[::-1]
    elif pay.side is not None:
        right, wrong = "for its side", "against it"
    found: dict[Any, list[str]] = {}
    for paid, word in ((pay.right, right), (pay.wrong, wrong), (pay.none, "none")):
        if paid is not None and (word != "none" or may_be_open):
            found.setdefault(paid, []).append(word)
    return {paid: " or ".join(words) for paid, words in found.items()}


def _in_words(spec: Specification, seat: str) -> str:
    """Return a seat's rules of pay in the words of the rules."""
    words, lead = Wording(spec), Wording(spec).seat(seat)
    said: list[str] = []
    # What the end pays is simpler, so it comes first.
    for pay in sorted(spec.pay, key=lambda rule: rule.at != END):
        if own := tuple(pair for pair in pay.to if pair[0] == seat):
            text = words.pays(replace(pay, to=own)).removesuffix(".")
            said.append(
                text[len(lead) + 1 :] if text.lower().startswith(f"{lead.lower()} ") else text
            )
    return "; ".join([said[0], *(text[:1].lower() + text[1:] for text in said[1:])])
