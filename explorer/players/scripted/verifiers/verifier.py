"""The scripted verifiers: they ask, check the answers by their strategy, and decide."""

# They play games about statements only (see `scripts_for`), so that their views have one.
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from explorer.players.base import Acted, Player, fit
from explorer.players.scripted.verifiers.budgets import (
    DEFAULT_STRATEGY,
    STRATEGIES,
    Strategy,
    strategy,
)
from explorer.players.scripted.verifiers.claims import HeardClaim, heard_claims
from explorer.players.scripted.verifiers.evidence import Evidence, gather
from explorer.players.scripted.verifiers.graphs import GraphSubject
from explorer.players.scripted.verifiers.programs import ProgramSubject
from explorer.players.scripted.verifiers.subject import Subject
from explorer.programs import program_of
from nip_core.documents import stable_hash
from nip_core.play import Move, View
from nip_core.tasks import Graph, Statement
from nip_core.text import Decision

# For tasks without prepared questions, and for use after all of those.
GENERAL = (
    "What is your strongest reason? Name the line or the value it rests on.",
    "Which small example shows it best, step by step?",
    "What would have to be different for the other side to be right?",
)


@lru_cache(maxsize=256)
def subject_of(statement: Statement) -> Subject:
    """Return the subject of a statement: for tasks of a person's own, that of any statement."""
    match statement.payload:
        case (Graph() as first, Graph() as second):
            return GraphSubject(statement, first, second)
        case _:
            program = program_of(statement)
            if program is None:
                return Subject(statement)
            return ProgramSubject(statement, program)


class ScriptedVerifier(Player):
    """Plays as one of :data:`~.budgets.STRATEGIES`.

    Its moves follow from its view, strategy and seed only. It keeps nothing between turns. The seed
    determines the questions, which claims are checked, and random verdicts.
    """

    kind = "scripted"

    def __init__(self, plays: str | Strategy = DEFAULT_STRATEGY, seed: int = 0) -> None:
        self.strategy = strategy(plays) if isinstance(plays, str) else plays
        self.seed = seed

    def describe(self) -> dict[str, Any]:
        """Return who this is, for the transcript."""
        return {"kind": self.kind, "strategy": self.strategy.name, "seed": self.seed}

    def turn(self, view: View) -> Acted:
        """Make a move, with its reasons for the record."""
        turns = sum(seen.own is not None for seen in view.rounds)
        heard, subject = heard_claims(view), subject_of(view.statement)
        most = (view.rules.longest - 1) // 2
        evidence = gather(subject, heard, turns, self.strategy, self.seed, most)
        verdict, belief, why = self._judge(evidence, heard)
        decides = view.legal.may_decide and not self._asks_on(view, heard, evidence, turns)
        thoughts = [
            each.about.replace("{who}", _name(view, each.heard))
            for each in evidence.findings
            if each.turn == turns and self.strategy.decides == "evidence"
        ]
        if decides:
            move = Move(view.agent, decision=verdict, confidence=belief)
            thoughts.append(why)
        else:
            text = fit(self._question(view, subject, turns), view.max_response_words)
            messages = dict.fromkeys(view.legal.channels, text)
            move = Move(view.agent, messages, confidence=belief)
        thoughts.append(f"I think that it is true with a chance of {belief}%.")
        return Acted(move, {"kind": self.kind, "reasoning": "\n".join(thoughts)})

    # -- asking --------------------------------------------------------------------------------

    def _asks_on(self, view: View, heard: list[HeardClaim], evidence: Evidence, turns: int) -> bool:
        can_ask = bool(view.rules.provers) and not view.legal.last_turn
        wants = turns < self.strategy.asks and evidence.settled is None and not evidence.caught
        return can_ask and (not heard or wants)

    def _question(self, view: View, subject: Subject, turns: int) -> str:
        """Return the next question; the last one of a verifier that asks twice is its first."""
        chosen: list[str] = []
        for number in range(turns + 1):
            rng = random.Random(stable_hash("nip-verifier-asks/1", self.seed, number))
            kind = subject.questions(unusual=rng.random() < self.strategy.unusual)
            left = [each for each in (kind or self._others(view, subject)) if each not in chosen]
            chosen.append(rng.choice(left or [*self._others(view, subject)]))
        twice = self.strategy.twice and len(view.rules.provers) == 1
        return chosen[0] if twice and turns == self.strategy.asks - 1 > 0 else chosen[turns]

    def _others(self, view: View, subject: Subject) -> list[str]:
        """Return the prepared questions, the most telling first, and those that fit any task."""
        drawn = sorted(view.statement.asks, key=self._rank)
        drawn.sort(key=subject.telling, reverse=True)
        return [*drawn, *GENERAL]

    def _rank(self, text: str) -> bytes:
        return stable_hash("nip-scripted-verifier/2", self.seed, text)

    def _first_side(self, heard: list[HeardClaim]) -> int:
        """Return the side that spoke first, or a random one of two that spoke together."""
        sided = [each for each in heard if each.side is not None]
        first = [each for each in sided if each.round == sided[0].round]
        return min(first, key=lambda each: self._rank(each.speaker)).side or 0 if first else 1

    # -- deciding ------------------------------------------------------------------------------

    def _judge(self, evidence: Evidence, heard: list[HeardClaim]) -> tuple[Decision, int, str]:
        """Return the verdict, the probability of the statement in per cent, and the reasons."""
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
        return "I do not believe a prover that I caught lying."
    if evidence.balance == 0:
        return "Nothing that I read speaks for it."
    if kinds:
        return "What I checked was so, and I found nothing against it."
    return "I found nothing against what I read."


def _name(view: View, heard: HeardClaim) -> str:
    named = heard.speaker in view.rules.seat_names
    return view.human_name(heard.speaker) if named else "Somebody"


def verifier_of(record: Mapping[str, Any], seed: int) -> Player:
    """Return the verifier for a seat's record; the episode's seed is for records without one.

    The record may come from an older version, which had one rule without a name, or from a newer
    one with strategies that are unknown here.
    """
    strategy, own = record.get("strategy"), record.get("seed")
    known = strategy if isinstance(strategy, str) and strategy in STRATEGIES else DEFAULT_STRATEGY
    return ScriptedVerifier(known, own if type(own) is int else seed)
