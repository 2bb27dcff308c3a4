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
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from explorer.play import Table
from explorer.players import (
    LEVELS,
    STRATEGIES,
    ModelPlayer,
    Player,
    RandomPlayer,
    scripted_player,
    scripted_record,
)
from explorer.studies.inspect.client import InspectClient
from explorer.studies.inspect.errors import EvalsError
from explorer.studies.inspect.keys import check_key
from explorer.studies.inspect.playing import play, reward, sample_of, verdict
from explorer.studies.study import problem_of
from nip_core.documents import canonical, stable_hash
from nip_core.parameters import HyperParameters, parameter_group
from nip_core.play import Episode, Setup
from nip_core.registry import protocol_class, protocol_names
from nip_core.tasks import Task as Statement
from nip_core.tasks import bundled_tasks, load_tasks

__all__ = ["TASKS", "protocol_task"]

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
    """A protocol as a task: one sample for each statement.

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


def named_parameters(protocol: str, settings: Mapping[str, Any]) -> HyperParameters:
    """The parameters of a protocol from those that are named, whatever group they are in.

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
    """Who plays each seat: who is named for it or its role, else a model if there is one."""
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


def _registered(protocol: str) -> Callable[..., Task]:
    """A task of Inspect that plays a protocol; its arguments are those of :func:`protocol_task`."""

    def build(**arguments: Any) -> Task:
        return protocol_task(protocol, **arguments)

    # Inspect reads from it which parameters the task has.
    whole = signature(protocol_task)
    own = whole.replace(parameters=list(whole.parameters.values())[1:])
    build.__signature__ = own  # pyright: ignore[reportFunctionMemberAccess]
    build.__name__ = build.__qualname__ = protocol
    build.__doc__ = f"The protocol {protocol!r}."
    name = f"{PACKAGE}/{protocol}"
    made = task(name=protocol)(build)
    # In a checkout Inspect does not know which package this is, and leaves the name as it is given.
    return made if registry_info(made).name == name else task(name=name)(build)


TASKS = {protocol: _registered(protocol) for protocol in protocol_names()}
