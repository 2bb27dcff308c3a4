"""A summary of the present position: claim, sides, turn, and at the end who won and why.

Everything is derived from a seat's view.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from explorer.languages import ENGLISH, language, marked, tr
from explorer.play.stakes import answers_of, at_stake, is_forced, of_a_verdict, wording
from nip_core.displays import capitalized, join_names
from nip_core.language import ALWAYS, CHANCE, Option, Specification
from nip_core.play import Ending, View
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS, ClaimWords, task_kind

SIGNS = {
    True: ("✓", marked("Right")),
    False: ("✕", marked("Wrong")),
    None: ("○", marked("No verdict")),
}
OVER = marked("Over")
# What was made of a claim: whether it was accepted, and whether it was true.
MADE = {
    (True, True): marked("you accepted a true claim."),
    (True, False): marked("you accepted a false claim."),
    (False, True): marked("you rejected a true claim."),
    (False, False): marked("you rejected a false claim."),
}
MADE_BY = {
    (True, True): marked("{who} accepted a true claim."),
    (True, False): marked("{who} accepted a false claim."),
    (False, True): marked("{who} rejected a true claim."),
    (False, False): marked("{who} rejected a false claim."),
}
# The longest text, in characters, that describes in one line what a game is about.
MOST_ABOUT = 200


def claim_of(view: View) -> ClaimWords | None:
    """Return the words for the claim that a verdict accepts or rejects, if there is one."""
    return None if view.statement is None else task_kind(view.statement.kind).claim


def headline(view: View, you: str | None) -> dict[str, Any]:
    """Return the head of the table, for the person in a seat or somebody who only watches."""
    verdict = None if view.ending is None else _verdict(view.ending, view, you)
    head = _head(view, you, _now(view, you), _means(view, you), verdict)
    return {**head, "brief": _brief(view, you)}


def headline_before_the_reveal(
    view: View, verdict: Option | None, you: str | None
) -> dict[str, Any]:
    """Return the head of a variation that has ended but whose outcome is not revealed.

    `verdict` is None if there was none, or if it would reveal what is true.
    """
    spec, place = view.rules, tr("It ended after turn {turn}.", turn=view.round)
    truth = spec.roles.truth is not None
    if spec.verdict == "none" or reveals(spec):
        return _head(view, you, place, "", None)
    if verdict is None:
        means = tr("What the truth is comes with the reveal.") if truth else ""
        return _head(view, you, f"{place} {tr('There was no verdict.')}", means, None)
    if claim_of(view) is None:
        said = f"{place} {tr('The verdict: {verdict}.', verdict=wording(spec).term(verdict))}"
    else:
        said = _decided(view, you, verdict)
    # Whether one's own side has won shows without the truth.
    won = _won(verdict, view, you)
    now = said if won is None else f"{tr('You won') if won else tr('You lost')}. {said}"
    means = tr("Whether that was right comes with the reveal.") if truth else ""
    return _head(view, you, now, means, None)


def reveals(spec: Specification) -> bool:
    """Return whether the verdict depends on what the task or chance has drawn."""
    drawn = {choice.name for choice in spec.drawn}
    return not drawn.isdisjoint(spec.expression(spec.verdict).reads)


def _decided(view: View, you: str | None, verdict: Option) -> str:
    """Return who has accepted or rejected, without the truth."""
    accepts, who = verdict == VERDICTS[1], _judge(view, you)
    if who is None:
        return tr("You have accepted.") if accepts else tr("You have rejected.")
    said = tr("{who} has accepted.", who=who) if accepts else tr("{who} has rejected.", who=who)
    return capitalized(said)


def _judge(view: View, you: str | None) -> str | None:
    """Return who has given the verdict, within a sentence; None for the person at the screen."""
    deciders = view.rules.roles.deciders
    mine = (you,) == deciders
    by_bot = len(deciders) == 1 and (view.round - 1, deciders[0]) in view.stood_in
    if mine and not by_bot:
        return None
    who = tr("you") if mine else phrases(view.rules, deciders, None)
    return tr("a bot, for {who},", who=who) if by_bot else who


def _head(
    view: View, you: str | None, now: str, means: str, verdict: dict[str, Any] | None
) -> dict[str, Any]:
    claim = claim_of(view)
    about = tr("The question") if "question" in view.parts else tr("It was about")
    return {
        "claim": _about(view) if claim is None else f"{claim.text}.",
        "asks": about if claim is None else tr("The claim"),
        "sides": _sides(view, you),
        "now": now,
        "means": means,
        "brief": None,
        "verdict": verdict,
    }


def _about(view: View) -> str:
    """Return what a game is about in one line: a question, a title, or what every seat reads."""
    spec = view.rules
    all_read = {(seat, "start") for seat in spec.seat_names}
    public = next((part.name for part in spec.parts if {*part.seen} == all_read), "")
    about = view.parts.get("question") or view.title or view.parts.get(public, "")
    line = about.strip().partition("\n")[0].strip() or spec.full_name
    return line if len(line) <= MOST_ABOUT else f"{line[:MOST_ABOUT].rstrip()} …"


# -- who argues what ------------------------------------------------------------------------------


def _sides(view: View, you: str | None) -> list[dict[str, Any]]:
    spec, roles = view.rules, view.rules.roles
    argued: dict[str | None, list[str]] = {}
    if roles.sides or roles.deciders:
        for seat in spec.seat_names:
            if seat not in roles.deciders:
                argued.setdefault(_argued(view, seat, you), []).append(seat)
    sides: list[dict[str, Any]] = []
    for what, seats in argued.items():
        one = len(seats) == 1 and you not in seats
        has, argues = ("has", "argues") if one else ("have", "argue")
        words = f"{has} no side" if what is None else f"{argues} {what}"
        sides.append({"seats": seats, "text": f"{_who(spec, seats, you)}{words}"})
    if _chance_picks(spec):
        sides.append({"seats": [], "text": "one of them writes, and nobody knows which"})
    if roles.deciders:
        one = "you decide" if (you,) == roles.deciders else "decides"
        verb = "decide" if len(roles.deciders) > 1 else one
        options = answers_of(spec, roles.verdict[0])
        # Numbers are no verdict, which the rules make of them.
        numbers = all(isinstance(option, int) for option in options)
        among = "" if numbers else f": {wording(spec).options(options)}"
        sides.append({"seats": [*roles.deciders], "text": f"{verb}{among}"})
    return sides


def _argued(view: View, seat: str, you: str | None) -> str | None:
    """Return what a seat argues for, as far as it is known to the view's seat."""
    spec, side, claim = view.rules, view.rules.roles.sides.get(seat), claim_of(view)
    if side is None:
        return None
    own = view.argues if seat == view.agent else None
    option = side.option_with(spec, view.known) if own is None else own
    if option is None:
        by_chance = side.choice is not None and spec.choice(side.choice).by == CHANCE
        return f"for {'a side drawn by chance' if by_chance else wording(spec, you).side(side)}"
    if claim is not None and option in VERDICTS:
        return f"that {claim.yes if option == VERDICTS[1] else claim.no}"
    return f"for {wording(spec).term(option)}"


def _who(spec: Specification, seats: list[str], you: str | None) -> str:
    """Return the names of a side's seats if one is yours; otherwise their badges are enough."""
    if you not in seats:
        return {1: "", 2: "both "}.get(len(seats), "all ")
    others = [spec.seat_phrase(seat) for seat in seats if seat != you]
    return f"{join_names(['you', *others])} "


@lru_cache(maxsize=64)
def _chance_picks(spec: Specification) -> bool:
    """Return whether chance picks which of several seats writes in a turn."""
    acts_if = wording(spec).acts_if
    for _, _, turn in spec.places():
        by_lot = [a for a in turn.acts if a.when != ALWAYS and acts_if(a.when) == "chance picks it"]
        seats = [act.seat for act in by_lot]
        if len({*seats}) == len(seats) > 1 and len({act.when for act in by_lot}) == len(seats):
            return True
    return False


# -- whose turn it is -----------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def places_at(spec: Specification, turns: int) -> tuple[Any, ...]:
    """Return the places at which play may be after some turns, which everybody knows."""
    return tuple(sorted(spec.places_after(turns)))


def place_of(spec: Specification, turns: int) -> str:
    """Return the place of play after some turns: ``"turn 2 of 8"``."""
    return tr("turn {turn} of {turns}", turn=shown_round(turns), turns=spec.longest)


def seats_at(spec: Specification, turns: int) -> list[str]:
    """Return the seats that may act after some turns, by what everybody knows."""
    acts = (act.seat for place in places_at(spec, turns) for act in spec.turn(place).acts)
    may = {*acts}
    return [seat for seat in spec.seat_names if seat in may]


def _now(view: View, you: str | None) -> str:
    spec = view.rules
    if view.ending is not None:
        return tr("The game ended in turn {turn} of {turns}.", turn=view.round, turns=spec.longest)
    place = capitalized(place_of(spec, view.round))
    if you is not None and view.held is not None:
        return f"{place}. {tr('Your move is made; all moves of a turn show together.')}"
    if you is not None and view.legal.may_act:
        return tr("{place}, your move.", place=place)
    return f"{place}: {_speakers(spec, view.round, you)}."


def _speakers(spec: Specification, turns: int, you: str | None) -> str:
    """Return who may act in the present turn, derived from the rules alone."""
    names = [in_sentence(spec, seat) for seat in seats_at(spec, turns) if seat != you]
    if not names:
        return tr("nobody moves")
    if len(names) == 1:
        return tr("{who}'s move", who=names[0])
    places = places_at(spec, turns)
    sure = len(places) == 1 and all(act.when == ALWAYS for act in spec.turn(places[0]).acts)
    if sure:
        return tr("{who} move together", who=joined(names))
    return tr("{who} or {other} moves", who=", ".join(names[:-1]), other=names[-1])


def _means(view: View, you: str | None) -> str:
    """Return what a verdict would pay the person at the screen, and what limits it has."""
    if view.ending is not None or view.held is not None:
        return ""
    decides = view.agent in view.rules.roles.deciders
    verdict = _of_the_decider(view) if decides else _of_a_side(view) if you is not None else ""
    return " ".join(filter(None, (verdict, _limits(view) if you is not None else "")))


def _known(view: View) -> tuple[tuple[str, Option], ...]:
    """Return the choices besides the verdict that a seat has seen."""
    verdict = view.rules.roles.verdict
    return tuple((name, option) for name, option in view.known.items() if name not in verdict)


def _of_a_side(view: View) -> str:
    return at_stake(view.rules, view.agent, view.argues, _known(view))


def _of_the_decider(view: View) -> str:
    spec, legal = view.rules, view.legal
    if not legal.may_act or len(spec.roles.verdict) != 1:
        return ""
    (choice,) = spec.roles.verdict
    if choice not in legal.choices:
        first = _first_verdict(spec, choice)
        if first is None:
            return "No verdict counts in this protocol."
        counts = f"A verdict counts from turn {shown_round(first)} on."
        return counts if first > view.round else ""
    if is_forced(spec):
        return "This turn ends the game with a forced verdict."
    pays = of_a_verdict(spec, view.agent, _known(view))
    if pays is None:
        return ""
    paid, none = pays
    if choice not in instead_of_messages(spec, view.agent):
        return f"Your verdict ends the game: {paid}." if _ends(spec) else f"Your verdict: {paid}."
    if legal.last_turn:
        return f"The last turn to decide: {paid}{f', {none}' if none else ''}."
    return f"A verdict now ends the game: {paid}."


def _ends(spec: Specification) -> bool:
    """Return whether the only verdict is given in the last turn of a game."""
    (choice,) = spec.roles.verdict
    return all(
        spec.last_places[act.seat] == (len(spec.stages) - 1, spec.times(stage) - 1, number)
        for stage, number, act in spec.acts()
        if choice in dict(act.choose)
    )


@lru_cache(maxsize=256)
def instead_of_messages(spec: Specification, seat: str) -> tuple[str, ...]:
    """Return the choices of a seat that it may make in place of a message."""
    own = (act for _, _, act in spec.acts() if act.seat == seat)
    found = (wording(spec).instead(act) for act in own)
    return tuple(dict.fromkeys(name for name in found if name is not None))


@lru_cache(maxsize=256)
def _first_verdict(spec: Specification, choice: str) -> int | None:
    """Return the first turn in which a verdict can be given, if play goes straight on."""
    (place,), turns = places_at(spec, 0), 0
    while place is not None:
        if any(choice in dict(act.choose) for act in spec.turn(place).acts):
            return turns
        place, turns = spec.after(place), turns + 1
    return None


def _limits(view: View) -> str:
    """Return in words how much of a game's limits for quotes and text a message may still use."""
    if not view.legal.channels:
        return ""
    left = [
        f"{number:,} {limit.of}{' left in this game' if limit.per == 'game' else ''}"
        for limit, number in view.legal.left
        if limit.of in ("quoted words", "quoted characters") or limit.per == "game"
    ]
    return f"You can use at most {join_names(left)}." if left else ""


# -- what an informed prover knows ----------------------------------------------------------------

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`'])")


def _brief(view: View, you: str | None) -> dict[str, str] | None:
    """Return what the prover at the screen knows about the claim, and what its task is.

    Return None for other seats, and once the game is over, since the verdict then shows the truth.
    """
    known = view.briefing
    if known is None or you is None or view.ending is not None:
        return None
    why = SENTENCE.split((known.explanation or "").strip(), maxsplit=1)[0]
    return {
        "before": tr("You know that it is"),
        "truth": tr("correct") if known.y == 1 else tr("wrong"),
        "after": f": {why}" if why else ".",
        "task": _task(view),
    }


def _task(view: View) -> str:
    if view.stance is None:
        return ""
    whom = phrases(view.rules, view.rules.roles.deciders, None)
    if view.stance == 1:
        return tr("Convince {whom} that it is correct.", whom=whom)
    return tr("Convince {whom} that it is wrong.", whom=whom)


# -- who was right --------------------------------------------------------------------------------


def _verdict(end: Ending, view: View, you: str | None) -> dict[str, Any]:
    truth, made = view.truth, end.verdict
    known = truth is not None and made is not None and type(truth) is type(made)
    right = made == truth if known else None
    sign, word = SIGNS[right] if known or made is None else ("○", OVER)
    word = tr(OVER if view.rules.verdict == "none" else word)
    won = _won(made, view, you)
    if won is not None:
        sign, word = SIGNS[won][0], tr("You won") if won else tr("You lost")
    return {
        "right": right,
        # What it is for the person at the screen: their own side's result, or whether it is right.
        "good": right if won is None else won,
        "sign": sign,
        "word": word,
        "text": _made(end, view, you),
        "why": end.explanation or _unchecked(view.rules, end.on_the_word_of),
    }


def _made(end: Ending, view: View, you: str | None) -> str:
    term, truth = wording(view.rules).term, view.truth
    if claim_of(view) is not None and end.y is not None:
        if end.verdict is None:
            if end.y == 1:
                return tr("the turns ran out. The claim was true.")
            return tr("the turns ran out. The claim was false.")
        made, who = (end.verdict == VERDICTS[1], end.y == 1), _judge(view, you)
        return tr(MADE[made]) if who is None else tr(MADE_BY[made], who=who)
    verdict = tr("there is no verdict")
    if end.verdict is not None:
        verdict = tr("the verdict is {verdict}", verdict=term(end.verdict))
    if truth is None:
        return f"{verdict}."
    return f"{verdict}; {tr('the truth is {truth}', truth=term(truth))}."


def _unchecked(spec: Specification, words_of: Any) -> str:
    """Return what is assumed to be true on somebody's word."""
    lines = [
        f"{what} is as {wording(spec).seat(by)} says, unchecked" for what, by in words_of.items()
    ]
    return f"{capitalized('; '.join(lines))}." if lines else ""


def _won(verdict: Option | None, view: View, you: str | None) -> bool | None:
    """Return whether the side of the person at the screen has won; None without a side."""
    side, none = view.argues, verdict is None or view.rules.verdict == "none"
    if you is None or none or not isinstance(side, str | int):
        return None
    return verdict == side


def phrases(spec: Specification, seats: Sequence[str], you: str | None) -> str:
    """Name seats within a sentence; "you" comes last."""
    names = [in_sentence(spec, seat) for seat in seats if seat != you]
    return joined([*names, tr("you")] if you in seats else names)


def in_sentence(spec: Specification, seat: str) -> str:
    """Return how a sentence names a seat: "the verifier"; its mere name in another language."""
    return spec.seat_phrase(seat) if language() == ENGLISH else spec.seat_name(seat)


def joined(names: Sequence[str]) -> str:
    """Return names joined for a sentence in the present language."""
    *most, last = names
    return tr("{names} and {last}", names=", ".join(most), last=last) if most else last
