"""What a game of a lesson is: a few moves against the machine, seen from one seat at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, Protocol

__all__ = [
    "Boxes",
    "Choice",
    "Circumstances",
    "Drawing",
    "Game",
    "GraphDrawing",
    "Line",
    "Role",
    "Scene",
]


@dataclass(frozen=True, slots=True)
class Role:
    """A side that a person may take: ``name`` in the address, ``label`` for people."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    """A graph to draw.

    Parameters
    ----------
    title : str
    edges : tuple of pairs of int
    places : mapping
        Where each node stands: x and y between 0 and 1.
    colours : mapping
        Which nodes are painted in colour 0, 1, 2...; each colour has its letter too.
    lit : tuple of int
        The nodes to draw the eye to.
    choices : mapping
        The nodes (or edges, ``"a-b"``) that can be clicked, and the choice that this makes.
    """

    title: str
    edges: tuple[tuple[int, int], ...]
    places: Mapping[int, tuple[float, float]]
    colours: Mapping[int, int] = field(default_factory=dict[int, int])
    lit: tuple[int, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Boxes:
    """Sealed and opened boxes (commitments): ``None`` is sealed."""

    title: str
    labels: tuple[str, ...]
    contents: tuple[str | None, ...]


Drawing = GraphDrawing | Boxes


@dataclass(frozen=True, slots=True)
class Line:
    """One line of what was said so far, and by whom ("You", "Merlin", ...)."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A move that the person may make now."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Circumstances of a play. A class counts the plays of each apart, beside what theory says.

    Parameters
    ----------
    label : str
        For people: the circumstances, and on what condition the chances hold.
    chances : mapping
        The outcomes that can come, each with its chance; None where it depends on how people play.
    """

    label: str
    chances: Mapping[str, Fraction | None]


@dataclass(frozen=True, slots=True)
class Scene:
    """What the person at a seat sees now, and may do. Nothing else of the game reaches them.

    Parameters
    ----------
    said : tuple of Line
    drawings : tuple of GraphDrawing or Boxes
    prompt : str
        What is asked of the person now, or how the game ended.
    choices : tuple of Choice
        Empty when the game is over.
    outcome, case : str, optional
        At the end, one of the game's outcomes, and in which of its cases it came.
    """

    said: tuple[Line, ...]
    drawings: tuple[Drawing, ...]
    prompt: str
    choices: tuple[Choice, ...] = ()
    outcome: str | None = None
    case: str | None = None

    @property
    def options(self) -> frozenset[str]:
        """All that the person may choose now, by button or in a drawing."""
        graphs = (drawing for drawing in self.drawings if isinstance(drawing, GraphDrawing))
        drawn = (choice for graph in graphs for choice in graph.choices.values())
        return frozenset(drawn) | {choice.name for choice in self.choices}

    def check(self, choice: str) -> None:
        """Raise a ValueError if there is no such choice now."""
        if choice not in self.options:
            raise ValueError(f"There is no choice {choice!r} now.")


class Game(Protocol):
    """A game. States are plain documents (JSON), so that a page can keep one over a reload.

    Attributes
    ----------
    title : str
    roles : tuple of Role
    outcomes : mapping
        Each way the game can end, and what it is called for people.
    settings : mapping
        What a lesson's file may set up, and what that does.
    """

    title: str
    roles: tuple[Role, ...]
    outcomes: Mapping[str, str]
    settings: Mapping[str, str]

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """The cases of games with these settings."""
        ...

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> dict[str, Any]:
        """A new game, as a state."""
        ...

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """What the person sees of a state."""
        ...

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> dict[str, Any]:
        """The state after a choice, the machine's answer included; ValueError for no such one."""
        ...
