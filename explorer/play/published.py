"""Games of version 2 protocols: their tasks, their seats, and the games offered afterwards."""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, cast

from explorer.play.seats import choice_of, record_of, with_swapped
from explorer.players import turn_record
from nip_core.displays import displayed
from nip_core.documents import stable_hash
from nip_core.errors import UnknownNameError
from nip_core.language import Specification
from nip_core.play import Episode, Material, Setup
from nip_core.tasks import VERDICTS, Passage, Problem, Task, bundled_tasks, passages, problems

# Kinds of task for a protocol, by the parts of a task that it uses.
OF_PASSAGE = frozenset(("question", "answers", "passage"))
STATEMENT = "problem"


@displayed
@dataclass(frozen=True, slots=True)
class TurnStart:
    """All choices before a game of a version 2 protocol."""

    spec: Specification
    task: str  # one of `materials`; empty if the seed draws it
    seats: Mapping[str, str]  # for each seat one of `KINDS`
    seed: int
    # Whether the person has played this task before, which the transcript records.
    met_before: bool = False
    # For each seat of a language model, the model and its settings, never a key.
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def setup(self, task: Material | None = None) -> Setup:
        """Return the setup, with the given task in place of the chosen one."""
        return Setup.of(
            self.spec, self._material() if task is None else cast("Any", task), self.seed
        )

    def _material(self) -> Any:
        known = _known(self.spec)
        if self.task:
            return material_named(self.spec, self.task, self.seed)
        if not known:
            # A protocol without parts and facts needs no task; others are refused with a reason.
            return {}
        drawn = int.from_bytes(stable_hash("nip-turn-task/1", self.seed)[:4], "big")
        return _made(self.spec, [*known.values()][drawn % len(known)], self.seed)

    def players(self) -> dict[str, dict[str, Any]]:
        """Return the record of each seat's player, for the transcript."""
        return {seat: self._player(seat) for seat in self.spec.seat_names}

    def _player(self, seat: str) -> dict[str, Any]:
        choice = self.seats.get(seat, "scripted")
        if choice == "scripted":
            return turn_record(self.seed, seat)
        return record_of(choice, self.models.get(seat, {}), met_before=self.met_before)


def seats_of_turns(spec: Specification, me: str | None = None) -> dict[str, str]:
    """Return a seat for the person, by default one that decides, and scripted players elsewhere."""
    mine = me or (spec.roles.deciders or spec.seat_names)[0]
    return {seat: "me" if seat == mine else "scripted" for seat in spec.seat_names}


def materials(spec: Specification) -> dict[str, str]:
    """Return the titles of the tasks that a protocol can be played on, by name; may be empty."""
    return {name: _title(each) for name, each in _known(spec).items()}


def _title(each: Any) -> str:
    return str(each.title if hasattr(each, "title") else each["title"])


def _known(spec: Specification) -> dict[str, Any]:
    """Return the bundled material that provides all parts and facts that a protocol uses."""
    parts, facts = _parts_and_facts(spec)
    answers = spec.roles.answers
    if reads_passages(spec) and len(answers) == 2:
        return {each.slug: each for each in passages()}
    in_one = parts == {STATEMENT} and facts == {spec.roles.truth} and {*answers} == {*VERDICTS}
    if in_one or takes_statements(spec):
        return {each.slug: each for each in problems()}
    return {
        f"own-{number}": task
        for number, task in enumerate(_own(), start=1)
        if parts <= task.keys() <= {*parts, *facts, "title", "for"}
    }


def takes_statements(spec: Specification) -> bool:
    """Return whether a protocol is about a question and a solution, which holds or does not."""
    parts, facts = _parts_and_facts(spec)
    return parts == {"question", "solution"} and facts <= {spec.roles.truth}


def reads_passages(spec: Specification) -> bool:
    """Return whether a protocol is about a passage, a question and its answers."""
    parts, facts = _parts_and_facts(spec)
    return {"question", "answers"} <= parts <= OF_PASSAGE and facts <= {spec.roles.truth}


def _parts_and_facts(spec: Specification) -> tuple[set[str], set[str]]:
    facts = {choice.name for choice in spec.drawn if choice.by == "task"}
    return {part.name for part in spec.parts}, facts


@cache
def _own() -> tuple[Mapping[str, Any], ...]:
    text = files("explorer.play").joinpath("materials.toml").read_text("utf-8")
    return tuple(tomllib.loads(text)["tasks"])


def _made(spec: Specification, known: Any, seed: int) -> Any:
    """Return an episode's material; for a problem, the seed draws a right or a wrong version."""
    if isinstance(known, Passage):
        return known
    if isinstance(known, dict):
        own = cast("dict[str, Any]", known)
        return {name: text for name, text in own.items() if name != "for"}
    return task_for(spec, known.pick(seed), seed)


def material_named(spec: Specification, name: str, seed: int) -> Any:
    """Return what an episode is about, by one of the names of :func:`materials`.

    An UnknownNameError says that there is no such task for this protocol.
    """
    known = _known(spec)
    if name not in known:
        raise UnknownNameError("task", name, list(known))
    return _made(spec, known[name], seed)


def _as_problem(spec: Specification, task: Task) -> dict[str, str]:
    """Return a statement as the task of a protocol about a problem."""
    text, truth = f"{task.question}\n\n{task.solution}", spec.roles.truth
    return {STATEMENT: text, str(truth): VERDICTS[task.y], "title": task.title or ""}


def task_for(spec: Specification, task: Any, seed: int) -> Any:
    """Return a task of any kind in the form that a protocol is played on.

    Of a passage, the seed draws an answer as the statement that a protocol may be about.
    """
    if isinstance(task, Passage) and takes_statements(spec):
        return task.pick(seed)
    if isinstance(task, Task) and [part.name for part in spec.parts] == [STATEMENT]:
        return _as_problem(spec, task)
    return task


def prepared_for(spec: Specification) -> list[Task | Passage | Material]:
    """Return all bundled material that a protocol can be played on."""
    known = [*_known(spec).values()]
    if known and isinstance(known[0], Problem):
        return [*bundled_tasks()]
    return [
        each if isinstance(each, Passage) else Material.of(spec, _made(spec, each, 0))
        for each in known
    ]


def turn_start_of(episode: Episode) -> TurnStart:
    """Return the choices with which an episode began, without its task."""
    spec: Any = episode.rules
    seats = {seat: choice_of(episode, seat) for seat in spec.seat_names}
    return TurnStart(spec, "", seats, episode.setup.seed)


def next_turn_games(episode: Episode) -> list[tuple[str, TurnStart, Material | None]]:
    """Return games to offer after an episode; see :func:`~explorer.play.seats.next_games`."""
    task: Any = episode.task
    again = replace(turn_start_of(episode), seed=secrets.randbelow(2**31))
    games: list[tuple[str, TurnStart, Material | None]] = []
    if materials(again.spec):
        games.append(("Play again", again, None))
    if swapped := with_swapped(again.seats):
        games.append(("Swap seats", replace(again, seats=swapped, met_before=True), task))
    return games
