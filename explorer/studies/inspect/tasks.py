"""Every protocol as a task of Inspect: ``inspect eval explorer/mnip --model-role prover=...``.

Inspect reads this file as an entry point. The tasks are made from the registry of protocols, those
of other packages included, so that a new protocol is a new task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from explorer.play import Table
from explorer.players import ModelPlayer, Player
from explorer.studies.dealing import Dealer, chosen, player_named, role_of
from explorer.studies.inspect.client import STAND_IN, InspectClient
from explorer.studies.inspect.keys import check_key
from explorer.studies.inspect.playing import play, reward, sample_of, verdict
from explorer.studies.study import problem_of
from nip_core.documents import canonical
from nip_core.language import Specification
from nip_core.play import Episode, Setup
from nip_core.registry import protocol_names, published_names

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
    """Return a protocol as a task: one sample for each statement, passage or other task.

    Parameters
    ----------
    parameters : mapping, optional
        The protocol's parameters by name: ``{"max_message_rounds": 4}``.
    tasks : str
        ``bundled``, or a file: of passages in QuALITY's format for protocols about passages, of
        statements for all others.
    difficulty : str, optional
        Only tasks of this difficulty.
    seats : mapping of str to str, optional
        Seats that are not models, by the seat's name or role (``verifier`` if it decides, else
        ``prover``): ``random``, ``scripted``, a level of a scripted player (``easy``, ``medium``,
        ``hard``), or a strategy of a scripted verifier or judge.
    seed : int
        With the task and the epoch, determines each episode's seed.
    corrections : int
        How often an answer that is no move goes back with the reason.
    scratchpad, ask_confidence : bool
        Whether models are offered a scratchpad, and verifiers are asked for their confidence where
        it is no choice.
    informed_provers : bool
        Whether provers see the label, where the protocol does not say so itself.
    max_response_words : int
        The longest message, in words, if the protocol has no limit.
    """
    choice = chosen(protocol, parameters or {})
    options = {
        "corrections": corrections,
        "scratchpad": scratchpad,
        "ask_confidence": ask_confidence,
    }
    dealer = Dealer(
        choice,
        tasks,
        difficulty,
        seats or {},
        seed,
        informed_provers=informed_provers,
        max_response_words=max_response_words,
    )

    def begin(state: TaskState) -> Table:
        setup = dealer.deal(str(state.sample_id), state.epoch, purpose="nip-inspect-episode/1")
        players = _players(setup, dealer.named, options)
        return Table(Episode.from_setup(setup), players=players, timed=False)

    spec = choice.rules
    return Task(
        MemoryDataset(
            [sample_of(one, problem_of(one), spec) for one in dealer.known.values()],
            name=f"nip-{Path(tasks).stem}",
        ),
        solver=play(begin),
        scorer=[verdict(), reward()],
        version=1,
        metadata={"protocol": spec.name, "parameters": canonical(choice.to_query())},
    )


def _players(
    setup: Setup, named: Mapping[str, str], options: Mapping[str, Any]
) -> dict[str, Player]:
    """Return the players of seats: named ones, else models if there are any."""
    players: dict[str, Player] = {}
    for seat in setup.rules.seat_names:
        model = None if seat in named else _model(setup.rules, seat)
        players[seat] = (
            ModelPlayer(InspectClient(model, options))
            if model is not None
            else player_named(setup, seat, named.get(seat, "scripted"))
        )
    return players


def _model(rules: Specification, seat: str) -> Model | None:
    """Return the model of a seat, of its role, or of the whole evaluation; None without any."""
    for name in (seat, role_of(rules, seat)):
        if name in model_roles():
            return _checked(get_model(role=name))
    model = get_model()
    if str(model) == "none/none" or (_says_one_sentence(model) and not _only_writes(rules, seat)):
        return None
    return _checked(model)


def _says_one_sentence(model: Model) -> bool:
    """Return whether this is Inspect's stand-in for a model, without answers of its own."""
    return str(model).startswith(STAND_IN) and "custom_outputs" not in model.model_args


def _only_writes(rules: Specification, seat: str) -> bool:
    """Return whether any sentence is a move of a seat: it chooses nothing, on one channel."""
    acts = (act for stage in rules.stages for turn in stage.turns for act in turn.acts)
    return all(not act.choose and len(act.say) < 2 for act in acts if act.seat == seat)


def _checked(model: Model) -> Model:
    """Return a model after checking that it sends no key of the environment elsewhere."""
    # A key that was given with the model, not by the environment, is meant for its address.
    if model.api.initial_api_key is None:
        check_key(str(model), model.api.base_url or "")
    return model


def _registered(protocol: str) -> Callable[..., Task]:
    """Return a task of Inspect for a protocol; its arguments are those of :func:`protocol_task`."""

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
    # In a checkout Inspect does not find the package and uses the name as given.
    return made if registry_info(made).name == name else task(name=name)(build)


TASKS = {name: _registered(name) for name in (*protocol_names(), *published_names())}
