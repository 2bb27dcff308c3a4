"""Experts' claims about a program's return values.

An expert who argues that a program is correct claims what the correct version returns; one who
argues that it is wrong, what the wrong version returns. Both versions are in the library, so an
expert need not know which of them is in question: an honest expert claims what that one returns,
and a liar what the other does. For an input without a prepared answer, liars have nothing to agree
on, and may claim something else that might pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.players.scripted.provers.inputs import literals_in
from explorer.players.scripted.provers.levels import Level, plausible
from explorer.players.scripted.provers.traces import TracedRun, When, listed
from explorer.players.scripted.provers.voices import Said, Voice, drawn
from explorer.players.scripted.text import sentences
from explorer.programs import Outcome, Program, Runner, TraceStep, source_of

MOMENTS = {
    "end": "at the end",
    "start": "before the loop",
    "loop": "after the loop",
    "pass": "after pass {number}",
    "line": "after line {number}",
}


@dataclass(frozen=True)
class Calls:
    """Answers questions about what a program returns."""

    program: Program
    stance: int | None
    level: Level
    voice: Voice
    # The expert's own seed, which determines its wording.
    seed: int
    # The seed of its lies, shared by all provers who sit together.
    story: int
    runner: Runner
    # Prepared texts, which the claims must agree with, and the questions that they answer.
    prepared: tuple[str, ...]
    asks: tuple[str, ...] = ()

    def answer(self, arguments: tuple[Any, ...]) -> Said | None:
        """Return the claim for an input; None if no program can be run."""
        literal = repr(arguments)
        call = f"`{self.program.function}({', '.join(map(repr, arguments))})`"
        right = self.runner.run(self.program.by_verdict[1], literal)
        own = self.runner.run(self.program.task, literal)
        if "unavailable" in (right.kind, own.kind) or "refused" in (right.kind, own.kind):
            return None
        if right.kind == "arguments":
            return self._said(
                call, "arguments", parameters=listed([f"`{p}`" for p in self.program.parameters])
            )
        side = own if self.stance is None else self.runner.run(self._id_of(self.stance), literal)
        told = self._told_before(arguments)
        # A prepared argument against a program may describe a failure of neither version.
        keeps = self.stance == 0 and (own != side or side == right)
        if told is not None and keeps and not (own != side and _names(told, side)):
            way = "plan" if own != side else "agrees"
            return Said(self.voice.reword(told), "prepared", call, way)
        way, claimed, choices = self._claimed(
            literal, own, side, rehearsed=self._rehearsed(arguments, side)
        )
        if way == "evade":
            return Said(
                self.voice.evasion(self.seed, literal),
                "evaded",
                call,
                way,
                telling=True,
                choices=choices or 0,
            )
        for kind, template in (("too long", "endless"), ("too large", "large")):
            if claimed.kind == kind:
                return self._said(call, template)
        text = self._claim(call, claimed, right)
        found = _value(own)
        telling = choices is not None
        return Said(text, "run", call, way, _value(claimed), found, telling, choices=choices or 0)

    def trace(self, arguments: tuple[Any, ...]) -> Said | None:
        """Return this side's account of the run on an input, step by step, or None."""
        story = self._story(arguments)
        if not isinstance(story, _Story):
            return story
        text = self.voice.say(
            "run.trace", 0, call=story.call, steps=story.run.told(), returns=_returns(story.claimed)
        )
        return story.said(text, story.call, _value(story.claimed), _value(story.own))

    def variable(self, name: str, when: When, arguments: tuple[Any, ...]) -> Said | None:
        """Return a variable's value at a moment of the run, in this side's account."""
        story = self._story(arguments)
        if not isinstance(story, _Story):
            return story
        moment, count = MOMENTS[when.what].format(number=when.number), story.run.count
        if when.what == "line":
            when = When("line", self._line_in(story.version, when.number))
        if when.what == "pass" and when.number > count:
            moment, when = f"after the last pass, which is number {count}", When("pass", count)
        value = story.run.value(name, when)
        if value is None:
            return self._said(story.call, "unset", name=name, moment=moment)
        found = TracedRun(story.source, story.truth).value(name, when) or "nothing"
        text = self.voice.say(
            "run.variable", 0, call=story.call, name=name, value=value, moment=moment
        )
        return story.said(text, f"`{name}` {moment} of {story.call}", f"`{value}`", f"`{found}`")

    def passes(self, arguments: tuple[Any, ...]) -> Said | None:
        """Return the number of passes of the loop on an input, in this side's account."""
        story = self._story(arguments)
        if not isinstance(story, _Story):
            return story
        count, found = story.run.count, TracedRun(story.source, story.truth).count
        text = self.voice.say("run.passes", 0, call=story.call, count=count)
        return story.said(text, f"the passes of {story.call}", str(count), str(found))

    def _story(self, arguments: tuple[Any, ...]) -> _Story | Said | None:
        """Return this side's account of a run, or an answer without one."""
        literal = repr(arguments)
        task = self.program.task
        own, truth = self.runner.trace(task, literal)
        version = task if self.stance is None else self._id_of(self.stance)
        side, steps = self.runner.trace(version, literal)
        said = self.answer(arguments)
        if not (truth and steps) or said is None or not (said.claimed or own == side):
            # A prepared answer replaces an account, and an expert who evades gives none.
            return said
        claimed = side
        if said.way == "slip":
            version, steps, claimed = task, truth, own
        elif said.way == "invent":
            _, claimed, _ = self._claimed(literal, own, side, rehearsed=False)
        replaced = None if said.way != "invent" else (side.text, claimed.text)
        run = TracedRun(source_of(version), steps, replaced)
        call = f"`{self.program.function}({', '.join(map(repr, arguments))})`"
        return _Story(call, run, claimed, own, version, source_of(task), truth)

    def _line_in(self, version: str, number: int) -> int:
        """Return a line's number in the version that is described."""
        lines = source_of(self.program.task).splitlines()
        if not 1 <= number <= len(lines):
            return number
        wanted = lines[number - 1].strip()
        told = source_of(version).splitlines()
        same = [place for place, line in enumerate(told, start=1) if line.strip() == wanted]
        return min(same, key=lambda place: abs(place - number), default=number)

    def _claimed(
        self, literal: str, own: Outcome, side: Outcome, *, rehearsed: bool
    ) -> tuple[str, Outcome, int | None]:
        """Return the claim, its origin, and the number of inventions to choose from."""
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
        """Return whether all experts of this side have the same prepared answer for an input."""
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

    def _told_before(self, arguments: tuple[Any, ...]) -> str | None:
        """Return the prepared text about an input, from the place that mentions it."""
        # Numbers alone may mean anything.
        if all(isinstance(value, int | float) for value in arguments):
            return None
        wanted = set(map(repr, arguments))
        for text in self.prepared:
            parts = sentences(text)
            for place, sentence in enumerate(parts):
                if wanted <= {literal.key for literal in literals_in(sentence)}:
                    return " ".join(parts[place : place + 3])
        return None


@dataclass(frozen=True, slots=True)
class _Story:
    """An expert's account of a run, and the claim about its result."""

    call: str
    run: TracedRun
    claimed: Outcome
    own: Outcome
    version: str
    source: str
    truth: tuple[TraceStep, ...]

    def said(self, text: str, about: str, claimed: str, found: str) -> Said:
        """Return an account of the run, which is true exactly if the claim about it is."""
        way = "agrees" if claimed == found else "plan"
        return Said(text, "run", about, way, claimed, found)


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
