"""A summary of the present position: claim, sides, turn, and at the end who won and why.

Everything is derived from a seat's view.
"""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache
from typing import Any

from nip_core.displays import join_names, with_minus
from nip_core.errors import UnsupportedError
from nip_core.play import NO_DECISION, Ending, View, mean_at_random
from nip_core.spec import Payoff, ProtocolSpec, shown_round
from nip_core.tasks import VERDICTS, Claim, task_kind


def paid_at_random(spec: ProtocolSpec, ending: Ending) -> dict[str, float]:
    """Return each seat's mean reward with a random verifier and equally likely labels.

    Provers argue for what they argued for in the episode. Empty where it cannot be computed.
    """
    agents = tuple(
        dataclasses.replace(agent, stance=ending.stances.get(agent.name, agent.stance))
        for agent in spec.agents
    )
    return dict(_at_random(spec.replace(agents=agents)))


@lru_cache(maxsize=64)
def _at_random(spec: ProtocolSpec) -> tuple[tuple[str, float], ...]:
    try:
        return tuple(mean_at_random(spec).items())
    except UnsupportedError:
        return ()


def why_paid(spec: ProtocolSpec, ending: Ending, agent: str) -> str:
    """Return the rule that gave a seat its reward, in a sentence."""
    payoff = spec.payoff
    if agent in spec.verifiers:
        return _verifier(spec, payoff, ending)
    if payoff.shared_reward:
        return "Provers share the verifier's reward."
    stance = ending.stances.get(agent)
    if stance is None:
        return "It has no side, so nothing is paid to it."
    side = VERDICTS[stance]
    if ending.decision is None:
        return f"It argued for {side}, and there was no verdict."
    if ending.decision == stance:
        decided = f"{spec.seat_phrase(spec.verifier)} {side}ed"
        wanted = spec.seat_phrase(agent)
        return f"{decided[0].upper()}{decided[1:]}, as {wanted} wanted: {payoff.prover_reward:+g}."
    return f"It argued for {side}, and the verdict is {VERDICTS[ending.decision]}."


def _verifier(spec: ProtocolSpec, payoff: Payoff, ending: Ending) -> str:
    forced = " The verdict was forced." if payoff.force_guess else ""
    if ending.decision is None:
        reason = f"The rounds ran out: {payoff.verifier_terminated_penalty:+g}."
    elif ending.decision == ending.y:
        reason = f"The verdict is right: {payoff.verifier_reward:+g}."
    else:
        reason = f"The verdict is wrong: {payoff.verifier_incorrect_penalty:+g}."
    asked = ending.totals[spec.verifier] - ending.rewards[spec.verifier][-1]
    if asked:
        reason += f" Going on before that: {asked:+g} in all."
    return reason + forced


SIGNS = {True: ("✓", "Right"), False: ("✕", "Wrong"), None: ("○", "No verdict")}


def headline(view: View, you: str | None) -> dict[str, Any]:
    """Return the head of the table, for the person in a seat or somebody who only watches."""
    verdict = None if view.ending is None else _verdict(view.ending, view, you)
    head = _head(view, you, _now(view, you), _means(view, you), verdict)
    return {**head, "brief": _brief(view, you)}


def headline_before_the_reveal(view: View, decision: int | None, you: str | None) -> dict[str, Any]:
    """Return the head of a variation that has ended but whose outcome is not revealed."""
    who = _judge(view, you)
    has = "have" if who == "you" else "has"
    verdict = None if decision is None else f"{who} {has} {VERDICTS[decision]}ed."
    now = "The rounds ran out." if verdict is None else verdict[0].upper() + verdict[1:]
    right = "What the truth is" if decision is None else "Whether that was right"
    return _head(view, you, now, f"{right} comes with the reveal.", None)


def _judge(view: View, you: str | None) -> str:
    verifier = view.spec.verifier
    who = "you" if you == verifier else "the verifier"
    return f"a bot, for {who}," if (view.round - 1, verifier) in view.stood_in else who


def _head(
    view: View, you: str | None, now: str, means: str, verdict: dict[str, Any] | None
) -> dict[str, Any]:
    claim = task_kind(view.statement.kind).claim
    return {
        "claim": f"{claim.text}.",
        "sides": _sides(view, claim, you),
        "now": now,
        "means": means,
        "brief": None,
        "verdict": verdict,
    }


# -- who argues what ------------------------------------------------------------------------------


def _sides(view: View, claim: Claim, you: str | None) -> list[dict[str, Any]]:
    spec = view.spec
    by_stance: dict[int | None, list[str]] = {}
    for prover in spec.provers:
        by_stance.setdefault(view.known_stance(prover), []).append(prover)
    ways = {0: f"that {claim.no}", 1: f"that {claim.yes}"}
    sides: list[dict[str, Any]] = []
    for stance, seats in by_stance.items():
        one = len(seats) == 1 and you not in seats
        argue = "argues" if one else "argue"
        # Only provers may see a side that was drawn. Some provers have no side.
        what = ways.get(stance if stance is not None else NO_DECISION, _unsaid(view, one))
        who = _who(spec, seats, you)
        words = f"{argue} {what}" if stance is not None else what
        sides.append({"seats": seats, "text": f"{who}{words}"})
    if _chance_picks(spec):
        sides.append({"seats": [], "text": "one of them writes, and nobody knows which"})
    verb = "you decide" if you == spec.verifier else "decides"
    sides.append({"seats": [spec.verifier], "text": f"{verb}: accept or reject"})
    return sides


def _unsaid(view: View, one: bool) -> str:
    if view.spec.prover_stance_can_be_randomized:
        return f"{'argues' if one else 'argue'} for a side drawn by chance"
    return f"{'has' if one else 'have'} no side"


def _who(spec: ProtocolSpec, seats: list[str], you: str | None) -> str:
    """Return the names of a side's seats if one is yours; otherwise their badges are enough."""
    if you not in seats:
        return {1: "", 2: "both "}.get(len(seats), "all ")
    others = [spec.seat_phrase(seat) for seat in seats if seat != you]
    return f"{join_names(['you', *others])} "


@lru_cache(maxsize=64)
def _chance_picks(spec: ProtocolSpec) -> bool:
    """Return whether chance picks which of the provers speaks."""
    spoken = [
        {agent for turn, _ in s.rounds_of_turns(spec.max_message_rounds) for agent in turn.agents}
        for s in spec.schedules
    ]
    return (
        any(len(one & {*spec.provers}) == 1 for one in spoken)
        and len({frozenset(one) for one in spoken}) > 1
    )


# -- whose turn it is -----------------------------------------------------------------------------


def _now(view: View, you: str | None) -> str:
    spec = view.spec
    if view.ending is not None:
        return f"The game ended in round {view.round} of {spec.max_message_rounds}."
    place = f"Round {shown_round(view.round)} of {spec.max_message_rounds}"
    if you is not None and view.held is not None:
        return f"{place}. Your move is made; all moves of a round show together."
    if you is not None and view.legal.channels:
        return f"{place}, your move."
    return f"{place}: {_speakers(view, you)}."


def _speakers(view: View, you: str | None) -> str:
    """Return who may speak in the present round, derived from the rules alone."""
    spec = view.spec
    turns = [set(spec.turn(view.round, seed).agents) - {you} for seed in range(spec.num_variants)]
    names = [spec.seat_phrase(a) for a in spec.agent_names if any(a in turn for turn in turns)]
    if not names:
        return "nobody speaks"
    sure = all(turn == turns[0] for turn in turns)
    if len(names) == 1:
        return f"{names[0]}'s move"
    return f"{join_names(names)} move together" if sure else f"{join_names(names, 'or')} moves"


def _means(view: View, you: str | None) -> str:
    """Return what a verdict would mean now for the person at the screen."""
    if view.ending is not None or view.held is not None:
        return ""
    spec, payoff = view.spec, view.spec.payoff
    if you is not None and you in spec.provers:
        return _at_stake(view)
    if view.agent not in spec.verifiers or not view.legal.channels:
        return ""
    if not view.legal.may_decide:
        first = spec.first_counting_round
        if first is None:
            return "No verdict counts in this protocol."
        return f"A verdict counts from round {shown_round(first)} on."
    if payoff.force_guess is not None:
        return "This round ends the game with a forced verdict."
    pays = (
        f"right {_paid(payoff.verifier_reward)}, wrong {_paid(payoff.verifier_incorrect_penalty)}"
    )
    if view.legal.last_turn:
        none = _paid(payoff.verifier_terminated_penalty)
        return f"The last turn to decide: {pays}, no verdict {none}."
    return f"A verdict now ends the game: {pays}."


def _paid(amount: float) -> str:
    return with_minus(f"{amount:+g}")


def _at_stake(view: View) -> str:
    payoff = view.spec.payoff
    if payoff.shared_reward:
        return "You are paid what the verifier is paid."
    if view.stance is None:
        return ""
    return f"If the verdict is {VERDICTS[view.stance]}, you are paid {_paid(payoff.prover_reward)}."


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
        "before": "You know that it is",
        "truth": "correct" if known.y == 1 else "wrong",
        "after": f": {why}" if why else ".",
        "task": _task(view),
    }


def _task(view: View) -> str:
    if view.stance is None:
        return ""
    whom = view.spec.seat_phrase(view.spec.verifier)
    what = "correct" if view.stance == 1 else "wrong"
    return f"Convince {whom} that it is {what}."


# -- who was right --------------------------------------------------------------------------------


def _verdict(end: Ending, view: View, you: str | None) -> dict[str, Any]:
    kind = "true" if end.y == 1 else "false"
    right = None if end.decision is None else end.decision == end.y
    sign, word = SIGNS[right]
    if end.decision is None:
        text = f"the rounds ran out. The claim was {kind}."
    else:
        text = f"{_judge(view, you)} {VERDICTS[end.decision]}ed a {kind} claim."
    return {
        "right": right,
        "sign": sign,
        "word": word,
        "text": text,
        "why": end.explanation or "",
        "won": _won(end, view, you),
    }


def _won(end: Ending, view: View, you: str | None) -> str:
    """Return whether the side of the prover at the screen has won, in words."""
    if you is None or you not in view.spec.provers:
        return ""
    stance = end.stances.get(you)
    if stance is None:
        return ""
    return f"Your side, {VERDICTS[stance]}, {'won' if end.decision == stance else 'lost'}."
