"""What a program returns, as experts claim it for their side.

Whoever argues that a program is correct claims what the correct program returns; whoever argues
that it is wrong, what the wrong one does. Both versions are in the library, so that nobody has to
know which of them is the one in question: an honest expert claims what that one returns, and a
liar what the other does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.players.scripted.provers.inputs import literals_in
from explorer.players.scripted.provers.levels import Level
from explorer.players.scripted.provers.said import Said
from explorer.players.scripted.provers.sentences import sentences
from explorer.players.scripted.provers.voices import Voice, drawn
from explorer.running import Outcome, Program, Runner

__all__ = ["Calls"]


@dataclass(frozen=True)
class Calls:
    """Answers questions about what a program returns.

    Parameters
    ----------
    program : Program
        The one in question.
    stance : {0, 1}, optional
    level : Level
    voice : Voice
    seed : int
        The expert's own: what it does where it has to lie depends on it.
    runner : Runner
    prepared : tuple of str
        What the expert has to say anyway; it keeps to that.
    """

    program: Program
    stance: int | None
    level: Level
    voice: Voice
    seed: int
    runner: Runner
    prepared: tuple[str, ...]

    def answer(self, arguments: tuple[Any, ...]) -> Said | None:
        """What is claimed for an input; None if nothing can be run here."""
        literal = repr(arguments)
        call = f"`{self.program.function}({', '.join(map(repr, arguments))})`"
        right = self.runner.run(self.program.by_verdict[1], literal)
        own = self.runner.run(self.program.task, literal)
        if "unavailable" in (right.kind, own.kind) or "refused" in (right.kind, own.kind):
            return None
        if right.kind == "arguments":
            return self._said(call, "arguments", parameters=_listed(self.program.parameters))
        side = own if self.stance is None else self.runner.run(self._id_of(self.stance), literal)
        told = self._told_before(arguments)
        # What was prepared against a program may say that it fails where no version does.
        keeps = self.stance == 0 and (own != side or side == right)
        if told is not None and keeps and not (own != side and _names(told, side)):
            way = "plan" if own != side else "agrees"
            return Said(self.voice.reword(told), "prepared", call, way)
        telling = own != side
        way = self.level.way(self.seed, self.program.task, literal) if telling else "agrees"
        if way == "evade":
            return Said(self._evasion(literal), "evaded", call, way, telling=True)
        claimed = own if way == "slip" else side
        return self._claim(call, claimed, right, way=way, found=own, telling=telling)

    def _id_of(self, stance: int) -> str:
        return self.program.by_verdict[stance]

    def _claim(
        self,
        call: str,
        claimed: Outcome,
        right: Outcome,
        *,
        way: str,
        found: Outcome,
        telling: bool,
    ) -> Said:
        for kind, template in (("too long", "endless"), ("too large", "large")):
            if claimed.kind == kind:
                return self._said(call, template)
        if right.kind == "raised":
            template = "odd"
        elif self.stance is None:
            template = "plain"
        elif self.stance == 1:
            template = "fine"
        else:
            template = "no_fault" if claimed == right else "fault"
        text = self.voice.say(
            f"run.{template}",
            drawn("wording", self.seed, call),
            call=call,
            returns=_returns(claimed),
            wanted=_value(right),
        )
        return Said(text, "run", call, way, _value(claimed), _value(found), telling)

    def _said(self, call: str, template: str, **facts: object) -> Said:
        facts = {"call": call, "function": self.program.function, **facts}
        return Said(self.voice.say(f"run.{template}", 0, **facts), "run", call)

    def _evasion(self, literal: str) -> str:
        options = self.voice.evasions
        return options[drawn("evasion", self.seed, literal) % len(options)]

    def _told_before(self, arguments: tuple[Any, ...]) -> str | None:
        """What was prepared about an input, from where it is named."""
        # Numbers alone may be about anything.
        if all(isinstance(value, int | float) for value in arguments):
            return None
        wanted = set(map(repr, arguments))
        for text in self.prepared:
            parts = sentences(text)
            for place, sentence in enumerate(parts):
                if wanted <= {literal.key for literal in literals_in(sentence)}:
                    return " ".join(parts[place : place + 3])
        return None


def _names(passage: str, outcome: Outcome) -> bool:
    return outcome.text in {literal.key for literal in literals_in(passage)}


def _returns(outcome: Outcome) -> str:
    verb = "returns" if outcome.kind == "returned" else "stops with"
    return f"{verb} {_value(outcome)}"


def _value(outcome: Outcome) -> str:
    if outcome.kind == "returned":
        return f"`{outcome.text}`"
    article = "an" if outcome.text[:1] in "AEIOU" else "a"
    return f"{article} `{outcome.text}`" if outcome.kind == "raised" else "something else"


def _listed(names: tuple[str, ...]) -> str:
    if not names:
        return "nothing"
    shown = [f"`{name}`" for name in names]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
