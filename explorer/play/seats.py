"""Seats and their players, the choices before an episode, and the games offered after it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from explorer.players import (
    DEFAULT_LEVEL,
    DEFAULT_STRATEGY,
    LEVELS,
    STRATEGIES,
    Player,
    scripted_record,
    turn_record,
)
from nip_core.displays import displayed
from nip_core.errors import UnknownNameError
from nip_core.parameters import HyperParameters
from nip_core.play import Episode, Setup
from nip_core.registry import protocol_spec, protocol_title
from nip_core.tasks import (
    DIFFICULTIES,
    Difficulty,
    Task,
    bundled_task,
    problems,
    task_kind,
    task_kinds,
)

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

# The name of a scripted player in records and tags, by its role.
SCRIPTED = {"prover": "scripted prover", "verifier": "scripted verifier"}

# The kinds of automated players.
PLAYED_HERE = ("scripted", "random", "llm")

# Makes the player of a model's seat, from the agent and the record of the seat.
ModelMaker = Callable[[str, Mapping[str, Any]], Player]


def kind_title(kind: str, role: str) -> str:
    """Return the title of a choice for a seat of a role."""
    return SCRIPTED.get(role, KINDS[kind]).capitalize() if kind == "scripted" else KINDS[kind]


def stand_in(episode: Episode, agent: str, kind: str) -> dict[str, Any]:
    """Return the record of the player who replaces a model: a random one where no script fits."""
    if kind == HUMAN:
        return dict(PERSON)
    if is_about_a_statement(episode.setup) and agent not in episode.rules.roles.deciders:
        stance = episode.setup.stance(agent)
        if stance is None or episode.task.opening(stance) is None:
            return {"kind": "random"}
    return usual_script(episode.setup, agent)


def is_about_a_statement(setup: Setup) -> bool:
    """Return whether a game is about a statement, which scripted experts and verifiers know."""
    return isinstance(setup.task, Task)


def usual_script(setup: Setup, agent: str) -> dict[str, Any]:
    """Return the record of the usual scripted player in a seat."""
    if not is_about_a_statement(setup):
        return turn_record(setup.seed, agent)
    strategy = DEFAULT_STRATEGY if agent in setup.rules.roles.deciders else None
    return scripted_record(setup.seed, agent, strategy=strategy)


def watched(spec: Specification) -> str:
    """Return the seat from which a table without people is watched: the one that decides."""
    return (spec.roles.deciders or spec.seat_names)[0]


def arguing(spec: Specification) -> list[str]:
    """Return the seats that do not decide."""
    return [seat for seat in spec.seat_names if seat not in spec.roles.deciders]


# The prefix of a bundled problem's name.
PROBLEM = "problem"


@displayed
@dataclass(frozen=True, slots=True)
class Start:
    """All choices before a game."""

    parameters: HyperParameters  # the protocol
    # A kind of task by its name in addresses, optionally with a difficulty ("code:easy");
    # "problem:...", a bundled problem by its name, of which the seed draws a version; or "id:...",
    # a bundled task by its opaque id.
    task: str
    seats: Mapping[str, str]  # for each agent one of `KINDS`
    seed: int
    # Whether the person has played this problem before, in either version, which the transcript
    # records.
    met_before: bool = False
    # For each seat of a language model, the model and its settings, never a key.
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    # For each scripted player, its level; the default level where none is given.
    levels: Mapping[str, str] = field(default_factory=dict[str, str])
    # For each scripted verifier, its strategy.
    strategies: Mapping[str, str] = field(default_factory=dict[str, str])

    def setup(self, task: Task | None = None) -> Setup:
        """Return the setup. If people are provers, provers see the label."""
        spec = protocol_spec(self.parameters)
        person = any(self.seats.get(prover) in ("me", "friend") for prover in spec.provers)
        return Setup.of(
            self.parameters,
            task or find_task(self.task, self.seed),
            self.seed,
            informed_provers=person,
        )

    def players(self) -> dict[str, dict[str, Any]]:
        """Return who plays each seat, for the transcript."""
        spec = protocol_spec(self.parameters)
        return {agent: self._player(agent) for agent in spec.agent_names}

    def _player(self, agent: str) -> dict[str, Any]:
        choice = self.seats.get(agent, "scripted")
        if choice != "scripted":
            return record_of(choice, self.models.get(agent, {}), met_before=self.met_before)
        verifies = agent in protocol_spec(self.parameters).verifiers
        strategy = self.strategies.get(agent, DEFAULT_STRATEGY) if verifies else None
        return scripted_record(self.seed, agent, self.levels.get(agent, DEFAULT_LEVEL), strategy)


def record_of(choice: str, model: Mapping[str, Any], *, met_before: bool) -> dict[str, Any]:
    """Return the record of a person, a random player, or a model with its settings."""
    if choice not in ("me", "friend"):
        return {"kind": choice, **(model if choice == "llm" else {})}
    return {"kind": HUMAN, "who": choice, **({"met_before": True} if met_before else {})}


def next_games(episode: Episode) -> list[tuple[str, Start, Task | None]]:
    """Return games to offer after an episode: a name for each, the choices, and the task."""
    task, seed = episode.task, secrets.randbelow(2**31)
    played = start_of(episode)
    seats = played.seats
    again = replace(played, task=_choice_of(task), seed=seed)
    games: list[tuple[str, Start, Task | None]] = [("Play again", again, None)]
    if swapped := with_swapped(seats):
        start = replace(again, task="", seats=swapped, met_before=True)
        games.append(("Swap seats", start, task))
    if [agent for agent, choice in seats.items() if choice == "me"] == [watched(episode.rules)]:
        name = "mnip" if episode.rules.name == "nip" else "nip"
        other = HyperParameters(interaction_protocol=name)
        start = Start(other, "", default_seats(other), seed, met_before=True)
        games.append((f"Same task: {protocol_title(name)}", start, task))
    return games


def with_swapped(seats: Mapping[str, str]) -> dict[str, str]:
    """Return seats in which the person and a scripted player have swapped; empty without both."""
    chosen = list(seats.values())
    if not {"me", "scripted"} <= {*chosen}:
        return {}
    mine, other = (list(seats)[chosen.index(kind)] for kind in ("me", "scripted"))
    return {**seats, mine: "scripted", other: "me"}


def start_of(episode: Episode) -> Start:
    """Return the choices with which an episode began, with its task by its id."""
    models = {
        agent: {key: value for key, value in player.items() if key != "kind"}
        for agent, player in episode.players.items()
        if player.get("kind") == "llm"
    }
    return Start(
        episode.setup.handler.hyper_params,
        f"id:{episode.task.id}",
        {agent: choice_of(episode, agent) for agent in episode.rules.seat_names},
        episode.setup.seed,
        models=models,
        levels=_said_of_scripts(episode, "level", LEVELS),
        strategies=_said_of_scripts(episode, "strategy", STRATEGIES),
    )


def _said_of_scripts(episode: Episode, key: str, known: Container[str]) -> dict[str, str]:
    """Return the values of a key in the records of scripted players, where they are known ones."""
    return {
        agent: str(player[key])
        for agent, player in episode.players.items()
        if player.get("kind") == "scripted" and str(player.get(key)) in known
    }


def choice_of(episode: Episode, agent: str) -> str:
    """Return which of :data:`KINDS` was chosen for a seat."""
    player = episode.players.get(agent, {})
    kind = str(player.get("kind", HUMAN))
    return str(player.get("who", "me")) if kind == HUMAN else kind


def _choice_of(task: Task) -> str:
    kind = task_kind(task.kind).choice
    return kind if task.difficulty is None else f"{kind}:{task.difficulty}"


def default_seats(parameters: HyperParameters, me: str | None = None) -> dict[str, str]:
    """Return a seat for the person, by default the verifier's, and scripted experts elsewhere."""
    spec = protocol_spec(parameters)
    mine = spec.verifier if me is None else me
    return {agent: "me" if agent == mine else "scripted" for agent in spec.agent_names}


def task_choices() -> list[str]:
    """Return the choices of a kind of task, with and without a difficulty."""
    return [
        choice
        for kind in task_kinds()
        for choice in (kind.choice, *(f"{kind.choice}:{d}" for d in DIFFICULTIES))
    ]


def find_task(choice: str, seed: int) -> Task:
    """Return the task of a choice and a seed; raise an UnknownNameError for an unknown choice."""
    kind, _, rest = choice.partition(":")
    if kind == "id":
        return bundled_task(rest)
    if kind == PROBLEM:
        named = {problem.slug: problem for problem in problems()}
        if rest not in named:
            raise UnknownNameError("problem", rest, list(named))
        # The seed picks the version, so that a chosen problem may be right or wrong.
        return named[rest].pick(seed)
    if choice not in task_choices():
        raise UnknownNameError("kind of task", choice, task_choices())
    (chosen,) = (each for each in task_kinds() if each.choice == kind)
    return chosen.deal(seed, cast("Difficulty | None", rest or None))
