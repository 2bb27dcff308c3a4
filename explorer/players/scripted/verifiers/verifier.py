"""The scripted verifier: it asks, listens as its strategy says, and decides."""

from __future__ import annotations

from typing import Any

from explorer.players.base import Acted, Player
from explorer.players.scripted.verifiers.counting import GENERAL
from explorer.players.scripted.verifiers.evidence import Evidence, gather
from explorer.players.scripted.verifiers.hearing import Heard, hear
from explorer.players.scripted.verifiers.strategies import (
    DEFAULT_STRATEGY,
    USUAL_LEVEL,
    care,
    strategy,
)
from explorer.players.scripted.verifiers.subjects import Subject, subject_of
from explorer.players.wording import fit
from nip_core.documents import stable_hash
from nip_core.play import Move, View
from nip_core.text import Decision

__all__ = ["ScriptedVerifier"]


class ScriptedVerifier(Player):
    """Plays by one of the strategies of :data:`~.strategies.STRATEGIES`.

    All that it does follows from its view, its strategy, its level and its seed; it looks at no
    label, and keeps nothing from one turn to the next.

    Parameters
    ----------
    strategy : str
    level : {"easy", "medium", "hard"}
    seed : int
        Draws the order of questions, what is overlooked, and coins.
    """

    kind = "scripted"

    def __init__(
        self, strategy_name: str = DEFAULT_STRATEGY, level: str = USUAL_LEVEL, seed: int = 0
    ) -> None:
        self.strategy, self.level, self.care = strategy(strategy_name), level, care(level)
        self.seed = seed

    def describe(self) -> dict[str, Any]:
        """Who this is, for the transcript."""
        of_level = {"level": self.level} if self.strategy.has_levels else {}
        return {"kind": self.kind, "strategy": self.strategy.name, **of_level, "seed": self.seed}

    def turn(self, view: View) -> Acted:
        """Make a move, and say for the record why."""
        turns = sum(seen.own is not None for seen in view.rounds)
        heard, subject = hear(view), subject_of(view.statement)
        evidence = gather(subject, heard, turns, self.strategy, self.care, self.seed)
        verdict, belief, why = self._judge(evidence, heard)
        decides = view.legal.may_decide and not self._asks_on(view, heard, evidence, turns)
        thoughts = [
            each.about.replace("{who}", _name(view, each.heard))
            for each in evidence.findings
            if each.turn == turns
        ]
        if decides:
            move = Move(view.agent, decision=verdict, confidence=belief)
            thoughts.append(why)
        else:
            text = fit(self._question(view, subject, turns), view.max_response_words)
            messages = dict.fromkeys(view.legal.channels, text)
            move = Move(view.agent, messages, confidence=belief)
        thoughts.append(f"I think that it is true with a chance of {belief} %.")
        return Acted(move, {"kind": self.kind, "reasoning": "\n".join(thoughts)})

    # -- asking --------------------------------------------------------------------------------

    def _asks_on(self, view: View, heard: list[Heard], evidence: Evidence, turns: int) -> bool:
        can_ask = bool(view.spec.provers) and not view.legal.last_turn
        wants = turns < self.care.questions and evidence.settled is None
        if self.strategy.decides == "first":
            wants = False
        return can_ask and (not heard or wants)

    def _question(self, view: View, subject: Subject, turns: int) -> str:
        asks = self.strategy.asks
        drawn = sorted(view.statement.asks, key=self._rank)
        if asks != "prepared":
            drawn.sort(key=subject.telling, reverse=True)
        first = sorted(subject.first_questions(asks, self.care.unusual), key=self._rank)
        further = sorted(subject.further_questions(asks), key=self._rank)
        questions = [*first, *further, *drawn, *GENERAL]
        twice = self.strategy.twice and len(view.spec.provers) == 1
        return questions[(turns // 2 if twice else turns) % len(questions)]

    def _rank(self, text: str) -> bytes:
        return stable_hash("nip-scripted-verifier/2", self.seed, text)

    def _first_side(self, heard: list[Heard]) -> int:
        """The side that spoke first; of two at once, one is heard first by chance."""
        sided = [each for each in heard if each.side is not None]
        first = [each for each in sided if each.round == sided[0].round]
        return min(first, key=lambda each: self._rank(each.speaker)).side or 0 if first else 1

    # -- deciding ------------------------------------------------------------------------------

    def _judge(self, evidence: Evidence, heard: list[Heard]) -> tuple[Decision, int, str]:
        """The verdict, the chance in per cent that the statement is true, and why."""
        if self.strategy.decides == "chance":
            tossed = stable_hash("nip-verifier-coin/1", self.seed)[0] & 1
            return (1 if tossed else 0), 50, "I tossed a coin."
        if self.strategy.decides == "first":
            believed = self._first_side(heard)
            said = "I believed the first that I heard." if heard else "I believe what I read."
            return (1 if believed else 0), 95 if believed else 5, said
        return evidence.verdict, evidence.belief, _why(evidence)


def _why(evidence: Evidence) -> str:
    if evidence.settled is not None:
        return "What I checked proves it."
    kinds = {finding.kind for finding in evidence.findings}
    if kinds - {"true", "proof"}:
        return "I do not believe whoever I caught."
    if evidence.balance == 0:
        return "Nothing that I was told speaks for it."
    if kinds:
        return "What I checked was so, and I found nothing against it."
    return "I found nothing against what I was told."


def _name(view: View, heard: Heard) -> str:
    named = heard.speaker in view.spec.agent_names
    return view.human_name(heard.speaker) if named else "Somebody"
