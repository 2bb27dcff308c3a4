"""Seats and their players, the choices before an episode, and the games offered after it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from explorer.choice import ProtocolChoice
from explorer.play.tasks import find_task, materials, task_for
from explorer.players import Player, scripts_for
from nip_core.displays import displayed
from nip_core.errors import NipError
from nip_core.play import Episode, Setup
from nip_core.tasks import Task, task_kind

if TYPE_CHECKING:
    from nip_core.language import Specification


HUMAN = "human"
# The record of a seat that is played by the person at the screen.
PERSON: Mapping[str, Any] = {"kind": HUMAN, "who": "me"}
# The choices for a seat, and their titles.
KINDS = {
    "me": "Me",
    "friend": "A friend at this screen",
    "scripted": "Scripted player",
    "random": "Random",
    "llm": "Language model",
}

# The kinds of automated players.
PLAYED_HERE = ("scripted", "random", "llm")

# Makes the player of a model's seat, from the agent and the record of the seat.
ModelMaker = Callable[[str, Mapping[str, Any]], Player]


def stand_in(episode: Episode, agent: str, kind: str) -> dict[str, Any]:
    """Return the record of the player who replaces a model: a random one where no script fits."""
    if kind == HUMAN:
        return dict(PERSON)
    if episode.setup.is_about_a_statement and agent not in episode.rules.roles.deciders:
        stance = episode.setup.stance(agent)
        if stance is None or episode.task.opening(stance) is None:
            return {"kind": "random"}
    return scripts_for(episode.setup, agent).record(episode.setup.seed, agent)


def watched(spec: Specification) -> str:
    """Return the seat from which a table without people is watched: the one that decides."""
    return (spec.roles.deciders or spec.seat_names)[0]


@displayed
@dataclass(frozen=True, slots=True)
class Start:
    """All choices before a game."""

    choice: ProtocolChoice
    task: str  # a name that `find_task` takes
    seats: Mapping[str, str]  # for each seat one of `KINDS`
    seed: int
    # Whether the person has played this task before, in any version, which the transcript records.
    met_before: bool = False
    # For each seat of a language model, the model and its settings, never a key.
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    # For each scripted player, its level and its strategy; the defaults where none are given.
    levels: Mapping[str, str] = field(default_factory=dict[str, str])
    strategies: Mapping[str, str] = field(default_factory=dict[str, str])

    def setup(self, task: Any = None) -> Setup:
        """Return the setup, with the given task in place of the chosen one."""
        people = [seat for seat, kind in self.seats.items() if kind in ("me", "friend")]
        task = find_task(self.choice.rules, self.task, self.seed) if task is None else task
        return setup_of(self.choice, task, self.seed, people)

    def players(self) -> dict[str, dict[str, Any]]:
        """Return who plays each seat, for the transcript."""
        return {seat: self._player(seat) for seat in self.choice.rules.seat_names}

    def _player(self, seat: str) -> dict[str, Any]:
        kind = self.seats.get(seat, "scripted")
        if kind == "scripted":
            level, strategy = self.levels.get(seat), self.strategies.get(seat)
            return scripts_for(self.choice, seat).record(self.seed, seat, level, strategy)
        if kind not in ("me", "friend"):
            return {"kind": kind, **(self.models.get(seat, {}) if kind == "llm" else {})}
        return {"kind": HUMAN, "who": kind, **({"met_before": True} if self.met_before else {})}


def setup_of(choice: ProtocolChoice, task: Any, seed: int, people: Collection[str]) -> Setup:
    """Return the setup of a game in which people have some of the seats.

    A person who argues has to know which side to defend. If a setup can say that those who argue
    see the truth, it does.
    """
    informed = choice.is_about_a_statement and any(seat in people for seat in choice.rules.provers)
    about = task_for(choice.rules, task, seed)
    return Setup.of(choice.protocol, about, seed, informed_provers=informed)


def next_games(episode: Episode) -> list[tuple[str, Start, Any]]:
    """Return games to offer after an episode: a name for each, the choices, and the task."""
    task, seed = episode.task, secrets.randbelow(2**31)
    again = replace(start_of(episode), task=_drawn_like(task), seed=seed)
    seats = again.seats
    try:
        rules = again.choice.rules
    except NipError:
        return []  # a protocol of one's own that is too large for pages, played in a notebook
    games: list[tuple[str, Start, Any]] = []
    if again.task or materials(rules):
        games.append(("Play again", again, None))
    if swapped := with_swapped(seats):
        start = replace(again, task="", seats=swapped, met_before=True)
        games.append(("Swap seats", start, task))
    mine = [seat for seat, kind in seats.items() if kind == "me"]
    if isinstance(task, Task) and mine == [watched(rules)]:
        other = ProtocolChoice.of("mnip" if rules.name == "nip" else "nip")
        start = Start(other, "", default_seats(other.rules), seed, met_before=True)
        games.append((f"Same task: {other.title}", start, task))
    return games


def _drawn_like(task: Any) -> str:
    """Return the name of tasks like this one; empty for all that a protocol can be played on."""
    if not isinstance(task, Task):
        return ""
    kind = task_kind(task.kind).choice
    return kind if task.difficulty is None else f"{kind}:{task.difficulty}"


def with_swapped(seats: Mapping[str, str]) -> dict[str, str]:
    """Return seats in which the person and a scripted player have swapped; empty without both."""
    chosen = list(seats.values())
    if not {"me", "scripted"} <= {*chosen}:
        return {}
    mine, other = (list(seats)[chosen.index(kind)] for kind in ("me", "scripted"))
    return {**seats, mine: "scripted", other: "me"}


def start_of(episode: Episode) -> Start:
    """Return the choices with which an episode began, its task by its id if it may have one."""
    models = {
        seat: {key: value for key, value in player.items() if key != "kind"}
        for seat, player in episode.players.items()
        if player.get("kind") == "llm"
    }
    return Start(
        ProtocolChoice.of_setup(episode.setup),
        f"id:{episode.task.id}" if isinstance(episode.task, Task) else "",
        {seat: choice_of(episode, seat) for seat in episode.rules.seat_names},
        episode.setup.seed,
        models=models,
        levels=_said_of_scripts(episode, "level"),
        strategies=_said_of_scripts(episode, "strategy"),
    )


def _said_of_scripts(episode: Episode, key: Literal["level", "strategy"]) -> dict[str, str]:
    """Return the values of a key in the records of scripted players, where they are known ones."""
    said: dict[str, str] = {}
    for seat, player in episode.players.items():
        scripts = scripts_for(episode.setup, seat)
        known = scripts.levels if key == "level" else scripts.strategies
        if player.get("kind") == "scripted" and player.get(key) in known:
            said[seat] = str(player[key])
    return said


def choice_of(episode: Episode, agent: str) -> str:
    """Return which of :data:`KINDS` was chosen for a seat."""
    player = episode.players.get(agent, {})
    kind = str(player.get("kind", HUMAN))
    return str(player.get("who", "me")) if kind == HUMAN else kind


def default_seats(spec: Specification, me: str | None = None) -> dict[str, str]:
    """Return a seat for the person, by default one that decides, and scripted players elsewhere."""
    mine = watched(spec) if me is None else me
    return {seat: "me" if seat == mine else "scripted" for seat in spec.seat_names}
