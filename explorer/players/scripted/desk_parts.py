"""The parts of a prover's desk, and what it reads in its view."""

from __future__ import annotations

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
        called right; ``"slip"``, the truth against one's side; ``"aside"``, another input; or
        ``"argument"``, for a seat that does not know the truth.
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
    open_points : tuple of str
        What an opponent has claimed and nobody has answered.
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
        if self.open_points:
            told.append("An opponent said this, and nobody has answered it:")
            told.append(quoted("\n".join(self.open_points)))
        return told


def own_texts(view: View) -> Iterator[str]:
    """Yield what a seat has said."""
    for seen in view.rounds:
        yield from (each.text for each in seen.messages if each.sender == view.agent)


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
    rules, sides = view.rules, view.rules.roles.sides
    texts: list[str] = []
    for seen in view.rounds:
        # What others say in the same turn has not been read yet.
        if any(each.sender == view.agent for each in seen.messages):
            texts.clear()
        for each in seen.messages:
            side = sides.get(each.sender or "")
            if side is not None and side.option_with(rules, view.known) != view.argues:
                texts.append(each.text)
    for text in texts:
        yield from sentences(text)[:2]
