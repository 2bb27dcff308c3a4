"""A study as data: many episodes under stated conditions. Frozen, and made by the reader only.

.. code-block:: text

    StudyError (ValueError)    the file asks for something impossible: where, and what to do
    └── RecordError            the folder with what was played cannot be used
        └── RecordBusyError    another run is using it
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from explorer.usage import Budget, Prices
from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.documents import stable_hash
from nip_core.errors import NipError
from nip_core.tasks import Task

__all__ = [
    "Condition",
    "PlayerChoice",
    "ProtocolChoice",
    "RecordBusyError",
    "RecordError",
    "Side",
    "Study",
    "StudyError",
    "TaskSource",
    "drawn",
    "models_of",
    "problem_of",
]


class StudyError(NipError, ValueError):
    """A study's file asks for something impossible: where in it, and what to do."""


class RecordError(StudyError):
    """The folder with what was played cannot be used."""


class RecordBusyError(RecordError):
    """Another run is at this folder."""


Side = Literal["protocol", "accept", "reject", "truth", "lie", "both"]


@displayed
@dataclass(frozen=True, slots=True)
class PlayerChoice:
    """Who or what can take a seat.

    Parameters
    ----------
    name : str
        What conditions call it.
    kind : {"scripted", "random", "model"}
    level, strategy : str, optional
        Of a script.
    model, base_url : str
        Of a model, as Inspect names it; where a service of one's own answers.
    settings, arguments : mapping
        What is sent with every request; what the provider gets.
    corrections : int
        How often an answer that is no move goes back with the reason.
    prices : Prices, optional
    """

    name: str
    kind: Literal["scripted", "random", "model"]
    level: str | None = None
    strategy: str | None = None
    model: str = ""
    base_url: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    corrections: int = 2
    prices: Prices = Prices()


@displayed
@dataclass(frozen=True, slots=True)
class ProtocolChoice:
    """A protocol with its parameters.

    Parameters
    ----------
    name : str
        What conditions call it.
    protocol : str
        A registered protocol's name; empty where there is a document.
    parameters : mapping
        Groups, as :class:`~nip_core.HyperParameters` takes them.
    document : mapping, optional
        The specification as a document.
    max_response_words : int
    informed_provers : bool
    """

    name: str
    protocol: str
    parameters: Mapping[str, Any]
    document: Mapping[str, Any] | None
    max_response_words: int
    informed_provers: bool


@dataclass(frozen=True, slots=True)
class TaskSource:
    """Tasks from one place.

    Parameters
    ----------
    tasks : tuple of Task
        All that fit.
    problems : int, optional
        How many problems are drawn; all if it is left out.
    """

    tasks: tuple[Task, ...]
    problems: int | None


@displayed
@dataclass(frozen=True, slots=True)
class Condition:
    """One protocol with one player in each seat.

    Parameters
    ----------
    name : str
    protocol : ProtocolChoice
    seats : mapping of str to PlayerChoice
        By agent, in the agents' order.
    verifier, provers : str
        The players' names; several provers' are joined by ``+``, and empty where there are none.
    side : str
        What provers argue for, where it can be chosen.
    swap : bool
        Is each task played again with the provers' players moved on by a seat?
    both_orders : bool
        Is each task played with either prover first?
    """

    name: str
    protocol: ProtocolChoice
    seats: Mapping[str, PlayerChoice]
    verifier: str
    provers: str
    side: Side
    swap: bool
    both_orders: bool

    @property
    def engine(self) -> Literal["executor", "inspect"]:
        """What plays it; where Inspect is not installed, our own client asks the models."""
        asks = any(player.kind == "model" for player in self.seats.values())
        return "inspect" if asks else "executor"


@dataclass(frozen=True, slots=True)
class Study(Tabular):
    """Many episodes under stated conditions.

    Parameters
    ----------
    name, about : str
    seed : int
        From which everything is drawn.
    epochs : int
        How often each task is played under each condition.
    paired : bool
        Do all conditions play the same tasks with the same draws?
    sources : tuple of TaskSource
    conditions : tuple of Condition
    budget : Budget
    text : str
        The file.
    """

    name: str
    about: str
    seed: int
    epochs: int
    paired: bool
    sources: tuple[TaskSource, ...]
    conditions: tuple[Condition, ...]
    budget: Budget
    text: str

    def __repr__(self) -> str:
        solutions = sum(len(source.tasks) for source in self.sources)
        counted = f"{len(self.conditions):,} conditions", f"{solutions:,} tasks to draw from"
        return line(self, brief(self.name), *counted, f"{self.epochs:,} epochs")

    def table(self) -> Table:
        """Its conditions."""
        return Table(
            ("condition", "protocol", "verifier", "provers", "side", "engine"),
            [
                (c.name, c.protocol.name, c.verifier, c.provers, c.side, c.engine)
                for c in self.conditions
            ],
        )

    def condition(self, name: str) -> Condition:
        """The condition of this name."""
        return next(each for each in self.conditions if each.name == name)


def models_of(conditions: Iterable[Condition]) -> list[PlayerChoice]:
    """The models that take part, each once."""
    found = {
        player.name: player
        for condition in conditions
        for player in condition.seats.values()
        if player.kind == "model"
    }
    return list(found.values())


def problem_of(task: Task) -> str:
    """What tasks have in common that are about the same problem: the clusters of the statistics.

    The solutions of one question are one problem; pairs of graphs are one each.
    """
    if task.payload is not None:
        return task.id
    return stable_hash("nip-problem/1", task.kind, task.question).hex()[:16]


def drawn(sources: Iterable[TaskSource], *seed: str | int) -> tuple[Task, ...]:
    """The tasks that take part, in the order of their sources."""
    chosen: list[Task] = []
    for number, source in enumerate(sources):
        problems = {
            problem: stable_hash("nip-study-problem/1", *seed, number, problem)
            for problem in map(problem_of, source.tasks)
        }
        kept = set(sorted(problems, key=problems.__getitem__)[: source.problems])
        chosen.extend(task for task in source.tasks if problem_of(task) in kept)
    return tuple(chosen)
