"""What a prover knows about what it was just asked: facts, and answers with their risk.

A person who plays a prover reads it, and a language model is told it in the same form. It contains
nothing but the seat's view and the case; programs run in the process for programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from explorer.players.scripted.answers import Account
from explorer.players.scripted.code import Arguments, Code, code_of
from explorer.players.scripted.levels import Level
from explorer.players.scripted.questions import Asked, Topic, understand
from explorer.players.scripted.risk import features, risks, word
from explorer.players.scripted.text import sentences
from explorer.players.scripted.voices import voices
from nip_core.displays import displayed
from nip_core.play import View
from nip_core.tasks import Graph, Task, bundled_tasks

ABOUT_A_RUN = ("call", "prepared", "trace", "passes", "variable")
ONE = Fraction(1)
# Ways of answering where the truth is against one's side, and the level that always takes each.
WAYS: dict[str, Level] = {
    "story": Level("story", ""),
    "concede": Level("concede", "", concede=ONE),
    "slip": Level("slip", "", slip=ONE),
    "aside": Level("aside", "", aside=99),
}


@displayed
@dataclass(frozen=True, slots=True)
class Suggestion:
    """An answer that a prover can give.

    Parameters
    ----------
    kind : str
        ``"true"``; ``"story"``, a lie that fits the story; ``"concede"``, a true value that is
        called right; ``"slip"``, the truth against one's side; or ``"aside"``, another input.
    text : str
    risk : float, optional
        The chance that the verifier rejects in the end; None if it was not measured.
    """

    kind: str
    text: str
    risk: float | None = None

    @property
    def says(self) -> str:
        """The risk in a word; empty without one."""
        return "" if self.risk is None else word(self.risk)


@displayed
@dataclass(frozen=True, slots=True)
class Desk:
    """What a prover knows now.

    Parameters
    ----------
    asked : str
        The question that it is about; empty at the opening.
    returns, right : str
        What the program returns there, and what would be right; empty if nothing is asked for.
    fits : tuple of str
        Its own earlier claims, which the next answer has to fit.
    facts : tuple of str
        Sentences that can be quoted, or what is known of the graphs.
    open_points : tuple of str
        What an opponent has claimed and nobody has answered.
    suggestions : tuple of Suggestion
    belief : float, optional
        How likely the verifier ends up accepting; None if that was not measured.
    """

    asked: str = ""
    returns: str = ""
    right: str = ""
    fits: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    open_points: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    belief: float | None = None

    def lines(self) -> list[str]:
        """Return the same as sentences, for a language model."""
        told = [f"You were asked: {self.asked}"] if self.asked else []
        if self.returns:
            told.append(f"There the program returns {self.returns}; {self.right} would be right.")
        told += [f"You said before: {each}" for each in self.fits]
        told += [f"You can use this: {each}" for each in self.facts]
        told += [f"This is not answered yet: {each}" for each in self.open_points]
        return told + [f"You could say ({each.kind}): {each.text}" for each in self.suggestions]


def desk_for(view: View, verifier: str | None = None) -> Desk:
    """Return what a prover's seat knows now.

    Parameters
    ----------
    view : View
        Of the seat, which argues for something.
    verifier : str, optional
        The name of the scripted verifier, if one plays: then risks are known. No risk is given
        where a person judges, or where they were not measured.
    """
    if view.statement is None:
        return _of_passage(view)
    task, code = _task_of(view), code_of(view.statement)
    if code is None or task is None or view.stance is None:
        return _of_others(view, task)
    asked, left = _asked(view), questions_left(view)
    seat = _Prover(view, task, code, view.stance, verifier)
    if not asked:
        opening = task.opening(view.stance) or ""
        kind = "true" if view.stance == _label(code) else "story"
        return Desk(suggestions=(seat.suggest(kind, opening, None, left),))
    return seat.desk(asked, left)


class _Prover:
    """A prover's seat in a game about a bundled program."""

    def __init__(
        self, view: View, task: Task, code: Code, stance: int, verifier: str | None
    ) -> None:
        self.view, self.code, self.stance = view, code, stance
        alone = len(view.rules.provers) == 1 and stance == 1
        self.risk = risks().get(verifier or "") if alone else None
        answers = {chip.ask: chip.answers[stance] for chip in task.questions}
        self.topic = Topic(code, task.solution, tuple(answers))
        opening = task.opening(stance) or ""
        said = tuple(_own(view))
        plain = (code, stance, WAYS["story"], voices()[0], 0, 0, opening, answers)
        self.account = Account(*plain, said=said)
        self.lies, self.asides = self._lies(said)

    def desk(self, text: str, left: int) -> Desk:
        """Return what is known of a question."""
        asked = understand(text, self.topic)[0]
        given = asked.arguments if asked.intent in ABOUT_A_RUN else None
        made = tuple(self._suggestions(asked, given, left))
        belief = None
        if self.risk is not None:
            last = "story" if self.lies else "true"
            belief = 1 - self.risk(features(last, False, self.lies, self.asides, left + 1))
        if given is None:
            return Desk(text, suggestions=made, fits=self._fits(), belief=belief)
        own, right = self.code.outcome(given), self.code.right(given)
        return Desk(
            text, own.text, right.text, self._fits(), suggestions=made, belief=belief,
            open_points=tuple(_open_points(self.view)),
        )  # fmt: skip

    def suggest(self, kind: str, text: str, given: Arguments | None, left: int) -> Suggestion:
        """Return a suggestion with its risk."""
        if self.risk is None:
            return Suggestion(kind, text)
        unusual = given is not None and repr(given) in self.code.unusual
        asides = self.asides + (kind == "aside")
        return Suggestion(kind, text, self.risk(features(kind, unusual, self.lies, asides, left)))

    def _suggestions(
        self, asked: Asked, given: Arguments | None, left: int
    ) -> Iterator[Suggestion]:
        account = self.account
        if given is None or self.code.outcome(given) == self.code.outcome(given, account.version):
            # The truth serves this side, or nothing that could be run was asked.
            honest = given is not None or self.stance == _label(self.code)
            for said in account.answer(asked):
                yield self.suggest("true" if honest else "story", said.text, given, left)
            return
        for kind, level in WAYS.items():
            told = replace(account, level=level, opening="")
            said = told.call(given) if kind != "story" else next(told.answer(asked))
            if kind != "aside" or said.how == "aside":
                yield self.suggest(kind, said.text, given, left)

    def _fits(self) -> tuple[str, ...]:
        """Return its earlier claims about results."""
        told = [part for text in self.account.said for part in sentences(text)]
        return tuple(part for part in told if f"{self.code.program.function}(" in part)[-3:]

    def _lies(self, said: tuple[str, ...]) -> tuple[int, int]:
        """Return how many of its messages were lies about results, and how many were turned."""
        from explorer.players.scripted.verifiers import HeardClaim, subject_of

        assert self.view.statement is not None
        subject = subject_of(self.view.statement)
        lies = 0
        for text in said:
            heard = HeardClaim(0, 0, self.view.agent, self.stance, text, "")
            claims = [each for each in subject.claims(heard) if each.effort == "work out"]
            tests = [test(each) for each in claims for test in (subject.check, subject.work_out)]
            lies += any(found is not None and not found.holds for found in tests)
        return lies, sum(map(self.account.voice.turned_aside, said))


def _of_passage(view: View) -> Desk:
    """Return the sentences of a text that speak for a seat's answer, and open quotes of others."""
    from explorer.players.scripted.seats import arguments

    known = arguments(view)
    mine = known.get(str(view.argues))
    if mine is None:
        return Desk()
    told = " ".join(_own(view))
    facts = tuple(each for each in mine.support if each not in told) or mine.support
    kind = "true" if mine.bears_out is not False else "story"
    texts = [mine.argument] if mine.argument not in told else []
    texts += [mine.against] if mine.against and mine.against not in told else []
    made = tuple(Suggestion(kind, text) for text in texts)
    return Desk(_asked(view), facts=facts, suggestions=made, open_points=tuple(_open_points(view)))


def _of_others(view: View, task: Task | None) -> Desk:
    """Return what is known about two graphs, or about a task of one's own."""
    assert view.statement is not None
    if task is None or view.stance is None:
        return Desk(_asked(view))
    facts: tuple[str, ...] = ()
    if isinstance(view.statement.payload, tuple) and isinstance(view.statement.payload[0], Graph):
        facts = tuple(chip.answers[view.stance] for chip in task.questions[:2])
    opening = task.opening(view.stance) or ""
    made = (Suggestion("true" if view.stance == task.y else "story", opening),) if opening else ()
    return Desk(_asked(view), facts=facts, suggestions=made)


def _task_of(view: View) -> Task | None:
    assert view.statement is not None
    return next((each for each in bundled_tasks() if each.id == view.statement.id), None)


def _label(code: Code) -> int:
    return code.program.by_verdict.index(code.program.task)


def _own(view: View) -> Iterator[str]:
    for seen in view.rounds:
        yield from (each.text for each in seen.messages if each.sender == view.agent)


def _asked(view: View) -> str:
    """Return the last message of somebody who decides, if the seat has not answered it yet."""
    asked = ""
    for seen in view.rounds:
        for each in seen.messages:
            if each.sender == view.agent:
                asked = ""
            elif each.sender in view.rules.roles.deciders:
                asked = each.text
    return asked


def questions_left(view: View) -> int:
    """Return how many more questions may come."""
    return max(0, (view.rules.longest - view.round - 1) // 2 - 1)


def _open_points(view: View) -> Iterator[str]:
    """Yield the claims of opponents since the seat last spoke."""
    rules = view.rules
    texts: list[str] = []
    for seen in view.rounds:
        for each in seen.messages:
            if each.sender == view.agent:
                texts.clear()
            elif each.sender is not None and not rules.roles.judges(each.sender):
                texts.append(each.text)
    for text in texts:
        yield from sentences(text)[:2]
