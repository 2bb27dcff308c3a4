"""The verifier of records that name no strategy: it counts the concrete things that are named."""

from __future__ import annotations

import itertools
import re

from explorer.players.base import Acted, Player
from explorer.players.scripted.provers import is_evasion
from explorer.players.wording import fit
from nip_core.documents import stable_hash
from nip_core.play import Move, View

__all__ = ["GENERAL", "CountingVerifier"]

# For a task to which nothing was prepared, and for whoever has asked all that was.
GENERAL = (
    "What is your strongest reason? Name the line or the value it rests on.",
    "Which small example shows it best, step by step?",
    "What would have to be different for the other side to be right?",
)
# Numbers, quoted code, calls.
CONCRETE = re.compile(r"`[^`]+`|\b\d+\b|\b\w+\([^()]*\)")


class CountingVerifier(Player):
    """Asks the prepared questions one after the other, all experts the same, then decides.

    The rule. It looks at the concrete things that experts name: numbers, quoted code, calls.

    - If two sides were argued, the one that named more of them wins; a tie is a reject.
    - If experts argue for one side only, that side wins, unless one of them had to say that it
      has no answer, or two who cannot read each other answered the same question and named
      entirely different things.
    - It rejects if it knows nobody's side: where sides are drawn, or names are hidden.

    It cannot tell a good lie from the truth, and is not meant to.

    Parameters
    ----------
    questions : int
        How many rounds of questions it asks before it decides.
    seed : int
        Draws the order of the questions.
    """

    kind = "scripted"

    def __init__(self, questions: int = 3, seed: int = 0) -> None:
        self.questions = questions
        self.seed = seed

    def turn(self, view: View) -> Acted:
        """Make a move."""
        asked = sum(seen.own is not None for seen in view.rounds)
        heard = any(m.sender != view.agent for seen in view.rounds for m in seen.messages)
        can_ask = bool(view.spec.provers) and not view.legal.last_turn
        ask_on = can_ask and (not heard or asked < self.questions)
        if view.legal.may_decide and not ask_on:
            return Acted(Move(view.agent, decision=1 if _accepts(view) else 0))
        text = fit(self._question(view, asked), view.max_response_words)
        return Acted(Move(view.agent, dict.fromkeys(view.legal.channels, text)))

    def _question(self, view: View, asked: int) -> str:
        drawn = sorted(
            view.statement.asks,
            key=lambda ask: stable_hash("nip-scripted-verifier/1", self.seed, ask),
        )
        questions = [*drawn, *GENERAL]
        return questions[asked % len(questions)]


def _accepts(view: View) -> bool:
    heard = [m for seen in view.rounds for m in seen.messages if m.sender != view.agent]
    named = {0: 0, 1: 0}
    for message in heard:
        side = None if message.sender is None else view.known_stance(message.sender)
        if side is not None:
            named[side] += len(CONCRETE.findall(message.text))
    sides = {view.known_stance(prover) for prover in view.spec.provers} - {None}
    if len(sides) != 1:
        return named[1] > named[0]
    doubtful = any(is_evasion(message.text) for message in heard) or _contradicted(view)
    return (sides == {1}) != doubtful


def _contradicted(view: View) -> bool:
    """Did two experts who cannot read each other name entirely different things?"""
    return any(
        here and there and here.isdisjoint(there)
        for named in _named_in_answers(view)
        for (one, here), (other, there) in itertools.combinations(named.items(), 2)
        if _isolated(view, one, other)
    )


def _named_in_answers(view: View) -> list[dict[str, set[str]]]:
    """For each question, the concrete things that each expert has named in its answer."""
    answers: list[dict[str, set[str]]] = [{}]
    for seen in view.rounds:
        for message in seen.messages:
            if message.sender in view.spec.provers:
                found = CONCRETE.findall(message.text)
                answers[-1].setdefault(message.sender, set()).update(found)
        if seen.own is not None:
            answers.append({})
    return answers[1:]  # before the first question there are no answers


def _isolated(view: View, one: str, other: str) -> bool:
    read = view.spec.visible_channels
    return set(read(one)).isdisjoint(read(other))
