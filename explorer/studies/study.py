"""A study as data: many episodes under stated conditions. Frozen, and made by the reader only.

.. code-block:: text

    StudyError (ValueError)    the file asks for something impossible: where, and what to do
    └── RecordError            the folder with what was played cannot be used
        └── RecordBusyError    another run is using it
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from explorer.usage import Budget, Prices
from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.documents import stable_hash
from nip_core.errors import NipError
from nip_core.spec import ProtocolSpec
from nip_core.tasks import Passage, Task

if TYPE_CHECKING:
    from nip_core.language import Specification
    from nip_core.play.turns import Material

__all__ = [
    "Condition",
    "PlayerChoice",
    "ProtocolChoice",
    "RecordBusyError",
    "RecordError",
    "Side",
    "Study",
    "StudyError",
    "StudyTask",
    "TaskSource",
    "drawn",
    "models_of",
    "problem_of",
    "sides_of",
]

# What an episode can be about. Version 1 is played on a Task, and on one of the statements about a
# passage; version 2 on whatever has the parts that the protocol names.
StudyTask: TypeAlias = "Task | Passage | Material"


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
        A registered or published protocol's name; empty where there is a document.
    parameters : mapping
        Groups, as :class:`~nip_core.HyperParameters` takes them; of version 2, its settings.
    document : mapping, optional
        The specification as a document, of either version.
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
    tasks : tuple of Task, Passage or Material
        All that fit.
    problems : int, optional
        How many problems are drawn; all if it is left out.
    """

    tasks: tuple[StudyTask, ...]
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
        The players' names, as :func:`sides_of` parts the seats; several are joined by ``+``, and
        empty where there are none.
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
        """Return the condition of this name."""
        return next(each for each in self.conditions if each.name == name)


def models_of(conditions: Iterable[Condition]) -> list[PlayerChoice]:
    """Return the models that take part, each once."""
    found = {
        player.name: player
        for condition in conditions
        for player in condition.seats.values()
        if player.kind == "model"
    }
    return list(found.values())


def sides_of(spec: ProtocolSpec | Specification) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the seats of verifiers and of provers.

    In a version 2 protocol, verifiers are the seats that decide and argue for nothing, and provers
    are all others.
    """
    if isinstance(spec, ProtocolSpec):
        return tuple(spec.verifiers), tuple(spec.provers)
    verifiers = tuple(seat for seat in spec.deciders if spec.seat(seat).argues == "none")
    return verifiers, tuple(seat for seat in spec.seat_names if seat not in verifiers)


def problem_of(task: StudyTask) -> str:
    """What tasks have in common that are about the same problem: the clusters of the statistics.

    The solutions of one question are one problem; pairs of graphs, and passages, are one each.
    """
    if not isinstance(task, Task) or task.payload is not None:
        return task.id
    return stable_hash("nip-problem/1", task.kind, task.question).hex()[:16]


def drawn(sources: Iterable[TaskSource], *seed: str | int) -> tuple[StudyTask, ...]:
    """Return the tasks that take part, in the order of their sources."""
    chosen: list[StudyTask] = []
    for number, source in enumerate(sources):
        problems = {
            problem: stable_hash("nip-study-problem/1", *seed, number, problem)
            for problem in map(problem_of, source.tasks)
        }
        kept = set(sorted(problems, key=problems.__getitem__)[: source.problems])
        chosen.extend(task for task in source.tasks if problem_of(task) in kept)
    return tuple(chosen)
