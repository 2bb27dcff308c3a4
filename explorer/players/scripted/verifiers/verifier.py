"""The scripted verifiers: they ask, check the answers by their strategy, and decide."""

# They play games about statements only (see `scripts_for`), so that their views have one.
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from explorer.players.base import Acted, Player, fit
from explorer.players.scripted.provers import is_evasion
from explorer.players.scripted.verifiers.claims import HeardClaim, heard_claims
from explorer.players.scripted.verifiers.evidence import Evidence, gather
from explorer.players.scripted.verifiers.graphs import GraphSubject
from explorer.players.scripted.verifiers.programs import ProgramSubject
from explorer.players.scripted.verifiers.strategies import (
    CARE,
    DEFAULT_STRATEGY,
    STRATEGIES,
    USUAL_LEVEL,
    care,
    strategy,
)
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
# Numbers, quoted code, calls.
CONCRETE = re.compile(r"`[^`]+`|\b\d+\b|\b\w+\([^()]*\)")


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


class CountingVerifier(Player):
    """Asks all experts the prepared questions, one after the other, then decides.

    It decides by the concrete things that experts name: numbers, quoted code, calls.

    - If two sides were argued, the one that named more of them wins; a tie is a reject.
    - If experts argue for one side only, that side wins, unless one of them had to say that it
      has no answer, or two who cannot read each other answered the same question and named
      entirely different things.
    - It rejects if it knows nobody's side, because sides are random or names hidden.

    It cannot tell a good lie from the truth, and is not meant to. `questions` is the number of
    rounds with questions before it decides; the seed determines their order.
    """

    kind = "scripted"

    def __init__(self, questions: int = 3, seed: int = 0) -> None:
        self.questions = questions
        self.seed = seed

    def turn(self, view: View) -> Acted:
        """Make a move."""
        asked = sum(seen.own is not None for seen in view.rounds)
        heard = any(m.sender != view.agent for seen in view.rounds for m in seen.messages)
        can_ask = bool(view.rules.provers) and not view.legal.last_turn
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
    sides = {view.known_stance(prover) for prover in view.rules.provers} - {None}
    if len(sides) != 1:
        return named[1] > named[0]
    doubtful = any(is_evasion(message.text) for message in heard) or _contradicted(view)
    return (sides == {1}) != doubtful


def _contradicted(view: View) -> bool:
    """Return whether two experts who cannot read each other named entirely different things."""
    return any(
        here and there and here.isdisjoint(there)
        for named in _named_in_answers(view)
        for (one, here), (other, there) in itertools.combinations(named.items(), 2)
        if _isolated(view, one, other)
    )


def _named_in_answers(view: View) -> list[dict[str, set[str]]]:
    """Yield, for each question, the concrete things that each expert named in its answer."""
    answers: list[dict[str, set[str]]] = [{}]
    for seen in view.rounds:
        for message in seen.messages:
            if message.sender in view.rules.provers:
                found = CONCRETE.findall(message.text)
                answers[-1].setdefault(message.sender, set()).update(found)
        if seen.own is not None:
            answers.append({})
    return answers[1:]  # before the first question there are no answers


def _isolated(view: View, one: str, other: str) -> bool:
    read = view.rules.visible_channels
    return set(read(one)).isdisjoint(read(other))


class ScriptedVerifier(Player):
    """Plays by one of the strategies of :data:`~.strategies.STRATEGIES`.

    Its moves follow from its view, strategy, level and seed only. It keeps nothing between turns.
    The seed determines the order of questions, which faults are overlooked, and random verdicts.
    """

    kind = "scripted"

    def __init__(
        self, strategy_name: str = DEFAULT_STRATEGY, level: str = USUAL_LEVEL, seed: int = 0
    ) -> None:
        self.strategy, self.level, self.care = strategy(strategy_name), level, care(level)
        self.seed = seed

    def describe(self) -> dict[str, Any]:
        """Return who this is, for the transcript."""
        of_level = {"level": self.level} if self.strategy.has_levels else {}
        return {"kind": self.kind, "strategy": self.strategy.name, **of_level, "seed": self.seed}

    def turn(self, view: View) -> Acted:
        """Make a move, with its reasons for the record."""
        turns = sum(seen.own is not None for seen in view.rounds)
        heard, subject = heard_claims(view), subject_of(view.statement)
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
        thoughts.append(f"I think that it is true with a chance of {belief}%.")
        return Acted(move, {"kind": self.kind, "reasoning": "\n".join(thoughts)})

    # -- asking --------------------------------------------------------------------------------

    def _asks_on(self, view: View, heard: list[HeardClaim], evidence: Evidence, turns: int) -> bool:
        can_ask = bool(view.rules.provers) and not view.legal.last_turn
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
        twice = self.strategy.twice and len(view.rules.provers) == 1
        return questions[(turns // 2 if twice else turns) % len(questions)]

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
    strategy, level, own = record.get("strategy"), record.get("level"), record.get("seed")
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        return CountingVerifier(seed=seed)
    known = level if isinstance(level, str) and level in CARE else USUAL_LEVEL
    return ScriptedVerifier(strategy, known, own if type(own) is int else seed)
