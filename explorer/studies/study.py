"""A study as frozen data: many episodes under stated conditions. Made by the reader.

.. code-block:: text

    StudyError (ValueError)    the file asks for something impossible: where, and what to do
    └── RecordError            the folder with what was played cannot be used
        └── RecordBusyError    another run is using it
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from explorer.choice import OWN, ProtocolChoice
from explorer.usage import Prices, UsageBudget
from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.documents import stable_hash
from nip_core.errors import NipError
from nip_core.tasks import Passage, Task

if TYPE_CHECKING:
    from explorer.studies.people_plan import PeoplePlan
    from nip_core.language import Specification
    from nip_core.play import Material


# The material of an episode: a statement, a passage, or the parts and facts that a protocol names.
StudyTask: TypeAlias = "Task | Passage | Material"


class StudyError(NipError, ValueError):
    """A study's file asks for something impossible: where in it, and what to do."""


class RecordError(StudyError):
    """The folder of a record cannot be used."""


class RecordBusyError(RecordError):
    """Another run uses this folder."""


Side = Literal["protocol", "accept", "reject", "truth", "lie", "both"]


@displayed
@dataclass(frozen=True, slots=True)
class PlayerChoice:
    """The players that can take a seat."""

    name: str  # its name in conditions
    kind: Literal["scripted", "random", "model", "person"]
    # The level and strategy of a script.
    level: str | None = None
    strategy: str | None = None
    # Inspect's name of a model, and the address of one's own service.
    model: str = ""
    base_url: str = ""
    # Options sent with every request, and arguments for the provider.
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    corrections: int = 2  # how often an invalid answer is returned to the model with the reason
    prices: Prices = Prices()


@displayed
@dataclass(frozen=True, slots=True)
class StudyProtocol:
    """A protocol of a study."""

    name: str  # its name in conditions
    choice: ProtocolChoice
    max_response_words: int
    informed_provers: bool

    @property
    def known_as(self) -> str:
        """The name of a registered or published protocol; empty for one of one's own."""
        return "" if self.choice.name == OWN else self.choice.name


@dataclass(frozen=True, slots=True)
class TaskSource:
    """Tasks from one place."""

    tasks: tuple[StudyTask, ...]  # all matching tasks
    problems: int | None  # how many problems are drawn; by default all


@displayed
@dataclass(frozen=True, slots=True)
class Condition:
    """One protocol with one player in each seat."""

    name: str
    protocol: StudyProtocol
    seats: Mapping[str, PlayerChoice]  # players by agent, in the agents' order
    # The players' names on each side (see :func:`sides_of`), joined by ``+``; empty if a side has
    # no seats.
    verifier: str
    provers: str
    side: Side  # what provers argue for, if it can be chosen
    swap: bool  # whether each task is played again with the provers' players rotated by a seat
    both_orders: bool  # whether each task is played with each prover first

    @property
    def engine(self) -> Literal["executor", "inspect"]:
        """The engine that plays it; without Inspect, our own client asks the models."""
        asks = any(player.kind == "model" for player in self.seats.values())
        return "inspect" if asks else "executor"


@dataclass(frozen=True, slots=True)
class Study(Tabular):
    """Many episodes under stated conditions.

    Parameters
    ----------
    seed : int
        The seed of all random draws.
    epochs : int
        How often each task is played under each condition.
    paired : bool
        Whether all conditions play the same tasks with the same draws.
    text : str
        The file's text.
    """

    name: str
    about: str
    seed: int
    epochs: int
    paired: bool
    sources: tuple[TaskSource, ...]
    conditions: tuple[Condition, ...]
    budget: UsageBudget
    text: str
    people: PeoplePlan | None = None  # how people take part, if they do

    def __repr__(self) -> str:
        solutions = sum(len(source.tasks) for source in self.sources)
        counted = f"{len(self.conditions):,} conditions", f"{solutions:,} tasks to draw from"
        return line(self, brief(self.name), *counted, f"{self.epochs:,} epochs")

    def table(self) -> Table:
        """Return the conditions as a table."""
        return Table(
            ("condition", "protocol", "verifier", "provers", "side", "engine"),
            [
                (c.name, c.protocol.name, c.verifier, c.provers, c.side, c.engine)
                for c in self.conditions
            ],
        )

    def condition(self, name: str) -> Condition:
        """Return the condition of this name."""
        return next(condition for condition in self.conditions if condition.name == name)


def models_of(conditions: Iterable[Condition]) -> list[PlayerChoice]:
    """Return the models that take part, each once."""
    models = {
        player.name: player
        for condition in conditions
        for player in condition.seats.values()
        if player.kind == "model"
    }
    return list(models.values())


def sides_of(spec: Specification) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the seats of verifiers, which decide and argue for nothing, and of all others."""
    verifiers = tuple(filter(spec.roles.judges, spec.roles.deciders))
    return verifiers, tuple(seat for seat in spec.seat_names if seat not in verifiers)


SIDES = ("accept", "reject", "truth", "lie", "both")


def sides_to_choose(choice: ProtocolChoice) -> tuple[str, ...]:
    """Return what the `side` of a condition can be, besides ``protocol``; empty if nothing.

    The name of an option of the choice that deals the sides is also possible.
    """
    if choice.can_draw_side:
        return SIDES
    spec = choice.rules
    name = spec.roles.dealt
    if name is None:
        return ("truth", "lie", "both") if leading_side(spec) is not None else ()
    options = tuple(map(str, spec.options[name]))
    if argues_for_an_answer(spec):
        return tuple(dict.fromkeys((*options, *SIDES)))
    return (*options, "both") if len(options) == 2 else options


def leading_side(spec: Specification) -> str | None:
    """Return the answer for which the first of two debaters argues, if both sides are fixed.

    The order of a passage's two answers then says who argues for the truth.
    """
    options = tuple(map(str, spec.roles.answers))
    argued = [str(side) for side in spec.roles.fixed_sides.values() if str(side) in options]
    has_answers = any(part.name == "answers" for part in spec.parts)
    both = len(options) == 2 and {*argued} == {*options}
    return argued[0] if both and has_answers else None


def argues_for_an_answer(spec: Specification) -> bool:
    """Return whether seats argue for one of two options of the truth, or for the other one."""
    truth, dealt = {*spec.roles.answers}, spec.roles.dealt
    return len(truth) == 2 and (dealt is None or {*spec.options[dealt]} == truth)


def with_dealt(spec: Specification, name: str) -> Specification:
    """Return a protocol in which chance makes a seat's choice before the first turn.

    A NipError says that it cannot be played without the seat's choice.
    """
    if spec.choice(name).by == "chance":
        return spec
    from nip_core.language import Specification

    document = spec.to_dict()
    chooser = document["choices"][name]["by"]
    document["choices"][name]["by"] = "chance"
    if isinstance(seen := document["choices"][name]["seen"], dict):
        seen[chooser] = "start"
    for stage in document["stages"]:
        for turn in stage["turns"]:
            act = turn.get(chooser)
            if isinstance(act, dict) and name in act.get("choose", ()):
                act["choose"].remove(name)
                if not act["choose"]:
                    del act["choose"]
                if not act.get("say") and "choose" not in act:
                    del turn[chooser]
        stage["turns"] = [turn for turn in stage["turns"] if turn]
    document["stages"] = [stage for stage in document["stages"] if stage["turns"]]
    return Specification.from_dict(document)


def problem_of(task: StudyTask) -> str:
    """Return the problem of a task, by which the statistics cluster episodes.

    Solutions of one question share a problem; each pair of graphs and each passage is its own.
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
