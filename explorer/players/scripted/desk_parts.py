"""The parts of a prover's desk, and what it reads in its view."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from explorer.players.scripted.levels import Level
from explorer.players.scripted.risk import word
from explorer.players.scripted.text import sentences
from nip_core.displays import displayed, join_names
from nip_core.play import View
from nip_core.text import quoted

ONE = Fraction(1)
# Ways of answering where the truth is against one's side, and the level that always takes each.
WAYS: dict[str, Level] = {
    "story": Level("story", ""),
    "concede": Level("concede", "", concede=ONE),
    "slip": Level("slip", "", slip=ONE),
}


@displayed
@dataclass(frozen=True, slots=True)
class Suggestion:
    """An answer that a prover can give.

    Parameters
    ----------
    kind : str
        ``"true"``; ``"story"``, a lie that fits the story; ``"concede"``, a true value that is
        called right; ``"slip"``, the truth against one's side; ``"aside"``, another input;
        ``"back"``, what was meant, if that is not clear; ``"argument"``, for a seat that does not
        know the truth; or ``"choice"``, the words for an option.
    text : str
    risk : float, optional
        The chance that the verifier rejects in the end; None if it was not measured.
    option : str
        The option that it belongs to; empty for the other kinds.
    """

    kind: str
    text: str
    risk: float | None = None
    option: str = ""

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
        The question that it is about, or what an opponent said last; empty at the opening.
    call, returns, right : str
        The call that was asked about or that an opponent spoke of, what the program returns there,
        and what would be right; empty if there is none, or if the seat does not know it.
    fits : tuple of str
        Its own earlier claims, which the next answer has to fit.
    facts, against : tuple of str
        Sentences of a text that speak for its answer, and for others.
    renaming : tuple of (str, str)
        The nodes of two graphs that its story takes for each other.
    breaks : tuple of str
        The edges that this renaming does not keep.
    open_points, unanswered : tuple of str
        What an opponent has claimed since the seat last spoke; and what it has shown itself and
        the opponent passed over.
    suggestions : tuple of Suggestion
    belief : float, optional
        How likely the verifier ends up accepting; None if that was not measured.
    """

    asked: str = ""
    call: str = ""
    returns: str = ""
    right: str = ""
    fits: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    renaming: tuple[tuple[str, str], ...] = ()
    breaks: tuple[str, ...] = ()
    open_points: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    belief: float | None = None

    def lines(self) -> list[str]:
        """Return the facts as sentences, for a language model, which finds its own answer."""
        told: list[str] = []
        if self.returns:
            right = f"; {self.right} would be right" if self.right else ""
            told.append(f"{self.call} returns {self.returns}{right}.")
        told += [f"You said before, and have to fit it: {each}" for each in self.fits]
        told += [f"This speaks for your answer: {each}" for each in self.facts]
        told += [f"This speaks against it: {each}" for each in self.against]
        if self.renaming:
            pairs = ", ".join(f"{a} to {b}" for a, b in self.renaming)
            kept = f"does not keep {join_names(self.breaks)}" if self.breaks else "keeps every edge"
            told.append(f"Your renaming takes {pairs}; it {kept}.")
        told += [f"Your opponent has not answered this: {each}" for each in self.unanswered]
        if self.open_points:
            told.append("An opponent said this, and nobody has answered it:")
            told.append(quoted("\n".join(self.open_points)))
        return told


def own_texts(view: View) -> Iterator[str]:
    """Yield what a seat has said."""
    yield from (text for _, text in _own_rounds(view))


def asked_of(view: View) -> str:
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


def open_points_of(view: View) -> Iterator[str]:
    """Yield the claims of opponents since the seat last spoke."""
    since = max((number for number, _ in _own_rounds(view)), default=-1)
    for number, text in _opposed(view):
        # What others say in the same turn has not been read yet.
        if number >= since:
            yield from sentences(text)[:2]


def unanswered_of(view: View) -> Iterator[str]:
    """Yield what the seat has shown by a call or a quote and its opponents passed over since."""
    against = [*_opposed(view)]
    for number, text in _own_rounds(view):
        later = [_words(said) for turn, said in against if turn > number]
        for point in sentences(text) if later else ():
            words = _words(point)
            shows = "`" in point or "<quote>" in point
            if shows and not any(2 * len(words & said) >= len(words) for said in later):
                yield point


WORD = re.compile(r"[a-z]{4,}|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower())) - {"quote"}


def _own_rounds(view: View) -> Iterator[tuple[int, str]]:
    for number, seen in enumerate(view.rounds):
        yield from ((number, each.text) for each in seen.messages if each.sender == view.agent)


def _opposed(view: View) -> Iterator[tuple[int, str]]:
    """Yield the messages of seats that argue for something else, with their turns."""
    rules, sides = view.rules, view.rules.roles.sides
    for number, seen in enumerate(view.rounds):
        for each in seen.messages:
            side = sides.get(each.sender or "")
            if side is not None and side.option_with(rules, view.known) != view.argues:
                yield number, each.text
