"""How well liars lie: levels, invented values, and the explanation of their records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast

from explorer.players.scripted.voices import drawn
from explorer.programs import NotALiteralError, Outcome, read_literal
from nip_core.displays import displayed

# The ways of a liar without a prepared answer: its story, an invention, the truth that slips out,
# or the true value with a false claim that this is what is asked for.
Way = Literal["plan", "invent", "slip", "concede"]
# A liar's distinguishable answers.
Lie = Hashable


@displayed
@dataclass(frozen=True, slots=True)
class Level:
    """How well a prover lies, as four numbers.

    A liar that always keeps its story loses to one run, so skill is to choose what to lie about.

    Parameters
    ----------
    name : str
    about : str
        The description for people who choose it.
    slip : Fraction
        How often it says what it found, against its side.
    invent : Fraction
        How often it says something that is neither true nor its story.
    concede : Fraction
        How often it says what the program returns, and disputes what is right.
    aside : int
        How many questions it turns to an input on which it need not lie.
    """

    name: str
    about: str
    slip: Fraction = Fraction(0)
    invent: Fraction = Fraction(0)
    concede: Fraction = Fraction(0)
    aside: int = 0

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways in which it lies."""
        ways: tuple[Way, ...] = ("plan", "invent", "slip", "concede")
        return tuple(way for way in ways if self.chance(way))

    def way(self, *about: str | int) -> Way:
        """Return the way for one question, always the same for the same question."""
        place = Fraction(drawn("way", *about), 2**32)
        for way in self.ways:
            place -= self.chance(way)
            if place < 0:
                return way
        return self.ways[-1]

    def pick(self, choices: int, *about: str | int) -> int:
        """Return the number of the invention that it uses; all are equally likely."""
        return drawn("invention", *about) % choices

    def chance(self, way: Way) -> Fraction:
        """Return the probability of a way."""
        if way == "plan":
            return 1 - self.slip - self.invent - self.concede
        return {"slip": self.slip, "invent": self.invent, "concede": self.concede}[way]

    def keeps_story(self, way: Way) -> bool:
        """Return whether a liar keeps its story where there is no true value that it may name.

        One that lets the truth slip now and then makes something up whenever it leaves its story.
        """
        return way == "plan" or (way == "concede" and not self.slip)

    def lies(self, choices: int, *, truth: bool = True) -> Mapping[Lie, Fraction]:
        """Return the probability of each value that it may name when it has to lie.

        Besides the value that its story needs, there are so many plausible `choices`. Without a
        true value that may be named, a liar that leaves its story invents one.
        """
        named = self.slip + self.concede if truth else Fraction(0)
        kept: tuple[Way, ...] = ("plan", "concede")
        plan = self.chance("plan")
        if not truth:
            plan = sum((self.chance(way) for way in kept if self.keeps_story(way)), Fraction(0))
        made_up = 1 - plan - named
        lies: dict[Lie, Fraction] = {"plan": plan, "truth": named}
        if not choices:
            lies["plan"] += made_up
        for number in range(choices):
            lies[number] = made_up / choices
        return lies


# Fitted on half of the bundled tasks against the two middle verifiers; see
# docs/concepts/players.md.
LEVELS = {
    level.name: level
    for level in (
        Level(
            "easy",
            "lies badly: lets the truth slip out, or makes things up that fit nothing",
            slip=Fraction(45, 100),
            invent=Fraction(40, 100),
        ),
        Level(
            "medium",
            "keeps to its story, or admits what the program returns and says that it is right",
            slip=Fraction(4, 100),
            invent=Fraction(6, 100),
            concede=Fraction(35, 100),
        ),
        Level(
            "hard",
            "lets nothing slip, chooses what to lie about, and turns one question aside",
            concede=Fraction(50, 100),
            aside=1,
        ),
    )
}


def chance_of_contradiction(
    levels: Sequence[Level], choices: int, *, truth: bool = True
) -> Fraction:
    """Return the probability that liars who sit apart contradict each other on one question.

    It is computed from all values that each of them may name independently when it has to lie
    without a prepared answer; see :meth:`Level.lies`. Honest experts never contradict each other.
    """
    lies = [level.lies(choices, truth=truth).items() for level in levels]
    return sum(
        (
            math.prod((chance for _, chance in said), start=Fraction(1))
            for said in itertools.product(*lies)
            if len({what for what, _ in said}) > 1
        ),
        start=Fraction(0),
    )


# The number of values that a liar thinks of, besides the one that its story needs.
INVENTIONS = 3


def plausible(story: Outcome, truth: Outcome) -> tuple[Outcome, ...]:
    """Return plausible false values other than the one that the story needs.

    All liars think of the same values in the same order; each picks its own.
    """
    if story.kind != "returned":
        return ()
    try:
        value = read_literal(story.text)
    except NotALiteralError:
        return ()
    taken = {story.text, truth.text}
    found = (repr(each) for each in _near(value))
    return tuple(Outcome("returned", text) for text in dict.fromkeys(found) if text not in taken)[
        :INVENTIONS
    ]


def _near(value: Any) -> Iterator[Any]:
    """Yield similar values: off by one, cut short, reordered."""
    match value:
        case bool() | None:
            return
        case int() | float():
            yield value + 1
            # Counts and lengths are never negative.
            yield from (value - step for step in (1, 2) if value < 0 or value - step >= 0)
            yield from (value + 2, value + 3)
        case str() | list() | tuple():
            yield from _near_sequence(cast("Any", value))
        case dict():
            entries = list(cast("dict[Any, Any]", value).items())
            for key, last in reversed(entries):
                yield from ({**value, key: other} for other in _near(last))
            yield from (dict(entries[:-1]), dict(entries[1:])) if entries else ()
        case _:
            return


def _near_sequence(value: Any) -> Iterator[Any]:
    if not value:
        yield from ([0], [1], [0, 0]) if isinstance(value, list) else ()
        return
    yield from (value[:-1], value[1:])
    if len(value) > 1:
        yield value[:-2] + value[-1:] + value[-2:-1]
    if not isinstance(value, str):
        for other in _near(value[-1]):
            yield value[:-1] + type(value)([other])
    yield value + value[-1:]


@displayed
@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for a part of an expert's message."""

    channel: str
    # The part, in the expert's words.
    text: str
    lie: bool
    # The probability that liars like those of this side contradict each other on this question.
    chance: Fraction | None = None


def reasons(origin: Mapping[str, Any], y: int, levels: Sequence[str] = ()) -> list[Reason]:
    """Return the reasons for the parts of an expert's move, from the record of the move.

    Entries of an unknown form are ignored. `y` is the label, and `levels` are those of all experts
    of its side who sit apart, its own included.
    """
    stance = origin.get("stance")
    liar = stance in (0, 1) and stance != y
    known = [LEVELS[level] for level in levels if level in LEVELS]
    found: list[Reason] = []
    said = origin.get("said")
    for item in cast("list[Any]", said) if isinstance(said, list) else []:
        if isinstance(item, Mapping):
            part = {str(key): value for key, value in cast("Mapping[Any, Any]", item).items()}
            text, lie = _reason(part, liar=liar)
            choices = part.get("choices")
            telling = part.get("telling") is True and len(known) > 1
            chance = (
                chance_of_contradiction(known, choices, truth=part.get("how") != "graph")
                if telling and type(choices) is int and 0 <= choices <= INVENTIONS
                else None
            )
            found.append(Reason(str(part.get("on", "")), text, lie, chance))
    return found


def _reason(part: Mapping[str, Any], *, liar: bool) -> tuple[str, bool]:
    about, way = part.get("about"), part.get("way")
    claimed, found = part.get("claimed"), part.get("found")
    match part.get("how"):
        case "prepared":
            return f"On {about}, I said what was prepared for my side.", liar
        case "repeated":
            return f"On {about}, I had said that already.", liar
        case "evaded" if way == "evade":
            return f"On {about}, I would have had to lie, so I said nothing.", False
        case "evaded":
            return "I had no answer to that.", False
        case "aside":
            return f"On {about}, I turned to an input on which I need not lie.", False
        case "line":
            return f"I read out {about}, which anybody can check.", False
        case _ if way == "plan":
            return (
                f"On {about}, I had found {found}, and said {claimed}, because my side needs it.",
                True,
            )
        case _ if way == "concede":
            return (
                f"On {about}, I said what it returns, {found}, and lied about what is right.",
                True,
            )
        case _ if way == "slip":
            return f"On {about}, I let the truth slip: {claimed}.", False
        case _ if way == "invent":
            return f"On {about}, nothing was prepared, and I made up {claimed} by myself.", True
        case _ if claimed:
            return f"On {about}, I said what I had found: {claimed}.", False
        case _:
            return f"On {about}, I said what anybody can see.", False
