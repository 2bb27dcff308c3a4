"""A prover's account of a program, computed from the version that it describes.

A prover that argues that a program is correct describes the right version, and one that argues that
it is wrong, the wrong version. Both are in the library, so a prover need not know which is on the
table: for an honest one it is this version, and nothing it says is false; a liar's is the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from explorer.players.scripted.code import Arguments, Code
from explorer.players.scripted.inputs import literals_in
from explorer.players.scripted.levels import Level, plausible
from explorer.players.scripted.runs import listed, returns_in_words, value_in_words
from explorer.players.scripted.slots import Asked, is_usual
from explorer.players.scripted.text import sentences
from explorer.players.scripted.voices import Said, Voice, drawn
from explorer.programs import Outcome, source_of

# The most inputs that are tried for what holds of many.
MOST_TRIED = 60


@dataclass(frozen=True)
class Account:
    """One prover's account of a program: a case, a stance, and so a story."""

    code: Code
    stance: int | None
    level: Level
    voice: Voice
    # The seed of its wording, and that of its lies, which provers share who sit together.
    seed: int
    story: int
    opening: str
    answers: dict[str, str]
    # How many questions it has turned aside, and what it has said.
    asides: int = 0
    said: tuple[str, ...] = ()
    before: Arguments | None = None
    # The number of the turn, the same for all who answer in it.
    turn: int = 0

    @property
    def source(self) -> str:
        """The program on the table."""
        return source_of(self.code.program.task)

    @property
    def version(self) -> str:
        """The id of the version that it describes."""
        program = self.code.program
        return program.task if self.stance is None else program.by_verdict[self.stance]

    @cached_property
    def tried(self) -> tuple[Arguments, ...]:
        """The inputs of the problem and their neighbours, without those that nothing is said of."""
        found: dict[str, Arguments] = {}
        for arguments in self.code.inputs:
            for each in (arguments, *self.code.near(arguments)):
                if self.code.right(each).kind == "returned":
                    found.setdefault(repr(each), each)
        return tuple(found.values())[:MOST_TRIED]

    @cached_property
    def shown(self) -> Arguments:
        """The input of which it speaks if none is named: unusual if possible, and without a lie."""
        unusual = [each for each in self.code.inputs if repr(each) in self.code.unusual]
        tried = (*unusual, *self.code.inputs)
        return next((each for each in tried if self.same(each)), self.code.program.example)

    def fails(self, arguments: Arguments) -> bool:
        """Return whether, by its account, the program is wrong on an input."""
        return self.code.outcome(arguments, self.version) != self.code.right(arguments)

    def same(self, arguments: Arguments) -> bool:
        """Return whether it need not lie about an input."""
        return self.code.outcome(arguments) == self.code.outcome(arguments, self.version)

    # -- what it returns -----------------------------------------------------------------------

    def call(self, arguments: Arguments) -> Said:
        """Return the claim for an input."""
        code, call = self.code, f"`{self.code.call(arguments)}`"
        own, right = code.outcome(arguments), code.right(arguments)
        if "unavailable" in (own.kind, right.kind) or "refused" in (own.kind, right.kind):
            return self.plain("run.large", call, call=call)
        if right.kind == "arguments" or not is_usual(arguments, code):
            names = listed([f"`{p}`" for p in code.program.parameters])
            return self.plain(
                "run.arguments", call, function=code.program.function, parameters=names
            )
        side = code.outcome(arguments, self.version)
        way, claimed, choices = self._claimed(arguments, own, side)
        if way == "aside":
            return self._turned(arguments)
        for kind, template in (("too long", "endless"), ("too large", "large")):
            if claimed.kind == kind:
                return self.plain(f"run.{template}", call, call=call)
        wanted = self._wanted(way, own, side, right, claimed)
        odd = right.kind == "raised" or not code.promises(arguments)
        text = self._worded(call, claimed, wanted, odd=odd)
        found, telling = value_in_words(own), choices is not None
        claim = value_in_words(claimed)
        return Said(text, "run", call, way, claim, found, telling, choices=choices or 0)

    def _claimed(
        self, arguments: Arguments, own: Outcome, side: Outcome
    ) -> tuple[str, Outcome, int | None]:
        """Return the way of lying, the claim, and the number of inventions to choose from."""
        if own == side:
            return "agrees", side, None
        if self._rehearsed(arguments):
            return "plan", side, None
        others = plausible(side, own)
        # Not beside its argument, where it would be taken for the answer.
        turns = bool(self.said) and self.asides < self.level.aside
        if turns and self._harmless(arguments) is not None:
            return "aside", side, len(others)
        about = (self.story, self.code.program.task, repr(arguments))
        way = self.level.way(*about)
        if way in ("slip", "concede"):
            return way, own, len(others)
        if way == "invent" and others:
            # Whoever makes things up does not remember them.
            return way, others[self.level.pick(len(others), *about, self.turn)], len(others)
        return "plan", side, len(others)

    def _wanted(
        self, way: str, own: Outcome, side: Outcome, right: Outcome, claimed: Outcome
    ) -> Outcome:
        """Return what it says would be right."""
        if way == "concede":
            # What a program returns can be run; what is right, one has to work out.
            return own if self.stance == 1 else side
        if way == "slip":
            return right
        return claimed if self.stance == 1 else right

    def _worded(self, call: str, claimed: Outcome, wanted: Outcome, *, odd: bool) -> str:
        if odd:
            template = "odd"
        elif self.stance is None:
            template = "plain"
        elif claimed == wanted:
            template = "fine" if self.stance == 1 else "no_fault"
        else:
            template = "fault"
        return self.voice.say(
            f"run.{template}",
            drawn("wording", self.seed, call),
            call=call,
            returns=returns_in_words(claimed),
            wanted=value_in_words(wanted),
        )

    def _rehearsed(self, arguments: Arguments) -> bool:
        """Return whether the opening argument speaks of an input, and so binds its answer."""
        if all(isinstance(value, int | float) for value in arguments):
            return False
        wanted = {repr(value) for value in arguments}
        return any(
            wanted <= {literal.key for literal in literals_in(part)}
            for part in sentences(self.opening)
        )

    def _harmless(self, arguments: Arguments) -> Arguments | None:
        """Return an input of the problem on which it need not lie."""
        program, told = self.code.program, " ".join(self.said)
        for other in self.code.inputs:
            if self.same(other) and other != arguments and self.code.call(other) not in told:
                return other if len(other) == len(program.parameters) else None
        return None

    def _turned(self, arguments: Arguments) -> Said:
        """Return an answer about an input on which it need not lie."""
        other = self._harmless(arguments)
        assert other is not None
        text = self.voice.say("run.aside", claim=self.call(other).text)
        return Said(text, "aside", f"`{self.code.call(arguments)}`")

    # -- the argument ---------------------------------------------------------------------------

    @property
    def reason(self) -> str:
        """The part of its argument that can be checked, in its words."""
        return self.voice.words_for(concrete(self.opening))

    def example(self, asked: Asked) -> Said:
        """Return what comes out for an input that serves its side."""
        fault = self.stance == 0 and not re.search(
            r"goes right|works?\b|correct|\bright\b", asked.text, re.IGNORECASE
        )
        told = " ".join(self.said)
        known = [each for each in self.tried if self.fails(each) == fault]
        if not fault:
            known.sort(key=lambda each: repr(each) not in self.code.unusual)
        new = [each for each in known if self.code.call(each) not in told] or known
        if not new:
            return self.plain("general.never", "an example", count=len(self.tried))
        said = self.call(new[0])
        if self.stance == 1 and re.search(
            r"fail|wrong|break|counter|differ|false|\bbug|overlook|mistake", asked.text, re.I
        ):
            text = self.voice.say("general.no_fault", claim=said.text)
            return replace(said, text=text)
        return said

    def side(self) -> Said:
        """Return its verdict, and on what it rests."""
        if self.stance is None:
            return self.plain("general.side", "the verdict")
        text = self.voice.say(f"general.side_{self.stance}", passage=self.reason).strip()
        return Said(text, "prepared", "the verdict")

    def plain(self, template: str, about: str, **facts: object) -> Said:
        """Return a sentence of its voice that makes no claim about one result."""
        text = self.voice.say(template, drawn("wording", self.seed, about), **facts)
        return Said(text, "run", about)

    @property
    def example_call(self) -> str:
        """The call of the question's example."""
        return f"`{self.code.call(self.code.program.example)}`"


def concrete(argument: str) -> str:
    """Return the part of an argument that can be checked, which begins at an input or code."""
    parts = sentences(argument)
    for place, sentence in enumerate(parts):
        told = any(not isinstance(found.value, int | float) for found in literals_in(sentence))
        if told or "`" in sentence:
            return " ".join(parts[place : place + 2])
    # Arguments end with their most concrete sentences.
    return " ".join(parts[-2:])
