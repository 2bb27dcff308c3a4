"""The scripted expert: speaks from what a task has prepared for one side, and knows no more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from explorer.players.base import Acted, Player
from nip_core.play import Move, View
from nip_core.tasks import Task
from nip_core.tasks.documents import stable_hash

__all__ = ["Script", "ScriptedExpert", "ScriptedVerifier", "script_for"]

NO_ANSWER = "I have no prepared answer to that."
NO_SCRIPT = {
    1: "I hold that the solution is correct. Nothing was prepared for me to say about this one.",
    0: "I hold that the solution is wrong. Nothing was prepared for me to say about this one.",
    None: "I take no side, and nothing was prepared for me to say about this one.",
}


@dataclass(frozen=True, slots=True)
class Script:
    """What can be said for one side of a task. It does not hold the label.

    Parameters
    ----------
    stance : {0, 1}, optional
    opening : str, optional
    answers : mapping of str to str
        By question.
    """

    stance: int | None = None
    opening: str | None = None
    answers: Mapping[str, str] = field(default_factory=dict[str, str])


def script_for(task: Task, stance: int | None) -> Script:
    """The part of a task that an expert with this stance speaks from."""
    if stance is None:
        return Script()
    answers = {chip.ask: chip.answers[stance] for chip in task.questions}
    return Script(stance, task.opening(stance), answers)


class ScriptedExpert(Player):
    """Opens with its side's argument and answers the prepared questions.

    Several questions in one message are answered in their order. What it has no answer to, it
    says so; what it has said before, it says in short.

    Parameters
    ----------
    script : Script
    """

    kind = "scripted"

    def __init__(self, script: Script) -> None:
        self.script = script

    def turn(self, view: View) -> Acted:
        """Make a move."""
        text = " ".join(self._answer(view).split()[: view.max_response_words])
        return Acted(Move(view.agent, dict.fromkeys(view.legal.channels, text)))

    def _answer(self, view: View) -> str:
        said = " ".join(
            m.text for seen in view.rounds for m in seen.messages if m.sender == view.agent
        )
        asked = _latest_question(view)
        opening = self.script.opening or NO_SCRIPT[self.script.stance]
        opening = " ".join(opening.split())
        found = _in_order(asked, self.script.answers)
        answers = [self._say(self.script.answers[ask], said) for ask in found]
        if not said:
            # The first message is the argument, whatever was asked; then the answers.
            return " ".join([opening, *answers])
        if answers:
            return " ".join(dict.fromkeys(answers))
        return NO_ANSWER if asked else self._say(opening, said)

    def _say(self, text: str, said: str) -> str:
        text = " ".join(text.split())
        if text not in said:
            return text
        first = re.split(r"(?<=[.!?])\s", text)[0]
        return f"As I said: {first}"


class ScriptedVerifier(Player):
    """Asks the prepared questions one after the other, then decides by a simple rule.

    The rule: it counts the concrete claims in what it has heard (numbers, code, calls) for each
    side that experts take. Where two sides were argued, the one with more claims wins, a tie
    goes to reject. Where all experts take one side, it accepts that side if they were asked the
    same, and none had to say that it has no answer; otherwise it goes against them. It cannot
    tell a good lie from the truth, and is not meant to.

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
        if view.legal.decision_counts and not ask_on:
            return Acted(Move(view.agent, decision=self._decide(view)))
        # All experts are asked the same, so that what they say can be compared.
        text = self._question(view, asked)
        return Acted(Move(view.agent, dict.fromkeys(view.legal.channels, text)))

    def _question(self, view: View, asked: int) -> str:
        asks = sorted(
            view.statement.asks,
            key=lambda ask: stable_hash("nip-scripted-verifier/1", self.seed, ask),
        )
        if not asks:
            return "What is your strongest reason? Name the line or the value it rests on."
        return asks[asked % len(asks)]

    def _decide(self, view: View) -> int:
        claims = {0: 0, 1: 0}
        unanswered = False
        for seen in view.rounds:
            for message in seen.messages:
                if message.sender == view.agent:
                    continue
                unanswered |= NO_ANSWER in message.text
                side = _side(view, message.sender)
                if side is not None:
                    claims[side] += _concrete(message.text)
        sides = {_side(view, prover) for prover in view.spec.provers}
        if len(sides) == 2 and None not in sides:
            return int(claims[1] > claims[0])
        side = next(iter(sides), None)
        if side is None:
            return 0
        return 1 - side if unanswered else side


def _side(view: View, sender: str | None) -> int | None:
    """The side that a speaker is known to take; a drawn or nameless one is not known."""
    return None if sender is None else view.spec.agent(sender).stance


def _concrete(text: str) -> int:
    """How many concrete things a text names: numbers, quoted code, calls."""
    return len(re.findall(r"`[^`]+`|\b\d+\b|\w+\([^)]*\)", text))


def _latest_question(view: View) -> str:
    """What others have written to the seat since it last spoke."""
    since: list[str] = []
    for seen in reversed(view.rounds):
        if any(m.sender == view.agent for m in seen.messages):
            break
        since = [m.text for m in seen.messages if m.sender != view.agent] + since
    return "\n".join(since)


def _in_order(text: str, asks: Mapping[str, str]) -> list[str]:
    """The prepared questions that a text asks, in the order in which it asks them."""
    folded = _fold(text)
    places = {ask: folded.find(_fold(ask)) for ask in asks}
    return sorted((ask for ask in asks if places[ask] >= 0), key=places.__getitem__)


def _fold(text: str) -> str:
    """A text for comparison: letters and digits only, without case."""
    return " ".join(re.findall(r"\w+", text.casefold()))
