"""A prover's answers to what was asked of a program, computed from the version that it describes.

A prover that argues that a program is correct describes the right version, and one that argues that
it is wrong, the wrong version. Both are in the library, so a prover need not know which is on the
table: for an honest one it is this version, and nothing it says is false; a liar's is the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from explorer.players.scripted.code import Arguments, Code
from explorer.players.scripted.inputs import literals_in
from explorer.players.scripted.levels import Level, plausible
from explorer.players.scripted.nearness import nearest_sentence
from explorer.players.scripted.prose import filled
from explorer.players.scripted.questions import Asked, chip, is_foreign, is_usual
from explorer.players.scripted.runs import TracedRun, When, line_of, listed, names_in
from explorer.players.scripted.text import sentences
from explorer.players.scripted.voices import Said, Voice, drawn
from explorer.programs import Outcome, TraceStep, runner, source_of

MOMENTS = {
    "end": "at the end",
    "start": "before the loop",
    "loop": "after the loop",
    "pass": "after pass {number}",
    "line": "after line {number}",
}
# The most lines of a program that one message explains, and inputs that are tried for a property.
MOST_LINES, MOST_TRIED, MOST_TRACED = 7, 60, 20
LENGTHS = (16, 32, 64)
# Words for results, and the results.
RESULTS = {
    r"none\b|nothing": "None",
    r"negative|below zero": "-.*",
    "empty": r"\[\]|''|\{\}|\(\)",
    r"zero\b": "0",
}


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

    def answer(self, asked: Asked) -> Iterator[Said]:
        """Yield the parts of the answer to a question."""
        match asked.intent:
            case "prepared" if asked.arguments is None:
                text = self.voice.reword(self.answers[asked.prepared])
                yield Said(text, "prepared", asked.prepared)
            case "call" | "prepared":
                given = asked.arguments
                yield self.call(self.code.program.example if given is None else given)
            case "trace" | "passes" | "variable":
                yield self._of_run(asked)
            case "unclear":
                yield self._ask_back(asked)
            case _:
                yield getattr(self, f"_{asked.intent}")(asked)

    # -- what it returns -----------------------------------------------------------------------

    def call(self, arguments: Arguments) -> Said:
        """Return the claim for an input."""
        code, call = self.code, f"`{self.code.call(arguments)}`"
        own, right = code.outcome(arguments), code.right(arguments)
        if "unavailable" in (own.kind, right.kind) or "refused" in (own.kind, right.kind):
            return self._plain("run.large", call, call=call)
        if right.kind == "arguments" or not is_usual(arguments, code):
            names = listed([f"`{p}`" for p in code.program.parameters])
            return self._plain(
                "run.arguments", call, function=code.program.function, parameters=names
            )
        side = code.outcome(arguments, self.version)
        way, claimed, choices = self._claimed(arguments, own, side)
        if way == "aside":
            return self._turned(arguments)
        for kind, template in (("too long", "endless"), ("too large", "large")):
            if claimed.kind == kind:
                return self._plain(f"run.{template}", call, call=call)
        wanted = self._wanted(way, own, side, right, claimed)
        odd = right.kind == "raised" or not code.promises(arguments)
        text = self._worded(call, claimed, wanted, odd=odd)
        found, telling = _value(own), choices is not None
        return Said(text, "run", call, way, _value(claimed), found, telling, choices=choices or 0)

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
            returns=_returns(claimed),
            wanted=_value(wanted),
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
            same = self.code.outcome(other) == self.code.outcome(other, self.version)
            if same and other != arguments and self.code.call(other) not in told:
                return other if len(other) == len(program.parameters) else None
        return None

    def _turned(self, arguments: Arguments) -> Said:
        """Return an answer about an input on which it need not lie."""
        other = self._harmless(arguments)
        assert other is not None
        text = self.voice.say("run.aside", claim=self.call(other).text)
        return Said(text, "aside", f"`{self.code.call(arguments)}`")

    # -- the run -------------------------------------------------------------------------------

    def _of_run(self, asked: Asked) -> Said:
        named = [each for each in (asked.arguments, self.before) if each is not None]
        given = (named or [self.code.program.example])[0]
        said = self.call(given)
        told = self._told(given, said)
        if told is None:
            return said
        call, source = f"`{self.code.call(given)}`", self.source
        claimed, found = _value(told.claimed), _value(told.own)
        about = call
        match asked.intent:
            case "trace":
                if not told.run.told():
                    return said
                key, facts = "trace", {"steps": told.run.told(), "returns": _returns(told.claimed)}
            case "passes" if told.run.loops == 0:
                return self._plain("run.no_loop", call, call=call)
            case "passes":
                really = TracedRun(source, told.truth).count
                key, facts = "passes", {"count": told.run.count}
                about, claimed, found = f"the passes of {call}", str(told.run.count), str(really)
            case _:
                return self._variable(asked, told, call)
        text = self.voice.say(f"run.{key}", 0, call=call, **facts)
        return told.said(text, about, claimed, found)

    def _variable(self, asked: Asked, told: _Told, call: str) -> Said:
        name, when = asked.name or self.code.program.parameters[0], asked.when or When("end")
        count = told.run.count
        moment = MOMENTS[when.what].format(number=when.number)
        if when.what == "line":
            when = When("line", self._line_in(told.version, when.number))
        if when.what == "pass" and when.number > count:
            moment, when = f"after the last pass, which is number {count}", When("pass", count)
        value = told.run.value(name, when)
        if value is None:
            return self._plain("run.unset", call, call=call, name=name, moment=moment)
        found = TracedRun(self.source, told.truth).value(name, when) or "nothing"
        text = self.voice.say("run.variable", call=call, name=name, value=value, moment=moment)
        return told.said(text, f"`{name}` {moment} of {call}", f"`{value}`", f"`{found}`")

    def _told(self, arguments: Arguments, said: Said) -> _Told | None:
        """Return the run that it describes for an input; None if it cannot or will not."""
        if not said.claimed:
            return None
        literal, task = repr(arguments), self.code.program.task
        own, truth = runner().trace(task, literal)
        version = task if said.way in ("slip", "concede") else self.version
        side, steps = runner().trace(version, literal)
        if not (truth and steps):
            return None
        replaced, claimed = None, side
        if said.way == "invent":
            claimed = Outcome("returned", said.claimed.strip("`"))
            replaced = (side.text, claimed.text)
        return _Told(TracedRun(source_of(version), steps, replaced), claimed, own, version, truth)

    def _line_in(self, version: str, number: int) -> int:
        """Return a line's number in the version that is described."""
        lines = self.source.splitlines()
        if not 1 <= number <= len(lines):
            return number
        wanted = lines[number - 1].strip()
        told = source_of(version).splitlines()
        same = [place for place, line in enumerate(told, start=1) if line.strip() == wanted]
        return min(same, key=lambda place: abs(place - number), default=number)

    # -- the program ---------------------------------------------------------------------------

    def _line(self, asked: Asked) -> Said:
        number = asked.line or self._line_of(asked)
        if number is None and asked.name:
            return self._meaning(asked.name)
        if number is None:
            return self._plain("line.which", "a line", last=len(self.source.splitlines()))
        line = line_of(self.source, number)
        if not 1 <= number <= line.last:
            return self._plain("line.beyond", f"line {number}", number=number, last=line.last)
        if not line.source:
            return self._plain("line.empty", f"line {number}", number=number)
        what = " ".join(filter(None, (line.what, *asked.means)))
        text = self.voice.say("line.known", number, number=number, source=line.source, what=what)
        return Said(text.strip(), "line", f"line {number}")

    def _line_of(self, asked: Asked) -> int | None:
        """Return the line that a question means by a word such as "the last return"."""
        found = re.search(
            r"\b(last|inner|first|outer)?\s*(elif|if|else|for|while|loop|return|condition)\b",
            asked.text,
            re.IGNORECASE,
        )
        if found is None or asked.name:
            return None
        word = found[2].lower()
        begins = {"loop": r"(?:for|while)\b", "condition": r"(?:if|elif|while)\b"}
        pattern = re.compile(rf"\s*{begins.get(word, word)}")
        numbers = [n for n, line in enumerate(self.source.splitlines(), 1) if pattern.match(line)]
        last = (found[1] or "").lower() in ("last", "inner")
        return (numbers[-1] if last else numbers[0]) if numbers else None

    def _meaning(self, name: str) -> Said:
        lines = [line_of(self.source, n) for n in names_in(self.source).get(name, ())]
        told = "; ".join(f"line {line.number}, `{line.source}`" for line in lines)
        text = self.voice.say("run.meaning", 1 if lines else 0, name=name, lines=told)
        return Said(text, "line", f"`{name}`")

    def _keyline(self, asked: Asked) -> Said:
        del asked
        right, wrong = (source_of(self.code.version(s)).splitlines() for s in (1, 0))
        pairs = enumerate(zip(right, wrong, strict=False), start=1)
        number = next((n for n, (one, other) in pairs if one != other), 1)
        line = line_of(self.source, number)
        text = self.voice.say("line.key", number=number, source=line.source, passage=self.reason)
        return Said(text, "prepared", f"line {number}")

    def _about(self, asked: Asked) -> Said:
        del asked
        lines = [line_of(self.source, n + 1) for n in range(len(self.source.splitlines()))]
        told = [
            f"Line {line.number}: {line.what[0].lower()}{line.what[1:]}"
            for line in lines
            if line.what and not line.what.startswith(("It begins", "It describes", "That is a"))
        ]
        return self._plain("general.how", "what it does", lines=" ".join(told[:MOST_LINES]))

    def _change(self, asked: Asked) -> Said:
        change = asked.change
        if change is None or self.stance is None:
            if re.search(r"fix|repair|improv|correct|re-?writ|should", asked.text, re.IGNORECASE):
                return self._nothing() if self.stance == 1 else self._keyline(asked)
            return self._plain("general.cannot", "a change")
        tried = [*([asked.arguments] if asked.arguments else []), *self.code.inputs]
        words = {
            "without": "Without line {1}",
            "operator": "With `{2}` for `{1}`",
            "start": "With `{1} = {2}` at first",
            "assign": "With `{2} = {3}` on line {1}",
            "number": "With `{2}` for `{1}`",
        }[change[0]].format(*change)
        for arguments in tried:
            new = runner().changed(self.version, repr(arguments), self._change_in(change))
            if new.kind == "refused":
                return self._plain("general.cannot", "a change")
            old = self.code.outcome(arguments, self.version)
            # A liar's story must not show where it differs from the table.
            if new != old and old == self.code.outcome(arguments):
                call = f"`{self.code.call(arguments)}`"
                facts = {"what": words, "call": call, "new": _returns(new), "old": _returns(old)}
                return self._plain("general.changes", words, **facts)
        return self._plain("general.unchanged", words, what=words, count=len(tried))

    def _change_in(self, change: tuple[Any, ...]) -> tuple[Any, ...]:
        if change[0] not in ("without", "assign"):
            return change
        return (change[0], self._line_in(self.version, change[1]), *change[2:])

    # -- what holds of many inputs -------------------------------------------------------------

    @cached_property
    def tried(self) -> tuple[Arguments, ...]:
        """The inputs of the problem and their neighbours, without those that nothing is said of."""
        found: dict[str, Arguments] = {}
        for arguments in self.code.inputs:
            for each in (arguments, *self.code.near(arguments)):
                if self.code.right(each).kind == "returned":
                    found.setdefault(repr(each), each)
        return tuple(found.values())[:MOST_TRIED]

    def _within(self, asked: Asked) -> Said:
        """Return where it is wrong among the inputs with some values, or that it is not there."""
        given, code = dict(asked.given), self.code
        made = {repr(e): e for e in (filled(given, each, code) for each in self.tried)}
        tried = [each for each in made.values() if code.right(each).kind == "returned"]
        wrong = [e for e in tried if code.outcome(e, self.version) != code.right(e)]
        said = self.call((wrong or tried)[0]) if tried else None
        if said is None:
            return self._plain("general.cannot", "a change")
        told = said.text if wrong else self.voice.say("general.never_wrong", count=len(tried))
        words = " and ".join(f"`{name}` = `{value!r}`" for name, value in given.items())
        text = self.voice.say("general.within", given=words, told=told)
        return replace(said, text=text) if wrong else Said(text, "run", words)

    def _first(self, test: Callable[[Outcome], bool]) -> Arguments | None:
        """Return the first input that was tried for which something holds in its account."""
        outcomes = ((each, self.code.outcome(each, self.version)) for each in self.tried)
        return next((each for each, outcome in outcomes if test(outcome)), None)

    def _property(self, asked: Asked) -> Said:
        text, count = asked.text.lower(), len(self.tried)
        if re.search(r"mutat|modif|side effect|change (?:its|the)|original|untouched", text):
            counted = [runner().counted(self.version, repr(each)) for each in self.code.inputs]
            changes = any(each is not None and each[1] for each in counted)
            key = "general.mutates" if changes else "general.keeps"
            return self._plain(key, "its input", count=len(counted))
        if re.search(
            r"terminat|halt|infinite|forever|endless|\bstops?\b|\bends?\b|\bhangs?\b|stuck", text
        ):
            return self._plain("general.ends", "its end", count=count)
        if re.search(r"\border\b|shuffl", text) and (said := self._of_order()) is not None:
            return said
        if re.search(r"\btoo (?:big|large|small|high|low|much|little|many|few)\b", text):
            return self._of_size()
        if re.search(r"\btype|kind of value", text):
            values = {self.code.outcome(each, self.version).text for each in self.code.inputs}
            kinds = sorted({_kind(value) for value in values})
            return self._plain("general.types", "the type", kinds=listed(kinds), count=count)
        if (wanted := _wanted_in(asked)) is not None:
            return self._holds(self._first(lambda o: re.fullmatch(wanted, o.text) is not None))
        return self._ask_back(asked, ("call", "example", "tested"))

    def _of_order(self) -> Said | None:
        """Return whether the order of a list makes a difference; None without a list."""
        tried = 0
        for given in self.tried:
            for place, value in enumerate(given):
                if value.__class__ is list and len(value) > 1:
                    other = (*given[:place], value[::-1], *given[place + 1 :])
                    if self.code.right(other).kind != "returned":
                        continue
                    tried += 1
                    if self.code.outcome(given, self.version) != self.code.outcome(
                        other, self.version
                    ):
                        said, after = self.call(given), self.call(other)
                        text = f"{said.text} {after.text}"
                        return replace(said, text=self.voice.say("general.once", claim=text))
        return self._plain("general.order", "the order", count=tried) if tried else None

    def _of_size(self) -> Said:
        """Return on how many inputs the result is too large, or too small."""
        more = less = 0
        for given in self.tried:
            own, right = self.code.outcome(given, self.version), self.code.right(given)
            pair = [float(each.text) for each in (own, right) if re.fullmatch(r"-?\d+", each.text)]
            more += len(pair) == 2 and pair[0] > pair[1]
            less += len(pair) == 2 and pair[0] < pair[1]
        return self._plain("general.size", "its size", count=len(self.tried), more=more, less=less)

    def _ever(self, asked: Asked) -> Said:
        """Return whether a variable ever has a value of some sort."""
        wanted = _wanted_in(asked)
        if wanted is None:
            return self._ask_back(asked, ("variable", "trace", "property"))
        seen = False
        for number, given in enumerate(self.tried[:MOST_TRACED]):
            _, steps = runner().trace(self.version, repr(given))
            values = [text for step in steps for name, text in step.changes if name == asked.name]
            seen = seen or bool(values)
            value = next((text for text in values if re.fullmatch(wanted, text)), None)
            same = self.code.outcome(given) == self.code.outcome(given, self.version)
            if value is not None and (same or number == 0):
                call = f"`{self.code.call(given)}`"
                facts = {"call": call, "name": asked.name, "value": value}
                claim = self.voice.say("run.variable", 0, moment="at some point", **facts)
                return self._plain("general.once", f"`{asked.name}`", claim=claim)
        if not seen:
            # A variable of a function inside, whose runs are not recorded.
            return self._ask_back(asked, ("call", "trace", "property"))
        tried = min(MOST_TRACED, len(self.tried))
        return self._plain("general.never", f"`{asked.name}`", count=tried)

    def _holds(self, found: Arguments | None) -> Said:
        """Return that something holds on an input, or on none that was tried."""
        if found is None:
            return self._plain("general.never", "all inputs", count=len(self.tried))
        said = self.call(found)
        return replace(said, text=self.voice.say("general.once", claim=said.text))

    def _crash(self, asked: Asked) -> Said:
        del asked
        return self._holds(self._first(lambda outcome: outcome.kind == "raised"))

    def _tested(self, asked: Asked) -> Said:
        del asked
        unusual = [e for e in self.code.inputs if repr(e) in self.code.unusual]
        same = [e for e in unusual if self.code.outcome(e) == self.code.outcome(e, self.version)]
        shown = (same or [*self.code.inputs])[:2]
        claims = " ".join(self.call(each).text for each in shown)
        return self._plain("general.tested", "tests", count=len(self.code.inputs), claims=claims)

    def _complexity(self, asked: Asked) -> Said:
        del asked
        example = self.code.program.example
        rows = [n for n, value in enumerate(example) if isinstance(value, list | str) and value]
        points: list[tuple[int, int]] = []
        for length in LENGTHS if rows else ():
            given = tuple(
                (value * (length // len(value) + 1))[:length] if place in rows else value
                for place, value in enumerate(example)
            )
            counted = runner().counted(self.version, repr(given))
            points += [] if counted is None else [(length, counted[0])]
        if len(points) < len(LENGTHS):
            counted = runner().counted(self.version, repr(example))
            steps = counted[0] if counted else 0
            call = f"`{self.code.call(example)}`"
            return self._plain("general.steps", "its steps", call=call, count=steps)
        near, far = (points[n + 1][1] - points[n][1] for n in (0, 1))
        ratio = far / near if near else 1
        grows = (
            "not at all"
            if not near
            else "by as much each time that the length doubles"
            if ratio < 1.4
            else "in proportion to the length"
            if ratio < 2.6
            else "like the square of the length"
            if ratio < 5
            else "faster than the square of the length"
        )
        told = ", ".join(f"{n} entries, {count} lines" for n, count in points)
        return self._plain("general.growth", "its steps", points=told, grows=grows)

    # -- the argument --------------------------------------------------------------------------

    @property
    def reason(self) -> str:
        """The part of its argument that can be checked, in its words."""
        return self.voice.words_for(concrete(self.opening))

    def _example(self, asked: Asked) -> Said:
        wants_fault = re.search(
            r"fail|wrong|break|counter|differ|false|\bbug|overlook|mistake", asked.text, re.I
        )
        if wants_fault and self.stance == 1:
            return self._nothing()
        fault = self.stance == 0 and not re.search(
            r"goes right|works?\b|correct|\bright\b", asked.text, re.I
        )
        told = " ".join(self.said)
        known = [
            each
            for each in self.tried
            if (self.code.outcome(each, self.version) != self.code.right(each)) == fault
        ]
        new = [each for each in known if self.code.call(each) not in told] or known
        if not new:
            return self._plain("general.never", "an example", count=len(self.tried))
        return self.call(new[0])

    def _nothing(self) -> Said:
        return Said(self.voice.say("general.no_fault"), "prepared", "the argument")

    def _agree(self, asked: Asked) -> Said:
        del asked
        if self.stance is None:
            return self._plain("general.side", "the verdict")
        text = self.voice.say(f"general.side_{self.stance}", passage=self.reason).strip()
        return Said(text, "prepared", "the verdict")

    def _certain(self, asked: Asked) -> Said:
        tried = self.code.inputs
        bad = sum(self.code.outcome(e, self.version) != self.code.right(e) for e in tried)
        scale = re.search(r"\b(?:to|of) (10|ten|100|5|five)\b", asked.text, re.IGNORECASE)
        sure = f"{scale[1]} of {scale[1]}" if scale else "Very sure"
        return self._plain("general.sure", "how sure", sure=sure, count=len(tried), bad=bad)

    def _evidence(self, asked: Asked) -> Said:
        if self.before is not None and re.match(
            r"\W*(?:why|how so|how come)\W*$", asked.text, re.I
        ):
            # The reason for a value is its computation.
            told = self._of_run(replace(asked, intent="trace"))
            if told.text not in self.said:
                return told
        if any(self.reason in each for each in self.said):
            # The argument is known; another input says more than a repetition.
            said = self._example(replace(asked, text=""))
            return replace(said, text=self.voice.say("general.reason", passage=said.text))
        text = self.voice.say("general.reason", passage=self.reason)
        return Said(text, "prepared", "the argument", short=self.reason)

    def _refute(self, asked: Asked) -> Said:
        """Return a claim by which it can be found out: about an input that tells."""
        del asked
        right, wrong = self.code.version(1), self.code.version(0)
        tell = [
            e
            for e in self.code.inputs
            if self.code.outcome(e, right) != self.code.outcome(e, wrong)
        ]
        said = self.call((tell or [self.code.program.example])[0])
        return replace(said, text=self.voice.say("general.refute", claim=said.text))

    def _other(self, asked: Asked) -> Said:
        side = self._agree(asked).text
        return self._plain("general.other", "the other prover", side=side)

    def _meta(self, asked: Asked) -> Said:
        del asked
        return self._plain("general.meta", "the game", call=self._example_call)

    def _hello(self, asked: Asked) -> Said:
        del asked
        return self._plain("general.hello", "hello", call=self._example_call)

    def _recap(self, asked: Asked) -> Said:
        claim = self.call(self.before) if self.before is not None else self._agree(asked)
        own = {f.key for each in self.said for f in literals_in(each.replace("`", " "))}
        says = re.search(r"\byou (?:\w+ )?(?:said|told|claim\w*|wrote|answered)", asked.text, re.I)
        quoted = literals_in(asked.text[says.end() :])[:1] if says is not None else []
        if quoted and quoted[0].key not in own:
            text = self.voice.say(
                "general.never_said", value=f"`{quoted[0].key}`", claim=claim.text
            )
        else:
            text = self.voice.say("general.stands", claim=claim.text)
        return replace(claim, text=text)

    def _ask_back(self, asked: Asked, intents: Sequence[str] = ()) -> Said:
        """Offer three filled questions instead of a guess."""
        if is_foreign(asked.text):
            return Said(self.voice.say("general.english"), "asks back", "the language")
        meant = asked.other or tuple(replace(asked, intent=name) for name in intents)
        before = self.before
        if before is not None and self.code.right(before).kind == "returned":
            meant = [replace(each, arguments=each.arguments or before) for each in meant]
        chips = [chip(each, self.code) for each in meant]
        options = " Or: ".join(dict.fromkeys(chips))
        text = self.voice.say("general.ask_back", options=options)
        if sentence := nearest_sentence(asked.text, self.code.problem.correct.question):
            text = f"{self.voice.say('general.says', sentence=sentence)} {text}"
        return Said(text, "asks back", "what is meant")

    @property
    def _example_call(self) -> str:
        return f"`{self.code.call(self.code.program.example)}`"

    def _plain(self, template: str, about: str, **facts: object) -> Said:
        how = "asks back" if template == "line.which" else "run"
        return Said(
            self.voice.say(template, drawn("wording", self.seed, about), **facts), how, about
        )


@dataclass(frozen=True, slots=True)
class _Told:
    """A prover's account of a run, and the claim about its result."""

    run: TracedRun
    claimed: Outcome
    own: Outcome
    version: str
    truth: tuple[TraceStep, ...]

    def said(self, text: str, about: str, claimed: str, found: str) -> Said:
        """Return an account of the run, which is true exactly if the claim about it is."""
        return Said(text, "run", about, "agrees" if claimed == found else "plan", claimed, found)


def concrete(argument: str) -> str:
    """Return the part of an argument that can be checked, which begins at an input or code."""
    parts = sentences(argument)
    for place, sentence in enumerate(parts):
        told = any(not isinstance(found.value, int | float) for found in literals_in(sentence))
        if told or "`" in sentence:
            return " ".join(parts[place : place + 2])
    # Arguments end with their most concrete sentences.
    return " ".join(parts[-2:])


def _wanted_in(asked: Asked) -> str | None:
    """Return a pattern of the values that a question asks for; None without any."""
    text = asked.text.lower()
    named = next((texts for words, texts in RESULTS.items() if re.search(words, text)), None)
    return named or (re.escape(repr(asked.values[0])) if asked.values else None)


def _kind(text: str) -> str:
    if text in ("True", "False"):
        return "True or False"
    starts = {
        "[": "a list",
        "(": "a tuple",
        "{": "a dict",
        "'": "a text",
        '"': "a text",
        "N": "None",
    }
    return starts.get(text[:1], "a number")


def _returns(outcome: Outcome) -> str:
    verb = "returns" if outcome.kind == "returned" else "stops with"
    return f"{verb} {_value(outcome)}"


def _value(outcome: Outcome) -> str:
    if outcome.kind == "returned":
        return f"`{outcome.text}`"
    article = "an" if outcome.text[:1] in "AEIOU" else "a"
    return f"{article} `{outcome.text}`" if outcome.kind == "raised" else "something else"
