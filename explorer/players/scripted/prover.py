"""The scripted prover, which argues for one side of a statement and answers any question."""

# They play games about statements only (see `scripts_for`), so that their views have one.
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from explorer.players.base import Acted, Player, fit
from explorer.players.scripted.account import Account, concrete
from explorer.players.scripted.answers import answer
from explorer.players.scripted.code import Arguments, Code, code_of
from explorer.players.scripted.inputs import arguments_in
from explorer.players.scripted.levels import LEVELS, Level
from explorer.players.scripted.pairs import RENAMING, Pairs
from explorer.players.scripted.phrases import folded
from explorer.players.scripted.questions import chip, understand
from explorer.players.scripted.runs import line_of
from explorer.players.scripted.slots import Asked, Topic, is_usual
from explorer.players.scripted.text import sentences
from explorer.players.scripted.voices import Said, drawn, voice_of
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
# "It" refers to something in this many last messages.
RECENT = 40


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

    All answers about a program come from one account of it (:class:`~.answers.Account`), those
    about two graphs from :class:`~.pairs.Pairs`. Where it is not clear what was asked, it asks
    back. It reads only the channel on which it writes. Two experts of an episode use different
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
    ) -> None:
        self.script, self.level, self.seed, self.story = script, level, seed, story

    def turn(self, view: View) -> Acted:
        """Make a move."""
        messages: dict[str, str] = {}
        record: list[dict[str, Any]] = []
        for channel in view.legal.channels:
            messages[channel], said = _Speaker(self, view, channel).message()
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


class _Speaker:
    """An expert at one point of an episode, on one channel."""

    def __init__(self, expert: ScriptedExpert, view: View, channel: str) -> None:
        self.said, self.asked, talk = _talk(view, channel)
        self.script, self.level = expert.script, expert.level
        self.voice = voice = voice_of(view.rules, view.agent)
        self.statement, self.most, self.round = view.statement, view.max_response_words, view.round
        # Two experts with the same seed still differ.
        self.seed = drawn("expert", expert.seed, view.agent)
        # Provers who sit together share only their inventions.
        story = self.seed if expert.story is None else drawn("story", expert.story)
        opening = _without_gaps(self.script.opening or NO_SCRIPT[self.script.stance])
        self.opening_text, self.code = opening, code_of(view.statement)
        answers = {ask: _without_gaps(text) for ask, text in self.script.answers.items()}
        if self.code is not None and self.script.stance is not None:
            answers |= self.code.notes(self.script.stance)
        before = None if self.code is None else _spoken_of(talk, self.code)
        self.topic = Topic(self.code, self.statement.solution, tuple(answers), before)
        self.account = None
        asides = sum(map(voice.turned_aside, self.said))
        if self.code is not None:
            told = (self.code, self.script.stance, self.level, voice, self.seed, story, opening)
            self.account = Account(*told, answers, asides, tuple(self.said), before, view.round)
        self.pairs = None
        if task_kind(view.statement.kind).payload is GraphPair:
            sign = answers.get(RENAMING, "")
            graphs = cast("tuple[Graph, Graph]", view.statement.payload)
            self.pairs = Pairs(
                *(graphs, self.script.stance, self.level, voice, self.seed, story, sign),
                # The first message is the argument.
                *(answers, opening, asides if self.said else self.level.aside),
            )

    def message(self) -> tuple[str, list[Said]]:
        """Return the message, and the reasons for its parts."""
        answers = list(self._answers()) if self.asked else []
        if not self.said:
            # The first message is the argument, even after a question; later ones are answers. What
            # is no question needs none.
            spared = ("evaded",) if "?" in self.asked else ("asks back", "evaded")
            kept = [part for part in answers if part.how not in spared and part.about != "hello"]
            return _together([self._opening(), *kept], self.most)
        return _together(list(map(self._anew, answers or [self._opening()])), self.most)

    def _opening(self) -> Said:
        text = self.voice.opening(self.opening_text, self.seed)
        return Said(text, "prepared", "the argument")

    def _answers(self) -> Iterator[Said]:
        account, topic = self.account, self.topic
        for asked in understand(self.asked, topic):
            exact = folded(asked.text).endswith(folded(asked.prepared or "\0"))
            about = (
                list(self.pairs.answers(asked.prepared if exact else asked.text))
                if self.pairs
                else []
            )
            if about:
                yield from about
            elif account is not None:
                given = asked.arguments
                if given is not None:
                    account = replace(account, before=given)
                for said in answer(account, asked):
                    yield said
                    account = replace(account, asides=account.asides + (said.how == "aside"))
            else:
                yield self._without_a_program(asked)

    def _without_a_program(self, asked: Asked) -> Said:
        """Answer about a statement of which nothing can be run."""
        say, stance = self.voice.say, self.script.stance
        if asked.intent == "prepared":
            text = self.voice.reword(self.script.answers[asked.prepared])
            return Said(text, "prepared", asked.prepared)
        if asked.intent == "line" and asked.line is not None:
            told = line_of(self.statement.solution, asked.line)
            key = "known" if told.source else "beyond"
            facts = {"number": asked.line, "source": told.source, "what": told.what}
            text = say(f"line.{key}", asked.line, last=told.last, **facts)
            return Said(text.strip(), "line", f"line {asked.line}")
        if not self.script.opening:
            return Said(self.voice.evasion(self.seed, asked.text), "evaded", asked.text[:80])
        passage = self.voice.words_for(concrete(self.opening_text))
        if asked.intent == "hello":
            return Said(say("general.hello"), "plain", "hello")
        if asked.intent in ("agree", "certain", "other", "meta"):
            side = "side" if stance is None else f"side_{stance}"
            return Said(say(f"general.{side}", passage=passage).strip(), "prepared", "the verdict")
        if asked.intent in ("evidence", "example", "recap", "about", "keyline", "trace"):
            text = say("general.reason", passage=passage)
            return Said(text, "prepared", "the argument", short=passage)
        asks = tuple(self.script.answers)[:3]
        options = " Or: ".join(asks or (chip(replace(asked, intent="evidence"), None),))
        return Said(say("general.ask_back", options=options), "asks back", "what is meant")

    def _anew(self, part: Said) -> Said:
        """Return an answer, in other words if it was given before."""
        if fit(part.text, self.most) not in self.said or part.how in ("evaded", "asks back"):
            return part
        first = sentences(part.short or part.text)[0]
        short = f"{self.voice.again}{first}"
        if fit(short, self.most) in self.said:
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


def _spoken_of(talk: Sequence[str], code: Code) -> Arguments | None:
    """Return the input that was mentioned last."""
    recent = reversed(talk[-RECENT:])
    named = ([c for c in arguments_in(text, code.program) if _is_meant(c, code)] for text in recent)
    return next((calls[-1] for calls in named if calls), None)


def _is_meant(arguments: Arguments, code: Code) -> bool:
    """Return whether what was read may be an input; any two numbers of a text may not."""
    kinds = code.program.kinds
    plain = len(kinds) > 1 and all(kind in (int, float) for kind in kinds)
    exact = all(type(v) is k for v, k in zip(arguments, kinds, strict=False) if k is list)
    return is_usual(arguments, code) and exact and not plain


def _together(parts: Sequence[Said], most: int) -> tuple[str, list[Said]]:
    """Return a message of the parts that fit into the word limit, and these parts."""
    first, *others = {part.text: part for part in parts}.values()
    message, said = fit(first.text, most), [first]
    for part in others:
        if part.text in message:
            continue
        longer = f"{message}{GAP}{part.text}"
        if fit(longer, most) == longer:
            message = longer
            said.append(part)
    return message, said


def _without_gaps(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())
