"""Every protocol as a task of Inspect: ``inspect eval explorer/mnip --model-role prover=...``.

Inspect reads this file as an entry point. The tasks are made from the registry of protocols, those
of other packages included, so that a new protocol is a new task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from explorer.play import Table, prepared_for, task_for
from explorer.players import (
    INVENTED,
    JUDGES,
    LEVELS,
    STRATEGIES,
    ModelPlayer,
    Player,
    RandomPlayer,
    scripted_player,
    scripted_record,
    turn_record,
)
from explorer.studies.inspect.client import InspectClient
from explorer.studies.inspect.errors import EvalsError
from explorer.studies.inspect.keys import check_key
from explorer.studies.inspect.playing import play, reward, sample_of, verdict
from explorer.studies.study import StudyTask, problem_of
from nip_core.documents import canonical, stable_hash
from nip_core.parameters import HyperParameters, parameter_group
from nip_core.play import Episode, Setup
from nip_core.registry import (
    protocol_class,
    protocol_names,
    published_names,
    specification,
)
from nip_core.tasks import Task as Statement
from nip_core.tasks import bundled_tasks, load_quality, load_tasks

if TYPE_CHECKING:
    from nip_core.language import Specification

__all__ = ["TASKS", "protocol_task", "published_task"]

# Inspect looks for the tasks of a package under the name of its top-level module.
PACKAGE = "explorer"


def protocol_task(
    protocol: str,
    *,
    parameters: Mapping[str, Any] | None = None,
    tasks: str = "bundled",
    difficulty: str | None = None,
    seats: Mapping[str, str] | None = None,
    seed: int = 0,
    corrections: int = 2,
    scratchpad: bool = True,
    ask_confidence: bool = True,
    informed_provers: bool = False,
    max_response_words: int = 150,
) -> Task:
    """Return a protocol as a task: one sample for each statement.

    Parameters
    ----------
    parameters : mapping, optional
        The protocol's, by their names: ``{"max_message_rounds": 4}``.
    tasks : str
        ``bundled``, or a file of tasks.
    difficulty : str, optional
        Only these.
    seats : mapping of str to str, optional
        Seats that are no models, by the agent's name or role: ``random``, ``scripted``, a level of
        a scripted player (``easy``, ``medium``, ``hard``), or a strategy of a scripted verifier.
    seed : int
        From which each episode's own is drawn, with the statement and the epoch.
    corrections : int
        How often an answer that is no move goes back with the reason.
    scratchpad, ask_confidence : bool
        Is a model offered a place to think in, and a verifier asked how sure it is?
    informed_provers : bool
        May provers see the label?
    max_response_words : int
        How long a message may be.
    """
    rules = named_parameters(protocol, parameters or {})
    options = {
        "corrections": corrections,
        "scratchpad": scratchpad,
        "ask_confidence": ask_confidence,
    }
    statements = _statements(tasks, difficulty)

    def begin(state: TaskState) -> Table:
        statement = statements[str(state.sample_id)]
        drawn = stable_hash("nip-inspect-episode/1", seed, statement.id, state.epoch)
        episode = Episode(
            rules,
            statement,
            seed=int.from_bytes(drawn[:6], "big"),
            informed_provers=informed_provers,
            max_response_words=max_response_words,
        )
        players = _players(episode.setup, dict(seats or {}), options)
        return Table(episode, players=players, timed=False)

    samples = [sample_of(one, problem_of(one)) for one in statements.values()]
    return Task(
        MemoryDataset(samples, name=f"nip-{Path(tasks).stem}"),
        solver=play(begin),
        scorer=[verdict(), reward()],
        version=1,
        metadata={"protocol": protocol, "parameters": canonical(rules.to_dict())},
    )


def published_task(
    protocol: str,
    *,
    settings: Mapping[str, Any] | None = None,
    tasks: str = "prepared",
    seats: Mapping[str, str] | None = None,
    seed: int = 0,
    corrections: int = 2,
    scratchpad: bool = True,
    max_response_words: int = 150,
) -> Task:
    """Return a published protocol as a task: one sample for each passage, statement or other task.

    Parameters
    ----------
    settings : mapping, optional
        The protocol's, by their names: ``{"rounds": 2}``.
    tasks : str
        ``prepared``, what comes with the library for the protocol; or a file of passages in
        QuALITY's format.
    seats : mapping of str to str, optional
        Seats that are no models, by name: ``random``, ``scripted``, a level of one that argues
        (``easy``, ``medium``, ``hard``), or the strategy of one that judges.
    seed : int
        From which each episode's own is drawn, with the task and the epoch.
    corrections : int
        How often an answer that is no move goes back with the reason.
    scratchpad : bool
        Is a model offered a place to think in?
    max_response_words : int
        How long a message may be where the protocol does not say.
    """
    spec = specification(protocol, **dict(settings or {}))
    known = {one.id: one for one in _materials(protocol, tasks)}
    for seat, named in (seats or {}).items():
        if seat not in spec.seat_names:
            raise EvalsError(f"There is no seat {seat}; there are {', '.join(spec.seat_names)}.")
        if named not in ("random", "scripted", *INVENTED, *JUDGES):
            raise EvalsError(f"{seat} cannot be played by {named!r}.")
    options = {"corrections": corrections, "scratchpad": scratchpad, "ask_confidence": False}

    def begin(state: TaskState) -> Table:
        about = known[str(state.sample_id)]
        drawn = stable_hash("nip-inspect-episode/1", seed, about.id, state.epoch)
        number = int.from_bytes(drawn[:6], "big")
        made = Setup.of(spec, task_for(spec, about), number, max_response_words=max_response_words)
        players = _turn_players(spec, number, dict(seats or {}), options)
        return Table(Episode.from_setup(made), players=players, timed=False)

    samples = [sample_of(one, problem_of(one)) for one in known.values()]
    return Task(
        MemoryDataset(samples, name=f"nip-{Path(tasks).stem}"),
        solver=play(begin),
        scorer=[verdict(), reward()],
        version=1,
        metadata={"protocol": protocol, "parameters": canonical(dict(settings or {}))},
    )


@cache
def _materials(protocol: str, tasks: str) -> tuple[StudyTask, ...]:
    if tasks == "prepared":
        found = tuple(prepared_for(specification(protocol)))
    else:
        found = load_quality(tasks).passages
    if not found:
        raise EvalsError(f"There are no tasks for {protocol!r} in {tasks!r}.")
    return found


def _turn_players(
    spec: Specification, seed: int, seats: Mapping[str, str], options: Mapping[str, Any]
) -> dict[str, Player]:
    """Return who plays each seat: who is named for it, else a model if there is one."""
    from explorer.players import TurnScript

    players: dict[str, Player] = {}
    for seat in spec.seat_names:
        named = seats.get(seat)
        model = None if named else _model(seat, seat)
        if model is not None:
            players[seat] = ModelPlayer(InspectClient(model, options))
        elif named == "random":
            players[seat] = RandomPlayer(seed)
        else:
            record = turn_record(seed, seat)
            if named in INVENTED:
                record["level"] = named
            elif named in JUDGES:
                record["strategy"] = named
            made = {name: value for name, value in record.items() if name != "kind"}
            players[seat] = TurnScript(**made)
    return players


def named_parameters(protocol: str, settings: Mapping[str, Any]) -> HyperParameters:
    """Return the parameters of a protocol from those that are named, whatever group they are in.

    Raises
    ------
    EvalsError
        If the protocol has no such parameter.
    """
    own = protocol_class(protocol).parameter_group
    groups = {
        each.name: group
        for group in filter(None, ("protocol_common", own))
        for each in fields(parameter_group(group))
    }
    parameters = HyperParameters("code_validation", interaction_protocol=protocol)
    for name, value in settings.items():
        if name not in groups:
            raise EvalsError(f"{protocol} has no parameter {name!r}; it has {', '.join(groups)}.")
        parameters = parameters.replace(**{groups[name]: {name: value}})
    return parameters


@cache
def _statements(tasks: str, difficulty: str | None) -> dict[str, Statement]:
    found: Iterable[Statement] = bundled_tasks() if tasks == "bundled" else load_tasks(tasks).tasks
    kept = {one.id: one for one in found if difficulty in (None, one.difficulty)}
    if not kept:
        raise EvalsError(f"There are no tasks of difficulty {difficulty!r} in {tasks!r}.")
    return kept


def _players(
    setup: Setup, seats: Mapping[str, str], options: Mapping[str, Any]
) -> dict[str, Player]:
    """Return who plays each seat: who is named for it or its role, else a model if there is one."""
    known = {name for agent in setup.spec.agents for name in (agent.name, agent.role)}
    if unknown := sorted(seats.keys() - known):
        raise EvalsError(
            f"There is no seat or role {', '.join(unknown)}; there are {', '.join(sorted(known))}."
        )
    players: dict[str, Player] = {}
    for agent in setup.spec.agents:
        named = seats.get(agent.name, seats.get(agent.role))
        model = None if named else _model(agent.name, agent.role)
        players[agent.name] = (
            ModelPlayer(InspectClient(model, options))
            if model is not None
            else _not_a_model(setup, agent.name, named or "scripted")
        )
    return players


def _model(agent: str, role: str) -> Model | None:
    """The model of a seat or of its role, or that of the whole evaluation; None without any."""
    for name in (agent, role):
        if name in model_roles():
            return _checked(get_model(role=name))
    model = get_model()
    return None if str(model) == "none/none" else _checked(model)


def _checked(model: Model) -> Model:
    """A model that sends no key of the environment to an address that is not its provider's."""
    # A key that was given with the model, and not by the environment, was meant for its address.
    if model.api.initial_api_key is None:
        check_key(str(model), model.api.base_url or "")
    return model


def _not_a_model(setup: Setup, agent: str, named: str) -> Player:
    if named == "random":
        return RandomPlayer(setup.seed)
    record = scripted_record(setup.seed, agent)
    if named in LEVELS:
        record["level"] = named
    elif named in STRATEGIES and agent in setup.spec.verifiers:
        record["strategy"] = named
    elif named != "scripted":
        raise EvalsError(f"{agent} cannot be played by {named!r}.")
    return scripted_player(setup, agent, record)


def _registered(protocol: str, make: Callable[..., Task] = protocol_task) -> Callable[..., Task]:
    """Return a task of Inspect that plays a protocol; its arguments are those of what makes it."""

    def build(**arguments: Any) -> Task:
        return make(protocol, **arguments)

    # Inspect reads from it which parameters the task has.
    whole = signature(make)
    own = whole.replace(parameters=list(whole.parameters.values())[1:])
    build.__signature__ = own  # pyright: ignore[reportFunctionMemberAccess]
    build.__name__ = build.__qualname__ = protocol
    build.__doc__ = f"The protocol {protocol!r}."
    name = f"{PACKAGE}/{protocol}"
    made = task(name=protocol)(build)
    # In a checkout Inspect does not know which package this is, and leaves the name as it is given.
    return made if registry_info(made).name == name else task(name=name)(build)


TASKS = {protocol: _registered(protocol) for protocol in protocol_names()} | {
    protocol: _registered(protocol, published_task) for protocol in published_names()
}
