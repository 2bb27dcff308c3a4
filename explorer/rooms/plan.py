"""What the facilitator of a room chooses, and what can be played of it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, cast

from explorer.game_table.start import find_task
from explorer.rooms.errors import PlanError
from nip_core.displays import displayed
from nip_core.documents import stable_hash, text_fault
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.play import Setup
from nip_core.registry import protocol_spec
from nip_core.spec import ProtocolSpec
from nip_core.tasks import Task

__all__ = ["MOST_DAYS", "MOST_TABLES", "Condition", "Plan"]

MOST_TABLES = 150
MOST_TASKS = 50
MOST_CONDITIONS = 4
MOST_DAYS = 366
MOST_SECONDS = 3600
LEAST_SECONDS = 10
# How many versions of a task are looked at for one with the truth that was asked for.
TRIES = 64

Seating = Literal["random", "choice"]
Bot = Literal["scripted", "random", ""]
Truth = Literal["drawn", "false", "true"]
Gallery = Literal["none", "end", "seat"]

KINDS = ("tables", "lesson")
SEATINGS = ("random", "choice")
SEATS = ("person", "scripted", "random", "llm")
BOTS = ("scripted", "random", "")
BOTS_TOLD = ("end", "once")
TRUTHS = ("drawn", "false", "true")
GALLERIES = ("none", "end", "seat")


@displayed
@dataclass(frozen=True)
class Condition:
    """One way to play that tables are drawn for.

    Parameters
    ----------
    name : str
        What the facilitator calls it.
    parameters : HyperParameters
        The protocol.
    """

    name: str
    parameters: HyperParameters

    @cached_property
    def spec(self) -> ProtocolSpec:
        """The protocol as data."""
        return protocol_spec(self.parameters)


@displayed
@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that is chosen when a room is made.

    Parameters
    ----------
    kind : {"tables", "lesson"}
    title : str
        What the facilitator calls the room, if they do.
    lesson : str
        The lesson's name in addresses; of a lesson only.
    conditions : tuple of Condition
        The ways to play; each table is drawn one, as many tables each as can be. Of a lesson there
        may be one, for pairs of phones.
    tasks : tuple of str
        What is played on, as :func:`~explorer.game_table.start.find_task` takes it; all tables of
        the room share them, in different orders.
    truth : {"drawn", "false", "true"}
        Do the statements hold?
    tables : int, optional
        How many; as many as people need if it is left out.
    seating : {"random", "choice"}
    seats : mapping of str to str
        Who plays a seat, by agent: ``"person"`` where nothing is said, ``"scripted"``,
        ``"random"`` or ``"llm"``.
    models : mapping of str to mapping
        What a language model in a seat is and how it is asked, by agent. Never a key.
    bots : {"scripted", "random", ""}
        Which bots play for people: in seats that nobody takes, for whoever leaves, and for whoever
        has not moved when a round's time is up. If it is empty, no bot ever does: such seats stay
        free, and a table ends when its time is up.
    bots_told : {"end", "once"}
        When the others at a table are told that a bot has moved for somebody: when their table is
        over, or at once. The person is always told at once.
    round_seconds : int, optional
        How long a round may last.
    names : bool
        Are people asked for a name? It is not kept otherwise.
    gallery : {"none", "end", "seat"}
        What spectators see: nothing, all once it is revealed, or also one seat's view meanwhile.
    gallery_seat : (int, str), optional
        Table and agent.
    keep_days : int
        After how long all of it is deleted.
    rehearsal : bool
        May the facilitator play too, and one browser be several people?
    seed : int
        Draws all that is drawn.
    """

    kind: str = "tables"
    title: str = ""
    lesson: str = ""
    conditions: tuple[Condition, ...] = ()
    tasks: tuple[str, ...] = ("code",)
    truth: str = "drawn"
    tables: int | None = None
    seating: str = "random"
    seats: Mapping[str, str] = field(default_factory=dict[str, str])
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    bots: str = "scripted"
    bots_told: str = "end"
    round_seconds: int | None = None
    names: bool = False
    gallery: str = "end"
    gallery_seat: tuple[int, str] | None = None
    keep_days: int = 30
    rehearsal: bool = False
    seed: int = field(default_factory=lambda: secrets.randbelow(2**31))

    # -- what follows from it ------------------------------------------------------------------

    def condition(self, name: str) -> Condition:
        """A condition by its name."""
        return next(each for each in self.conditions if each.name == name)

    def seat_kind(self, agent: str) -> str:
        """Who plays an agent's seats."""
        return self.seats.get(agent, "person")

    def people_seats(self, condition: Condition) -> tuple[str, ...]:
        """The agents that people play, the verifier first: a seat that is filled first."""
        spec = condition.spec
        mine = [agent for agent in spec.agent_names if self.seat_kind(agent) == "person"]
        return tuple(sorted(mine, key=lambda agent: agent not in spec.verifiers))

    def task(self, place: int) -> tuple[str, Task]:
        """The choice and the task at a place of the room's endless list of tasks."""
        choice = self.tasks[place % len(self.tasks)]
        wanted = {"false": 0, "true": 1}.get(self.truth)
        for attempt in range(TRIES):
            drawn = stable_hash("nip-room-task/1", self.seed, place, attempt)
            task = find_task(choice, int.from_bytes(drawn[:4], "big") % 2**31)
            if wanted is None or task.y == wanted:
                return choice, task
        raise PlanError(
            f"The task {choice!r} has no version whose statement is {self.truth}. Choose another "
            "task, or let the truth be drawn."
        )

    # -- checking ------------------------------------------------------------------------------

    def check(self) -> None:
        """See that it can be played.

        Raises
        ------
        PlanError
            Saying what to change.
        """
        for name, value, known in (
            ("kind", self.kind, KINDS),
            ("truth", self.truth, TRUTHS),
            ("seating", self.seating, SEATINGS),
            ("bots", self.bots, BOTS),
            ("bots_told", self.bots_told, BOTS_TOLD),
            ("gallery", self.gallery, GALLERIES),
        ):
            _need(value in known, f"{name} must be one of {', '.join(map(repr, known))}.")
        fault = text_fault(self.title, 100) if self.title else None
        _need(not fault, f"The room's name must be {fault}.")
        _need(_whole(self.seed, 0, 2**31), "The seed must be a whole number.")
        _need(_whole(self.keep_days, 1, MOST_DAYS), f"A room is kept for 1 to {MOST_DAYS} days.")
        _need(
            self.round_seconds is None or _whole(self.round_seconds, LEAST_SECONDS, MOST_SECONDS),
            f"A round may last from {LEAST_SECONDS} seconds to {MOST_SECONDS // 60} minutes.",
        )
        _need(
            self.tables is None or _whole(self.tables, 1, MOST_TABLES),
            f"A room has 1 to {MOST_TABLES} tables.",
        )
        _need(
            self.seating != "choice" or self.tables is not None,
            "Say how many tables there are, so that people can choose their seats.",
        )
        _need(self.kind != "lesson" or bool(self.lesson), "Choose the lesson.")
        _need(self.kind != "tables" or bool(self.conditions), "Choose a protocol.")
        _need(
            len(self.conditions) <= MOST_CONDITIONS,
            f"A room compares at most {MOST_CONDITIONS} conditions.",
        )
        names = [each.name for each in self.conditions]
        _need(len(set(names)) == len(names), "Each condition needs a name of its own.")
        _need(1 <= len(self.tasks) <= MOST_TASKS, f"A room has 1 to {MOST_TASKS} tasks.")
        self._check_seats()
        if self.kind == "tables":
            self._check_play()

    def _check_seats(self) -> None:
        agents = {agent for each in self.conditions for agent in each.spec.agent_names}
        for agent, kind in self.seats.items():
            _need(agent in agents, f"No protocol of this room has a seat {agent!r}.")
            _need(kind in SEATS, f"A seat is played by one of {', '.join(SEATS)}.")
            _need(
                kind != "llm" or agent in self.models,
                f"Say which language model plays {agent!r}.",
            )
        for each in self.conditions:
            _need(bool(self.people_seats(each)), "Leave at least one seat to people.")
        if self.gallery == "seat":
            _need(
                self.gallery_seat is not None and self.gallery_seat[1] in agents,
                "Choose the table and the seat that spectators may look at.",
            )

    def _check_play(self) -> None:
        for number in range(len(self.tasks)):
            try:
                _, task = self.task(number)
                for each in self.conditions:
                    Setup.of(each.parameters, task, 0)
            except NipError as error:
                raise PlanError(str(error)) from None

    # -- documents -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The plan as a plain document."""
        document = {each.name: getattr(self, each.name) for each in fields(self)}
        document["conditions"] = [
            {"name": each.name, "parameters": each.parameters.to_dict()} for each in self.conditions
        ]
        document["tasks"] = list(self.tasks)
        document["seats"] = dict(self.seats)
        document["models"] = {agent: dict(said) for agent, said in self.models.items()}
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Plan:
        """Read what :meth:`to_dict` made."""
        values = dict(document)
        values["conditions"] = tuple(
            Condition(each["name"], HyperParameters.from_dict(each["parameters"]))
            for each in cast("list[dict[str, Any]]", values["conditions"])
        )
        values["tasks"] = tuple(values["tasks"])
        seat = values["gallery_seat"]
        values["gallery_seat"] = None if seat is None else (seat[0], seat[1])
        return cls(**values)


def _need(holds: bool, otherwise: str) -> None:
    if not holds:
        raise PlanError(otherwise)


def _whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high
