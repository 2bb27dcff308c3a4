"""What a program returns, as experts claim it for their side.

Whoever argues that a program is correct claims what the correct program returns; whoever argues
that it is wrong, what the wrong one does. Both versions are in the library, so that nobody has to
know which of them is the one in question: an honest expert claims what that one returns, and a
liar what the other does. On an input of which nothing was prepared, a liar has nobody to agree
with, and may claim something else that might pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.players.scripted.provers.inputs import literals_in
from explorer.players.scripted.provers.inventing import plausible
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
        The expert's own: how it puts things depends on it.
    story : int
        What it does where it has to lie depends on this: its own, or that of all who sit together.
    runner : Runner
    prepared : tuple of str
        What the expert has to say anyway; it keeps to that.
    asks : tuple of str
        To which questions.
    """

    program: Program
    stance: int | None
    level: Level
    voice: Voice
    seed: int
    story: int
    runner: Runner
    prepared: tuple[str, ...]
    asks: tuple[str, ...] = ()

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
        way, claimed, choices = self._claimed(literal, own, side, self._rehearsed(arguments, side))
        if way == "evade":
            return Said(
                self._evasion(literal), "evaded", call, way, telling=True, choices=choices or 0
            )
        for kind, template in (("too long", "endless"), ("too large", "large")):
            if claimed.kind == kind:
                return self._said(call, template)
        text = self._claim(call, claimed, right)
        found = _value(own)
        telling = choices is not None
        return Said(text, "run", call, way, _value(claimed), found, telling, choices=choices or 0)

    def _claimed(
        self, literal: str, own: Outcome, side: Outcome, rehearsed: bool
    ) -> tuple[str, Outcome, int | None]:
        """What is claimed and how it came about; how many inventions there were to choose from."""
        if own == side:
            return "agrees", side, None
        if rehearsed:
            return "plan", side, None
        others = plausible(side, own)
        about = (self.story, self.program.task, literal)
        way = self.level.way(*about)
        if way == "slip":
            return way, own, len(others)
        if way == "invent" and others:
            return way, others[self.level.pick(len(others), *about)], len(others)
        return ("evade" if way == "evade" else "plan"), side, len(others)

    def _rehearsed(self, arguments: tuple[Any, ...], side: Outcome) -> bool:
        """Is an input one of those for which all of this side have the same by heart?"""
        wanted = sorted(map(repr, arguments))
        told = self._told_before(arguments)
        return (told is not None and _names(told, side)) or any(
            sorted(literal.key for literal in literals_in(ask)) == wanted for ask in self.asks
        )

    def _id_of(self, stance: int) -> str:
        return self.program.by_verdict[stance]

    def _claim(self, call: str, claimed: Outcome, right: Outcome) -> str:
        if right.kind == "raised":
            template = "odd"
        elif self.stance is None:
            template = "plain"
        elif self.stance == 1:
            template = "fine"
        else:
            template = "no_fault" if claimed == right else "fault"
        return self.voice.say(
            f"run.{template}",
            drawn("wording", self.seed, call),
            call=call,
            returns=_returns(claimed),
            wanted=_value(right),
        )

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
