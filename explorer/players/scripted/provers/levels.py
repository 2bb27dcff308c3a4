"""How well liars lie: levels, made-up values, and what their records mean afterwards."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast

from explorer.players.scripted.provers.voices import drawn
from explorer.programs import NotALiteralError, Outcome, read_literal
from nip_core.displays import displayed

# What a liar does if it has to lie without a prepared answer.
Way = Literal["plan", "invent", "slip", "evade"]
# A liar's answers that others can distinguish; None is no answer.
Lie = Hashable


@displayed
@dataclass(frozen=True, slots=True)
class Level:
    """How well a prover plays.

    Parameters
    ----------
    name : str
    about : str
        Shown where it is chosen.
    ways : tuple of str
        What it does where it has to lie, one of these with equal chances each time.
    """

    name: str
    about: str
    ways: tuple[Way, ...]

    def way(self, *about: str | int) -> Way:
        """Return what is done in one case: the same whenever the same is asked."""
        return self.ways[drawn("way", *about) % len(self.ways)]

    def pick(self, choices: int, *about: str | int) -> int:
        """Return which of several inventions it uses; all are equally likely."""
        return drawn("invention", *about) % choices

    def chance(self, way: Way) -> Fraction:
        """Return how often it does what."""
        return Fraction(self.ways.count(way), len(self.ways))

    def lies(self, choices: int, *, truth: bool = True) -> Mapping[Lie, Fraction]:
        """Return how likely each thing is that it may say where it has to lie.

        Parameters
        ----------
        choices : int
            How many values come to mind that might pass, besides the one that the story needs.
        truth : bool
            Is there a true value that may slip out? Else a liar who leaves the story makes one up.
        """
        slip = self.chance("slip") if truth else Fraction(0)
        made_up = 1 - self.chance("plan") - self.chance("evade") - slip
        lies: dict[Lie, Fraction] = {
            "plan": self.chance("plan"),
            "slip": slip,
            None: self.chance("evade"),
        }
        if not choices:
            lies["plan"] += made_up
        for number in range(choices):
            lies[number] = made_up / choices
        return lies


def _level(name: str, about: str, *, plan: int, invent: int, slip: int, evade: int) -> Level:
    times: dict[Way, int] = {"plan": plan, "invent": invent, "slip": slip, "evade": evade}
    return Level(name, about, tuple(way for way, n in times.items() for _ in range(n)))


LEVELS = {
    level.name: level
    for level in (
        _level(
            "easy",
            "lies badly: makes things up, lets the truth slip out, or evades",
            plan=5,
            invent=6,
            slip=7,
            evade=2,
        ),
        _level(
            "medium",
            "keeps to its story most of the time, but may make things up or slip",
            plan=12,
            invent=5,
            slip=2,
            evade=1,
        ),
        _level(
            "hard",
            "knows its story, lets nothing slip, and seldom has to make something up",
            plan=14,
            invent=6,
            slip=0,
            evade=0,
        ),
    )
}


def chance_of_contradiction(
    levels: Sequence[Level], choices: int, *, truth: bool = True
) -> Fraction:
    """Return how often liars who sit apart contradict each other when all are asked the same thing.

    Worked out by going through all that each of them may say by itself, where it must lie and
    nothing was prepared. Honest experts never contradict each other.

    Parameters
    ----------
    levels : sequence of Level
    choices, truth
        As for :meth:`Level.lies`.
    """
    lies = [level.lies(choices, truth=truth).items() for level in levels]
    return sum(
        (
            math.prod((chance for _, chance in said), start=Fraction(1))
            for said in itertools.product(*lies)
            if len({what for what, _ in said if what is not None}) > 1
        ),
        start=Fraction(0),
    )


# A liar thinks of so many values besides the one that its story needs, and not of more.
INVENTIONS = 3


def plausible(story: Outcome, truth: Outcome) -> tuple[Outcome, ...]:
    """Return plausible false values, besides the one that the story needs.

    All liars think of the same ones in the same order. Which of them one takes is its own affair.
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
    """Values like this one: off by one, cut short, in another order."""
    match value:
        case bool() | None:
            return
        case int() | float():
            yield value + 1
            # Counts and lengths are not negative, and a liar knows that.
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
    """Why an expert has said a part of a message.

    Parameters
    ----------
    channel : str
    text : str
        In its own words.
    lie : bool
    chance : Fraction, optional
        How often this question makes liars like those of this side contradict each other.
    """

    channel: str
    text: str
    lie: bool
    chance: Fraction | None = None


def reasons(origin: Mapping[str, Any], y: int, levels: Sequence[str] = ()) -> list[Reason]:
    """Return why an expert has said what it has said in one move.

    Parameters
    ----------
    origin : mapping
        The record of the move. What is not of the documented shape is passed over.
    y : {0, 1}
        The label.
    levels : sequence of str
        Of all experts of its side who sit apart from each other, its own too.
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
        case "line":
            return f"I read out {about}, which anybody can check.", False
        case _ if way == "plan":
            return (
                f"On {about}, I had found {found}, and said {claimed}, because my side needs it.",
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
