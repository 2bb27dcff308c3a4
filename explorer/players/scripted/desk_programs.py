"""The desk of a prover in a game about a bundled program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from explorer.players.scripted.account import Account
from explorer.players.scripted.answers import answer
from explorer.players.scripted.code import Arguments, Code
from explorer.players.scripted.desk_parts import (
    WAYS,
    Desk,
    Suggestion,
    asked_of,
    open_points_of,
    own_texts,
    questions_left,
    unanswered_of,
)
from explorer.players.scripted.inputs import arguments_in
from explorer.players.scripted.questions import understand
from explorer.players.scripted.risk import features, risks
from explorer.players.scripted.slots import Asked, Topic, is_usual
from explorer.players.scripted.text import sentences
from explorer.players.scripted.verifiers import HeardClaim, Subject, subject_of
from explorer.players.scripted.voices import voices
from explorer.programs import Outcome
from nip_core.play import Briefing, View

ABOUT_A_RUN = ("call", "prepared", "trace", "passes", "variable")
LIES = ("story", "concede")
# The protocol in whose games risks were counted.
COUNTED_IN = "nip"


class ProgramDesk:
    """A prover's seat in a game about a bundled program."""

    def __init__(self, view: View, code: Code, stance: int, verifier: str | None) -> None:
        self.view, self.code, self.stance, self.known = view, code, stance, view.briefing
        counted = view.rules.name == COUNTED_IN and stance == 1 and self.known is not None
        self.risk = risks().get(verifier or "") if counted else None
        known = self.known or Briefing(0, None, None, None, {})
        assert view.statement is not None
        answers = {**known.answers, **code.notes(stance)}
        self.topic = Topic(code, view.statement.solution, tuple(answers))
        self.opening = known.opening or ""
        self.said = tuple(own_texts(view))
        plain = (code, stance, WAYS["story"], voices()[0], 0, 0, self.opening, answers)
        self.account = Account(*plain, said=self.said)
        self.left = questions_left(view)
        self.told = [*self._told()] if self.risk is not None else []
        self.lies = sum(kind in LIES for kind, _ in self.told)
        self.asides = sum(kind == "aside" for kind, _ in self.told)

    def desk(self) -> Desk:
        """Return what is known of what was asked, or of what an opponent has said last."""
        points = tuple(open_points_of(self.view))
        asked = asked_of(self.view) or next(reversed(points), "")
        about = Desk(
            asked, fits=self._fits(), open_points=points, belief=self._belief(),
            unanswered=tuple(unanswered_of(self.view)),
        )  # fmt: skip
        if not asked:
            opening = () if self.said or not self.opening else (self._opening(),)
            return replace(about, suggestions=opening)
        question = understand(asked, self.topic)[0]
        given = question.arguments if question.intent in ABOUT_A_RUN else None
        shown = given if given is not None else self._spoken_of(points)
        if shown is not None:
            own, right = in_words(self.code.outcome(shown)), in_words(self.code.right(shown))
            right = right if self.known else ""
            about = replace(about, call=self.code.call(shown), returns=own, right=right)
        if self.known is None:
            return about
        made = {each.text: each for each in self._suggestions(question, given)}
        return replace(about, suggestions=tuple(made.values()))

    def _spoken_of(self, points: tuple[str, ...]) -> Arguments | None:
        """Return the input of which an opponent spoke last."""
        code = self.code
        named = [each for point in points for each in arguments_in(point, code.program)]
        return next((each for each in reversed(named) if is_usual(each, code)), None)

    @property
    def _lying(self) -> bool:
        return self.known is not None and self.stance != self.known.y

    def _opening(self) -> Suggestion:
        return self._suggest("story" if self._lying else "true", self.opening, None)

    def _suggest(self, kind: str, text: str, given: Arguments | None) -> Suggestion:
        """Return a suggestion with its risk."""
        if self.risk is None:
            return Suggestion(kind, text)
        unusual = given is not None and repr(given) in self.code.unusual
        asides = self.asides + (kind == "aside")
        at = features(kind, unusual, self.lies, asides, self.left)
        return Suggestion(kind, text, self.risk(at))

    def _suggestions(self, asked: Asked, given: Arguments | None) -> Iterator[Suggestion]:
        account = self.account
        told = "".join(said.text for said in answer(account, asked))
        same = given is not None and (
            self.code.outcome(given) == self.code.outcome(given, account.version)
        )
        if asked.intent == "unclear":
            yield Suggestion("back", told)
        elif same or not self._lying:
            # The truth serves this side.
            yield self._suggest("true", told, given)
        elif given is None:
            yield self._suggest("story", told, None)
            if why := self.known and self.known.explanation:
                verdict = "correct" if self.stance == 0 else "wrong"
                yield self._suggest("slip", f"It is {verdict}. {why}", None)
        else:
            for kind, level in WAYS.items():
                said = replace(account, level=level, opening="")
                text = told if kind == "story" else said.call(given).text
                yield self._suggest(kind, text, given)
        if self._lying and not same and (turned := self._turned(given)):
            yield self._suggest("aside", turned, given)

    def _turned(self, given: Arguments | None) -> str:
        """Return an answer about an input on which it need not lie; empty if there is none left."""
        code, told = self.code, " ".join(self.said)
        for other in code.inputs:
            same = code.outcome(other) == code.outcome(other, self.account.version)
            if same and other != given and code.call(other) not in told:
                claim = self.account.call(other).text
                return self.account.voice.say("run.aside", claim=claim)
        return ""

    def _fits(self) -> tuple[str, ...]:
        """Return its earlier claims about results."""
        told = [part for text in self.said for part in sentences(text)]
        return tuple(part for part in told if f"{self.code.program.function}(" in part)[-3:]

    def _belief(self) -> float | None:
        """Return how likely the verifier accepts in the end, by what was said so far."""
        if self.risk is None:
            return None
        if not self.told:
            return 1 - self.risk.base
        (kind, unusual), before = self.told[-1], self.lies - (self.told[-1][0] in LIES)
        return 1 - self.risk(features(kind, unusual, before, self.asides, self.left + 1))

    def _told(self) -> Iterator[tuple[str, bool]]:
        """Yield what each of its messages was, and whether the question was an unusual one."""
        assert self.view.statement is not None
        subject, asked = subject_of(self.view.statement), ""
        for seen in self.view.rounds:
            for each in seen.messages:
                if each.sender == self.view.agent:
                    heard = HeardClaim(0, 0, self.view.agent, self.stance, each.text, asked)
                    yield self._kind_of(subject, heard), self._unusual(asked)
                elif each.sender in self.view.rules.roles.deciders:
                    asked = each.text

    def _kind_of(self, subject: Subject, heard: HeardClaim) -> str:
        if self.account.voice.turned_aside(heard.text):
            return "aside"
        claims = subject.claims(heard)
        for kind, test in (("story", subject.check), ("concede", subject.work_out)):
            found = map(test, claims)
            if any(each is not None and not each.holds for each in found):
                return kind
        return "true"

    def _unusual(self, asked: str) -> bool:
        named = arguments_in(asked, self.code.program)
        return any(repr(each) in self.code.unusual for each in named)


def in_words(outcome: Outcome) -> str:
    """Return what a program returns, or what else happens."""
    otherwise = {"too long": "nothing: it goes on and on", "raised": f"an error: {outcome.text}"}
    return outcome.text if outcome.kind == "returned" else otherwise.get(outcome.kind, "")
