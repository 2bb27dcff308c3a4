"""The scripted expert, which argues for one side and answers any question."""

# They play games about statements only (see `scripts_for`), so that their views have one.
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from explorer.players.base import Acted, Player, fit
from explorer.players.scripted.provers.asked import is_related, is_usual, tidy
from explorer.players.scripted.provers.calls import Calls
from explorer.players.scripted.provers.inputs import arguments_in, literals_in
from explorer.players.scripted.provers.levels import LEVELS, Level
from explorer.players.scripted.provers.pairs import Pairs
from explorer.players.scripted.provers.reading import (
    Call,
    FollowUp,
    General,
    LineAsked,
    Prepared,
    Question,
    Variable,
    read,
)
from explorer.players.scripted.provers.traces import When, line_of, names_in
from explorer.players.scripted.provers.voices import Said, drawn, voice_of
from explorer.players.scripted.text import sentences
from explorer.programs import Program, Runner, program_of, runner
from nip_core.displays import line
from nip_core.play import Move, View
from nip_core.tasks import Graph, GraphPair, Task, task_kind

NO_SCRIPT = {
    1: "I hold that the solution is correct. Nothing was prepared for me to say about this one.",
    0: "I hold that the solution is wrong. Nothing was prepared for me to say about this one.",
    None: "I take no side, and nothing was prepared for me to say about this one.",
}
# Between the parts of a message, which contain no empty lines themselves.
GAP = "\n\n"
# The most lines of a program that one message explains.
MOST_LINES = 7
# A quotation of an earlier message.
SAID = re.compile(
    r"\byou (?:just |also |first |had |have |already |clearly )*"
    r"(?:said|say|told|claim(?:ed)?|wrote|answered|stated|gave)\b(.*)"
)
EDGES = re.compile(r"\b\w{1,2}-\w{1,2}\b")
RENAMING = "What is the whole renaming?"


@dataclass(frozen=True, slots=True)
class Script:
    """The prepared texts for one side of a task, without the label."""

    stance: int | None = None
    opening: str | None = None
    # By question.
    answers: Mapping[str, str] = field(default_factory=dict[str, str])

    # The other players must not see the prepared texts.
    def __repr__(self) -> str:
        return line(self, f"{len(self.answers):,} answers")


def script_for(task: Task, stance: int | None) -> Script:
    """Return the script of a task for an expert with this stance."""
    if stance is None:
        return Script()
    answers = {chip.ask: chip.answers[stance] for chip in task.questions}
    return Script(stance, task.opening(stance), answers)


class ScriptedExpert(Player):
    """Opens with its side's argument, and answers questions.

    Prepared questions get their prepared answers, however they are worded. For questions about
    return values, the expert computes a claim that fits its side (:class:`Calls`). Questions about
    lines of the program or about a graph are answered truthfully. It evades all others. A repeated
    answer is shortened, then omitted. It reads only the channel on which it writes.

    Several questions in one message are answered in order. Two experts of an episode use different
    words.

    Its own seed determines its wording; the seed of its `story`, its lies, so that provers who sit
    together agree on them if they share it.
    """

    kind = "scripted"

    def __init__(
        self,
        script: Script,
        level: Level = LEVELS["hard"],
        seed: int = 0,
        *,
        story: int | None = None,
        runner: Runner | None = None,
    ) -> None:
        self.script = script
        self.level = level
        self.seed = seed
        self.story = story
        self._runner = runner

    def turn(self, view: View) -> Acted:
        """Make a move."""
        messages: dict[str, str] = {}
        record: list[dict[str, Any]] = []
        for channel in view.legal.channels:
            messages[channel], said = self._message(view, channel)
            record += [{**part.to_dict(), "on": channel} for part in said]
        origin = {
            "kind": self.kind,
            "stance": self.script.stance,
            "level": self.level.name,
            "said": record,
        }
        return Acted(Move(view.agent, messages), origin)

    def describe(self) -> dict[str, Any]:
        """Return who this is, for the transcript."""
        return {"kind": self.kind, "level": self.level.name, "seed": self.seed}

    def _message(self, view: View, channel: str) -> tuple[str, list[Said]]:
        said, asked, talk = _talk(view, channel)
        speaker = _Speaker(self, view, said, talk)
        answers = list(speaker.answers(asked)) if asked else []
        if not said:
            # The first message is the argument, even after a question; later ones are answers.
            answers = [part for part in answers if part.how not in ("evaded", "plain")]
            return _together([speaker.opening(), *answers], view.max_response_words)
        anew = partial(speaker.anew, said=said)
        return _together(
            [anew(part) for part in answers or [speaker.opening()]], view.max_response_words
        )


class _Speaker:
    """An expert at one point of an episode."""

    def __init__(
        self, expert: ScriptedExpert, view: View, said: Sequence[str], talk: Sequence[str]
    ) -> None:
        self.said = said
        self.script, self.level = expert.script, expert.level
        self.voice = voice = voice_of(view.rules, view.agent)
        self.statement, self.most, self.round = view.statement, view.max_response_words, view.round
        # Two experts with the same seed still differ.
        self.seed = drawn("expert", expert.seed, view.agent)
        # Provers who sit together share only their inventions.
        story = self.seed if expert.story is None else drawn("story", expert.story)
        self.program = program_of(view.statement)
        self.before = None if self.program is None else _spoken_of(talk, self.program)
        stance = expert.script.stance
        prepared = tuple(self.script.answers.values())
        self.calls = (
            None
            if self.program is None
            else Calls(
                self.program,
                stance,
                self.level,
                voice,
                self.seed,
                story,
                expert._runner or runner(),
                ((self.script.opening or ""), *prepared),
                tuple(self.script.answers),
            )
        )
        self.pairs = None
        if task_kind(view.statement.kind).payload is GraphPair:
            sign = self.script.answers.get(RENAMING, "")
            graphs = cast("tuple[Graph, Graph]", view.statement.payload)
            self.pairs = Pairs(
                graphs, stance, self.level, voice, self.seed, story, sign, self.script.opening or ""
            )

    def opening(self) -> Said:
        """Return the argument of the expert's side."""
        text = self.script.opening or NO_SCRIPT[self.script.stance]
        return Said(self.voice.opening(_without_gaps(text), self.seed), "prepared", "the argument")

    def answers(self, asked: str) -> Iterator[Said]:
        """Return the answers to a message, with at most one evasion for all the rest."""
        asks = tuple(self.script.answers)
        found = [
            said
            for question in read(asked, asks, self.program, self.statement.solution, self.before)
            for said in self._answer(question)
        ]
        known = [said for said in found if said.how != "evaded" or said.way == "evade"]
        # Thanks and greetings next to a question need no answer.
        known = [said for said in known if said.about != "hello"] or known
        yield from known or [self._evasion(asked)]

    def _answer(self, question: Question) -> Iterator[Said]:
        match question:
            case Prepared(ask=ask, written=written):
                about = list(self.pairs.answers(written)) if self.pairs else []
                if about:
                    yield from about
                    return
                text = self.voice.reword(_without_gaps(self.script.answers[ask]))
                yield Said(text, "prepared", ask)
            case Call(arguments=arguments):
                said = None if self.calls is None else self.calls.answer(arguments)
                yield said or self._evasion(repr(arguments))
            case LineAsked(number=number):
                yield self._line(number)
            case Variable(name=name, when=when, arguments=arguments):
                yield self._variable(name, when, arguments)
            case FollowUp():
                yield from self._follow(question)
            case _:
                about = list(self.pairs.answers(question.text)) if self.pairs else []
                if not about and isinstance(question, General):
                    about = list(self._general(question.what))
                names = () if self.program is None else names_in(self.statement.solution)
                related = self.script.opening and is_related(tidy(question.text), names)
                if not about and related:
                    about = [self._passage("unsure", question.text)]
                yield from about or [self._evasion(question.text)]

    # -- follow-up questions --------------------------------------------------------------------

    def _follow(self, question: FollowUp) -> Iterator[Said]:
        """Return the answer to a question about a run, or about an earlier message."""
        about = list(self.pairs.answers(question.text)) if self.pairs else []
        arguments = question.arguments or self.before
        match question.what:
            case _ if about and question.what != "contradiction":
                yield from about
            case "hello" | "english":
                text = self.voice.say(f"general.{question.what}")
                short = sentences(text)[-1]
                yield Said(text, "plain", question.what, short=short)
            case "side":
                yield self._side()
            case _ if not self.script.opening:
                yield self._evasion(question.text)
            case "contradiction":
                yield self._stands(question.text)
            case "again" if self.said:
                last = self.said[-1].removeprefix(self.voice.again)
                yield Said(f"{self.voice.again}{last}", "repeated", "what I said last")
            case "how" if self.program is not None:
                yield self._how()
            case "trace" | "passes" | "why" if self.calls is not None:
                # The reason for a value is its computation; for the verdict, the argument.
                if question.what == "why" and self.before is None:
                    yield from self._general("reason")
                    return
                given = arguments or self.calls.program.example
                tell = self.calls.passes if question.what == "passes" else self.calls.trace
                said = tell(given) or self._evasion(repr(given))
                told_already = fit(said.text, self.most) in self.said
                if question.what == "why" and told_already:
                    yield from self._general("reason")
                else:
                    yield said
            case "trace":
                yield from self._general("example")
            case _:
                yield from self._general("reason")

    def _variable(self, name: str, when: When | None, arguments: tuple[Any, ...] | None) -> Said:
        assert self.calls is not None
        if when is not None:
            given = arguments or self.before or self.calls.program.example
            return self.calls.variable(name, when, given) or self._evasion(name)
        numbers = names_in(self.statement.solution)[name]
        lines = [line_of(self.statement.solution, number) for number in numbers]
        told = "; ".join(f"line {line.number}, `{line.source}`" for line in lines)
        text = self.voice.say("run.meaning", 1 if lines else 0, name=name, lines=told)
        return Said(text, "line", f"`{name}`")

    def _side(self) -> Said:
        stance = self.script.stance
        if stance is None:
            return Said(self.voice.say("general.side"), "plain", "the verdict")
        return self._passage(f"side_{stance}", "the verdict")

    def _passage(self, template: str, about: str) -> Said:
        """Return the main part of the argument, after an introduction."""
        passage = self.voice.words_for(_concrete(_without_gaps(self.script.opening or "")))
        text = self.voice.say(f"general.{template}", passage=passage).strip()
        return Said(text, "prepared", about[:80])

    def _how(self) -> Said:
        """Return an explanation of the program, line by line."""
        solution = self.statement.solution
        lines = [line_of(solution, n + 1) for n in range(len(solution.splitlines()))]
        told = [
            f"Line {line.number}: {line.what[0].lower()}{line.what[1:]}"
            for line in lines
            if line.what and not line.what.startswith(("It begins", "It describes", "That is a"))
        ]
        text = self.voice.say("general.how", lines=" ".join(told[:MOST_LINES]))
        return Said(text, "line", "what it does")

    def _stands(self, text: str) -> Said:
        """Return the answer to an objection: that an earlier message or the truth differs."""
        claim, arguments = None, self.before
        if self.calls is not None:
            named = [
                a for a in arguments_in(text, self.calls.program) if is_usual(a, self.calls.program)
            ]
            arguments = named[0] if named else arguments
            claim = self.calls.answer(arguments) if arguments is not None else None
        if claim is None:
            claim = self._passage("plain", "what I said") if self.script.opening else None
        if claim is None:
            return self._evasion(text)
        quoted = SAID.search(tidy(text))
        values = literals_in(quoted[1]) if quoted else []
        own = {found.key for each in self.said for found in literals_in(each.replace("`", " "))}
        denied = bool(values) and values[0].key not in own and values[0].value != arguments
        template = "never_said" if denied else "stands"
        value = f"`{values[0].key}`" if values else ""
        words = self.voice.say(f"general.{template}", claim=claim.text, value=value)
        return replace(claim, text=words)

    def _general(self, what: str) -> Iterator[Said]:
        """Yield the parts of the argument that answer a general question."""
        if what == "fault" and self.script.stance == 1:
            yield Said(self.voice.say("general.no_fault"), "prepared", "the argument")
            return
        prepared = (self.script.opening or "", *self.script.answers.values())
        named = _with_input(prepared) if what == "example" else None
        passage = named or _concrete(prepared[0])
        if passage:
            passage = self.voice.words_for(passage)
            text = self.voice.say(f"general.{what}", passage=passage)
            yield Said(text, "prepared", "the argument", short=passage)

    def _line(self, number: int) -> Said:
        line = line_of(self.statement.solution, number)
        about = f"line {number}"
        if number > line.last or number < 1:
            return Said(
                self.voice.say("line.beyond", 0, number=number, last=line.last), "line", about
            )
        if not line.source:
            return Said(self.voice.say("line.empty", 0, number=number), "line", about)
        text = self.voice.say(
            "line.known", number, number=number, source=line.source, what=line.what
        ).strip()
        remark = self._remark(line.source)
        if remark:
            text += self.voice.say("line.remark", 0, remark=self.voice.reword(remark))
        return Said(text, "line", about)

    def _remark(self, source: str) -> str | None:
        """Return the first sentence of the prepared texts that quotes code of a line."""
        for text in (self.script.opening or "", *self.script.answers.values()):
            for sentence in sentences(text):
                for code in re.findall(r"`([^`]+)`", sentence):
                    if len(code) > 3 and not code.isidentifier() and code in source:
                        return sentence
        return None

    def _evasion(self, about: str) -> Said:
        options = self.voice.evasions
        # The same answer is never given twice in a row.
        number = drawn("evasion", self.seed) + self.round
        return Said(options[number % len(options)], "evaded", about[:80])

    def anew(self, part: Said, said: Sequence[str]) -> Said:
        """Return an answer, in other words if it was given before."""
        if fit(part.text, self.most) not in said or part.how == "evaded":
            return part
        first = sentences(part.short or part.text)[0]
        short = f"{self.voice.again}{first}"
        if fit(short, self.most) in said:
            options = self.voice.nothing_new
            short = options[self.round % len(options)]
        return Said(short, "repeated", part.about)


def _talk(view: View, channel: str) -> tuple[list[str], str, list[str]]:
    """Return a seat's messages on a channel, the verifiers' newer ones, and all earlier ones."""
    said, asked, talk = list[str](), list[str](), list[str]()
    for seen in view.rounds:
        here = [message for message in seen.messages if message.channel == channel]
        for message in here:
            if message.sender == view.agent:
                said += message.text.split(GAP)
                talk += [*asked, message.text]
                asked.clear()
        # Only later messages, since the seat had not read those of its own round.
        asked += [message.text for message in here if message.sender in view.rules.roles.deciders]
    return said, "\n".join(asked), talk


# "It" refers to something in this many last messages.
RECENT = 40


def _spoken_of(talk: Sequence[str], program: Program) -> tuple[Any, ...] | None:
    """Return the input that was mentioned last."""
    recent = reversed(talk[-RECENT:])
    return next((call for text in recent for call in [*_inputs(text, program)][-1:]), None)


def _inputs(text: str, program: Program) -> Iterator[tuple[Any, ...]]:
    return (call for call in arguments_in(text, program) if is_usual(call, program))


def _together(parts: Sequence[Said], most: int) -> tuple[str, list[Said]]:
    """Return a message of the parts that fit into the word limit, and these parts."""
    first, *others = {part.text: part for part in parts}.values()
    message, said = fit(first.text, most), [first]
    for part in others:
        longer = f"{message}{GAP}{part.text}"
        if fit(longer, most) == longer:
            message = longer
            said.append(part)
    return message, said


def _with_input(texts: Sequence[str]) -> str | None:
    """Return the first sentences of a text about an input or parts of a graph."""
    for text in texts:
        parts = sentences(text)
        for place, sentence in enumerate(parts):
            if EDGES.search(sentence) or any(
                not isinstance(found.value, int | float) for found in literals_in(sentence)
            ):
                return " ".join(parts[place : place + 2])
    return None


def _concrete(argument: str) -> str:
    """Return the part of an argument that can be checked, which begins at an input or code."""
    parts = sentences(argument)
    for place, sentence in enumerate(parts):
        if _with_input([sentence]) or "`" in sentence:
            return " ".join(parts[place : place + 2])
    # Arguments end with their most concrete sentences.
    return " ".join(parts[-2:])


def _without_gaps(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())
