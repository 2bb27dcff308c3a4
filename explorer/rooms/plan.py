"""A facilitator's choices for a room: conditions, tasks, limits, and presets."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self, cast

from explorer.choice import ProtocolChoice
from explorer.languages import known_language, languages
from explorer.lessons import document
from explorer.play import find_task, materials, setup_of
from explorer.rooms.errors import PlanError
from nip_core.displays import displayed
from nip_core.documents import stable_hash, text_fault
from nip_core.errors import NipError
from nip_core.play import Material, Setup
from nip_core.tasks import Difficulty, problems

if TYPE_CHECKING:
    from nip_core.language import Specification

MOST_TABLES = 150
MOST_TASKS = 50
# The most tasks that a facilitator writes, and their characters together, since every change of a
# room reads them.
MOST_WRITTEN, MOST_LETTERS = 8, 200_000
MOST_CONDITIONS = 4
MOST_DAYS = 366
MOST_SECONDS = 3600
LEAST_SECONDS = 10
# How many variants of a task are tried to find one with the wanted truth value.
ATTEMPTS = 64

KINDS = ("tables", "lesson")
SEATINGS = ("random", "choice")
SEATS = ("person", "scripted", "random", "llm")
BOTS = ("scripted", "random", "")
BOTS_TOLD = ("end", "once")
TRUTHS = ("drawn", "false", "true")
GALLERIES = ("none", "end", "seat")


def workshop_lengths() -> tuple[int, ...]:
    """Return how many minutes a workshop may take."""
    return tuple(sorted({session["minutes"] for session in document("guide")["session"]}))


@displayed
@dataclass(frozen=True)
class RoomCondition:
    """A variant of the protocol; each table is assigned one at random."""

    name: str  # the facilitator's name for it
    choice: ProtocolChoice

    @property
    def rules(self) -> Specification:
        """Return the protocol's rules."""
        return self.choice.rules

    @property
    def protocol(self) -> str:
        """Return the protocol's name."""
        return self.rules.name

    def to_dict(self) -> dict[str, Any]:
        """Return it as a plain document."""
        return {"name": self.name, **self.choice.to_dict()}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the condition that :meth:`to_dict` wrote."""
        return cls(document["name"], ProtocolChoice.from_dict(document))


@displayed
@dataclass(frozen=True, kw_only=True)
class RoomPlan:
    """All settings of a room."""

    kind: str = "tables"
    title: str = ""  # the facilitator's name for the room; may be empty
    lesson: str = ""  # the lesson's name in addresses; for lessons only
    # Tables are assigned to them at random, as evenly as possible. A lesson may have one (pairs).
    conditions: tuple[RoomCondition, ...] = ()
    # What `find_task` takes, or `written_names`. All tables share them; a block of tables, one of
    # each condition, starts at a drawn place.
    tasks: tuple[str, ...] = ("code",)
    # The facilitator's own tasks, as `Material.to_dict` writes them.
    written: tuple[Mapping[str, Any], ...] = ()
    truth: str = "drawn"  # of the statements; one of `TRUTHS`
    tables: int | None = None  # how many; by default as many as the people need
    seating: str = "random"  # one of `SEATINGS`
    # The kind of player in each agent's seat, one of `SEATS`; by default a person.
    seats: Mapping[str, str] = field(default_factory=dict[str, str])
    # The language model in a seat and its settings, by agent. Never a key.
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    # Which of `BOTS` play in seats that nobody takes, for people who leave, and for people who have
    # not moved when a round's time is up. If it is empty, no bot ever does: such seats stay free,
    # and a table ends when its time is up.
    bots: str = "scripted"
    # When the others at a table see that a bot has moved for somebody: at the end of the table, or
    # at once. The person always sees it at once.
    bots_told: str = "end"
    round_seconds: int | None = None  # the time limit of a round
    names: bool = False  # whether people are asked for a name, which is then kept
    # What spectators see: nothing, everything once it is revealed, or one seat's view before that
    # as well.
    gallery: str = "end"
    gallery_seat: tuple[int, str] | None = None  # table and agent
    keep_days: int = 30  # after how many days the room is deleted
    minutes: int | None = None  # how long the workshop takes, for its plan minute by minute
    # Whether the facilitator may play as well, and one browser may be several people.
    rehearsal: bool = False
    # Of its windows, unless a person has chosen another one; empty for each browser's own.
    language: str = ""
    seed: int = field(default_factory=lambda: secrets.randbelow(2**31))

    # -- queries ---------------------------------------------------------------------------------

    def condition(self, name: str) -> RoomCondition:
        """Return a condition by its name."""
        return next(condition for condition in self.conditions if condition.name == name)

    def seat_kind(self, agent: str) -> str:
        """Return the kind of player in an agent's seats."""
        return self.seats.get(agent, "person")

    def people_seats(self, condition: RoomCondition) -> tuple[str, ...]:
        """Return the seats that people play, those that decide first, which are filled first."""
        rules = condition.rules
        mine = [seat for seat in rules.seat_names if self.seat_kind(seat) == "person"]
        return tuple(sorted(mine, key=lambda seat: seat not in rules.roles.deciders))

    @property
    def capacity(self) -> int | None:
        """Return how many people there are seats for; None if there are as many as come."""
        if self.kind != "tables" or self.tables is None:
            return None
        return self.tables * max(len(self.people_seats(condition)) for condition in self.conditions)

    @property
    def on_statements(self) -> bool:
        """Return whether all its protocols are about statements that hold or do not."""
        return all(condition.rules.roles.on_statement for condition in self.conditions)

    def task(self, place: int) -> tuple[str, Any]:
        """Return the choice and the task at a position of the room's endless list of tasks."""
        choice = self.tasks[place % len(self.tasks)]
        if choice in (names := written_names(len(self.written))):
            return choice, Material.from_dict(self.written[names.index(choice)])
        condition, wanted = self.conditions[0], {"false": "reject", "true": "accept"}
        for attempt in range(ATTEMPTS):
            drawn = stable_hash("nip-room-task/1", self.seed, place, attempt)
            seed = int.from_bytes(drawn[:4], "big") % 2**31
            task = find_task(condition.rules, choice, seed)
            if self.truth == "drawn" or truth_of(condition, task) == wanted[self.truth]:
                return choice, task
        raise PlanError(
            f"The task {choice!r} has no version whose statement is {self.truth}. Choose another "
            "task, or let the truth be drawn."
        )

    # -- checking ------------------------------------------------------------------------------

    def check(self) -> None:
        """Check that the plan can be played, or raise a PlanError that says what to change."""
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
            self.minutes is None or self.minutes in workshop_lengths(),
            f"A workshop takes {', '.join(map(str, workshop_lengths()))} minutes.",
        )
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
        _need(
            not self.language or known_language(self.language) is not None,
            f"A room speaks one of these languages: {', '.join(languages())}.",
        )
        _need(self.kind != "tables" or bool(self.conditions), "Choose a protocol.")
        _need(
            len(self.conditions) <= MOST_CONDITIONS,
            f"A room compares at most {MOST_CONDITIONS} conditions.",
        )
        names = [condition.name for condition in self.conditions]
        _need(len(set(names)) == len(names), "Each condition needs a name of its own.")
        _need(
            self.truth == "drawn" or self.on_statements,
            "In these protocols no statement is true or false; let the truth be drawn.",
        )
        _need(1 <= len(self.tasks) <= MOST_TASKS, f"A room has 1 to {MOST_TASKS} tasks.")
        _need(len(self.written) <= MOST_WRITTEN, f"Write at most {MOST_WRITTEN} tasks.")
        letters = len(json.dumps([*map(dict, self.written)]))
        _need(
            letters <= MOST_LETTERS,
            f"The tasks that you wrote have {letters:,} characters together; a room can have at "
            f"most {MOST_LETTERS:,}. Shorten them, or write fewer.",
        )
        self._check_seats()
        if self.kind == "tables":
            self._check_play()

    def _check_seats(self) -> None:
        agents = {agent for condition in self.conditions for agent in condition.rules.seat_names}
        for agent, kind in self.seats.items():
            _need(agent in agents, f"No protocol of this room has a seat {agent!r}.")
            _need(kind in SEATS, f"A seat is played by one of {', '.join(SEATS)}.")
            _need(
                kind != "llm" or agent in self.models,
                f"Say which language model plays {agent!r}.",
            )
        for condition in self.conditions:
            _need(bool(self.people_seats(condition)), "Leave at least one seat to people.")
        if self.gallery == "seat":
            _need(
                self.gallery_seat is not None and self.gallery_seat[1] in agents,
                "Choose the table and the seat that spectators may look at.",
            )

    def _check_play(self) -> None:
        for number in range(len(self.tasks)):
            try:
                _, task = self.task(number)
                for condition in self.conditions:
                    setup_of(condition.choice, task, 0, ())
            except NipError as error:
                raise PlanError(str(error)) from None

    # -- documents -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a plain document."""
        document = {field.name: getattr(self, field.name) for field in fields(self)}
        document["conditions"] = [condition.to_dict() for condition in self.conditions]
        document["tasks"] = list(self.tasks)
        document["written"] = [dict(task) for task in self.written]
        document["seats"] = dict(self.seats)
        document["models"] = {agent: dict(settings) for agent, settings in self.models.items()}
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> RoomPlan:
        """Return the plan that :meth:`to_dict` wrote."""
        values = dict(document)
        values["conditions"] = tuple(
            RoomCondition.from_dict(condition)
            for condition in cast("list[dict[str, object]]", values["conditions"])
        )
        values["tasks"] = tuple(values["tasks"])
        values["written"] = tuple(values.get("written", ()))
        seat = values["gallery_seat"]
        values["gallery_seat"] = None if seat is None else (seat[0], seat[1])
        return cls(**values)


def truth_of(condition: RoomCondition, task: Any) -> object:
    """Return what is true in a task."""
    rules = condition.rules
    return Setup.of(condition.choice.protocol, task).deal.facts.get(rules.roles.truth or "")


def _need(holds: bool, otherwise: str) -> None:
    if not holds:
        raise PlanError(otherwise)


def _whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


CODE = "code"
# The default number of tasks that the tables share.
TASKS = 8


@dataclass(frozen=True, slots=True)
class RoomPreset:
    """A topic for a workshop."""

    name: str
    about: str  # one sentence
    conditions: tuple[tuple[str, str], ...]  # the name of each condition, and its protocol
    truth: str = "drawn"  # as in `RoomPlan`


PRESETS: dict[str, RoomPreset] = {
    "apart": RoomPreset(
        "Two provers, apart",
        "Tables of three: a verifier questions two provers who cannot hear each other.",
        (("Provers apart", "mnip"),),
    ),
    "one": RoomPreset(
        "One prover",
        "Tables of two: a verifier questions a prover who may be lying.",
        (("One prover", "nip"),),
    ),
    "debate": RoomPreset(
        "Debate",
        "Tables of three: two provers argue for opposite verdicts before a verifier.",
        (("Debate", "debate"),),
    ),
    "isolation": RoomPreset(
        "Experiment: does isolation help?",
        "Tables in pairs play the same false statements. At one table of a pair the two provers "
        "hear each other, at the other they do not; chance draws which.",
        (("Provers together", "mnip_together"), ("Provers apart", "mnip")),
        "false",
    ),
    "opponent": RoomPreset(
        "Experiment: does an opponent help?",
        "Tables in pairs play the same false statements. One table of a pair has one prover, the "
        "other a debate; chance draws which.",
        (("One prover", "nip"), ("Debate", "debate")),
        "false",
    ),
    "reading": RoomPreset(
        "Experiment: consultancy or debate?",
        "A judge cannot read the text. Tables in pairs play the same tasks: one has one "
        "consultant, who may argue for a wrong answer, the other has two debaters. Quotes are "
        "checked.",
        (("Consultancy", "khan_consultancy"), ("Debate", "khan_debate")),
    ),
}


def conditions_of(preset: str, choice: ProtocolChoice | None = None) -> tuple[RoomCondition, ...]:
    """Return the conditions of a preset, or else a single condition with the given protocol."""
    if preset in PRESETS:
        conditions = PRESETS[preset].conditions
        return tuple(
            RoomCondition(name, ProtocolChoice.of(protocol)) for name, protocol in conditions
        )
    if choice is None:
        raise KeyError(preset)
    return (RoomCondition(choice.source.title, choice),)


def preset_of(plan: RoomPlan) -> str:
    """Return the preset that has the conditions of a plan; empty if there is none."""
    ways = tuple((condition.name, condition.protocol) for condition in plan.conditions)
    return next((name for name, preset in PRESETS.items() if preset.conditions == ways), "")


def written_names(count: int) -> tuple[str, ...]:
    """Return the names of this many tasks that a facilitator wrote."""
    return tuple(f"written-{number}" for number in range(1, count + 1))


def materials_for(spec: Specification, count: int, seed: int) -> tuple[str, ...]:
    """Return different tasks for a protocol in a drawn order, at most a given number."""
    named = [*materials(spec)]
    random.Random(seed).shuffle(named)
    return tuple(named[:count])


def tasks_of(kind: str, difficulty: Difficulty | None, count: int, seed: int) -> tuple[str, ...]:
    """Return tasks of a bundled kind; of programs, as many different problems as possible."""
    if kind == CODE:
        named = [problem.slug for problem in problems(difficulty)]
        random.Random(seed).shuffle(named)
        return tuple(f"problem:{slug}" for slug in named[:count])
    return (kind if difficulty is None else f"{kind}:{difficulty}",) * count
