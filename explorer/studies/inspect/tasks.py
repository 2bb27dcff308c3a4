"""Every protocol as a task of Inspect: ``inspect eval explorer/mnip --model-role prover=...``.

Inspect reads this file as an entry point. The tasks are made from the registry of protocols, those
of other packages included, so that a new protocol is a new task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from explorer.choice import ProtocolChoice
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
from nip_core.errors import NipError
from nip_core.play import Episode, Setup
from nip_core.registry import (
    protocol_names,
    published_names,
    specification,
)
from nip_core.tasks import Task as Statement
from nip_core.tasks import bundled_tasks, load_quality, load_tasks

if TYPE_CHECKING:
    from nip_core.language import Specification


# Inspect finds the tasks of a package under the name of its top-level module.
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
        The protocol's parameters by name: ``{"max_message_rounds": 4}``.
    tasks : str
        ``bundled``, or a file of tasks.
    difficulty : str, optional
        Only tasks of this difficulty.
    seats : mapping of str to str, optional
        Seats that are not models, by the agent's name or role: ``random``, ``scripted``, a level of
        a scripted player (``easy``, ``medium``, ``hard``), or a strategy of a scripted verifier.
    seed : int
        With the statement and the epoch, determines each episode's seed.
    corrections : int
        How often an answer that is no move goes back with the reason.
    scratchpad, ask_confidence : bool
        Whether models are offered a scratchpad, and verifiers are asked for their confidence.
    informed_provers : bool
        Whether provers see the label.
    max_response_words : int
        The longest message, in words.
    """
    rules = chosen(protocol, parameters or {}).parameters.replace(scenario="code_validation")
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

    return _task(specification(rules), tasks, statements.values(), begin, rules.to_dict())


def _task(
    spec: Specification,
    tasks: str,
    about: Iterable[StudyTask],
    begin: Callable[[TaskState], Table],
    parameters: Mapping[str, Any],
) -> Task:
    return Task(
        MemoryDataset(
            [sample_of(one, problem_of(one), spec) for one in about], name=f"nip-{Path(tasks).stem}"
        ),
        solver=play(begin),
        scorer=[verdict(), reward()],
        version=1,
        metadata={"protocol": spec.name, "parameters": canonical(parameters)},
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
        The protocol's settings by name: ``{"rounds": 2}``.
    tasks : str
        ``prepared`` for the bundled tasks of the protocol, or a file of passages in QuALITY's
        format.
    seats : mapping of str to str, optional
        Seats that are not models, by name: ``random``, ``scripted``, the level of a debater
        (``easy``, ``medium``, ``hard``), or the strategy of a judge.
    seed : int
        With the task and the epoch, determines each episode's seed.
    corrections : int
        How often an answer that is no move goes back with the reason.
    scratchpad : bool
        Whether models are offered a scratchpad.
    max_response_words : int
        The longest message, in words, if the protocol has no limit.
    """
    spec = chosen(protocol, settings or {}).rules
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
        made = Setup.of(
            spec, task_for(spec, about, number), number, max_response_words=max_response_words
        )
        players = _turn_players(spec, number, dict(seats or {}), options)
        return Table(Episode.from_setup(made), players=players, timed=False)

    return _task(spec, tasks, known.values(), begin, dict(settings or {}))


@cache
def _materials(protocol: str, tasks: str) -> tuple[StudyTask, ...]:
    if tasks == "prepared":
        materials = tuple(prepared_for(specification(protocol)))
    else:
        materials = load_quality(tasks).passages
    if not materials:
        raise EvalsError(f"There are no tasks for {protocol!r} in {tasks!r}.")
    return materials


def _turn_players(
    spec: Specification, seed: int, seats: Mapping[str, str], options: Mapping[str, Any]
) -> dict[str, Player]:
    """Return the players of seats: the named one, else a model if there is one."""
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


def chosen(protocol: str, settings: Mapping[str, object]) -> ProtocolChoice:
    """Return a protocol with settings by name; an EvalsError says which it cannot have."""
    try:
        return ProtocolChoice.of(protocol).with_settings(settings)
    except NipError as error:
        raise EvalsError(str(error)) from None


@cache
def _statements(tasks: str, difficulty: str | None) -> dict[str, Statement]:
    statements: Iterable[Statement] = (
        bundled_tasks() if tasks == "bundled" else load_tasks(tasks).tasks
    )
    kept = {one.id: one for one in statements if difficulty in (None, one.difficulty)}
    if not kept:
        raise EvalsError(f"There are no tasks of difficulty {difficulty!r} in {tasks!r}.")
    return kept


def _players(
    setup: Setup, seats: Mapping[str, str], options: Mapping[str, Any]
) -> dict[str, Player]:
    """Return the players of seats: named ones, by seat or role, else models if there are any."""
    rules = setup.rules
    role = {seat: "prover" if seat in rules.provers else "verifier" for seat in rules.seat_names}
    known = {*role, *role.values()}
    if unknown := sorted(seats.keys() - known):
        raise EvalsError(
            f"There is no seat or role {', '.join(unknown)}; there are {', '.join(sorted(known))}."
        )
    players: dict[str, Player] = {}
    for seat in rules.seat_names:
        named = seats.get(seat, seats.get(role[seat]))
        model = None if named else _model(seat, role[seat])
        players[seat] = (
            ModelPlayer(InspectClient(model, options))
            if model is not None
            else _not_a_model(setup, seat, named or "scripted")
        )
    return players


def _model(agent: str, role: str) -> Model | None:
    """Return the model of a seat, of its role, or of the whole evaluation; None without any."""
    for name in (agent, role):
        if name in model_roles():
            return _checked(get_model(role=name))
    model = get_model()
    return None if str(model) == "none/none" else _checked(model)


def _checked(model: Model) -> Model:
    """Return a model after checking that it sends no key of the environment elsewhere."""
    # A key that was given with the model, not by the environment, is meant for its address.
    if model.api.initial_api_key is None:
        check_key(str(model), model.api.base_url or "")
    return model


def _not_a_model(setup: Setup, agent: str, named: str) -> Player:
    if named == "random":
        return RandomPlayer(setup.seed)
    record = scripted_record(setup.seed, agent)
    if named in LEVELS:
        record["level"] = named
    elif named in STRATEGIES and agent in setup.rules.roles.deciders:
        record["strategy"] = named
    elif named != "scripted":
        raise EvalsError(f"{agent} cannot be played by {named!r}.")
    return scripted_player(setup, agent, record)


def _registered(protocol: str, make: Callable[..., Task] = protocol_task) -> Callable[..., Task]:
    """Return a task of Inspect for a protocol; its arguments are those of `make`."""

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
    # In a checkout Inspect does not find the package and uses the name as given.
    return made if registry_info(made).name == name else task(name=name)(build)


TASKS = {protocol: _registered(protocol) for protocol in protocol_names()} | {
    protocol: _registered(protocol, published_task) for protocol in published_names()
}
