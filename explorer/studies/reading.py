"""From a file to a study, or to an error that names the place and what to do.

Everything that can be known to be wrong is refused here: before a call is made, or an episode
played.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from explorer.players import STRATEGIES
from explorer.studies.format import SCHEMA
from explorer.studies.points import check_playable, orders_group, spec_of
from explorer.studies.study import (
    Condition,
    PlayerChoice,
    ProtocolChoice,
    Study,
    StudyError,
    TaskSource,
    problem_of,
)
from explorer.usage import Budget, Prices
from nip_core.documents import (
    TRANSCRIPT,
    WRITTEN,
    checked,
    first_repeated,
    leaves,
    parse_json,
    parse_toml,
    read_file,
    show,
    stable_hash,
)
from nip_core.errors import NipError, TaskError, UnknownNameError
from nip_core.tasks import DIFFICULTIES, Difficulty, Task, bundled_tasks, graph_task, load_tasks

__all__ = ["load_study", "read_source", "read_study"]

MAX_CONDITIONS = 2_000
# What looks like one is kept out of files, which are copied, shown and shared.
_KEY_NAME = re.compile(r"api.?key|token$|secret|password|authorization|bearer", re.IGNORECASE)
_KEY_VALUE = re.compile(r"\b(sk-|gsk_|xai-|AIza|hf_|Bearer )[A-Za-z0-9_-]{8,}")

_INTO_ENVIRONMENT = "put it into the environment, where Inspect finds it (OPENAI_API_KEY, ...)"


def load_study(path: str | Path) -> Study:
    """Read a study's file.

    Raises
    ------
    StudyError
        With the place in the file, and what to do.
    """
    path = Path(path)
    return read_study(read_file(path, WRITTEN, StudyError), path.parent)


def read_study(text: str | bytes, folder: str | Path = ".") -> Study:
    """Read the text of a study's file.

    Parameters
    ----------
    text : str or bytes
    folder : path
        From which the files that it names are found.

    Raises
    ------
    StudyError
    """
    folder = Path(folder)
    document = parse_toml(text, WRITTEN, StudyError, "The study's file")
    fields = checked(document, SCHEMA, StudyError)
    protocols = {name: _protocol(name, each, folder) for name, each in fields["protocols"].items()}
    players = {
        name: _player(name, each, document["players"][name])
        for name, each in fields["players"].items()
    }
    conditions = tuple(
        condition
        for number, block in enumerate(fields["conditions"])
        for condition in _conditions(block, protocols, players, f"conditions[{number}]")
    )
    if len(conditions) > MAX_CONDITIONS:
        raise StudyError(
            f"There are {len(conditions):,} conditions; at most {MAX_CONDITIONS:,} are read."
        )
    twice = first_repeated(condition.name for condition in conditions)
    if twice is not None:
        raise StudyError(
            f"Two conditions are called {show(twice)}; give one a `name`, or take it out."
        )
    sources = tuple(
        read_source(each, fields["seed"], folder, f"tasks[{number}]")
        for number, each in enumerate(fields["tasks"])
    )
    same = first_repeated(task.id for source in sources for task in source.tasks)
    if same is not None:
        raise StudyError(f"The task {same} comes from two of the `tasks`; take it out of one.")
    budget = Budget(**fields.get("budget", {}))
    study = Study(
        name=fields["name"],
        about=fields.get("about", ""),
        seed=fields["seed"],
        epochs=fields["epochs"],
        paired=fields["paired"],
        sources=sources,
        conditions=conditions,
        budget=budget,
        text=text if isinstance(text, str) else text.decode("utf-8-sig"),
    )
    _check_budget(study)
    check_playable(study)
    return study


def _protocol(name: str, fields: Mapping[str, Any], folder: Path) -> ProtocolChoice:
    at = f"protocols.{name}"
    document = None
    if "document" in fields:
        if "protocol" in fields:
            raise StudyError(f"{at} has `protocol` and `document`; take one out.")
        it = f"{at}.document: {fields['document']}, from the folder of the study's file,"
        content = read_file(folder / fields["document"], TRANSCRIPT, StudyError, it)
        document = parse_json(content, TRANSCRIPT, StudyError, f"{at}.document")
    choice = ProtocolChoice(
        name=name,
        protocol="" if document is not None else fields.get("protocol", name),
        parameters=fields["parameters"],
        document=document,
        max_response_words=fields["max_response_words"],
        informed_provers=fields["informed_provers"],
    )
    try:
        spec_of(choice)
    except NipError as error:
        raise StudyError(f"{at}: {error}") from None
    return choice


_BELONG = {
    "scripted": {"level", "strategy"},
    "random": set[str](),
    "model": {"model", "base_url", "settings", "arguments", "corrections", "prices"},
}


def _player(name: str, fields: Mapping[str, Any], given: Mapping[str, Any]) -> PlayerChoice:
    at, kind = f"players.{name}", fields["kind"]
    for key in sorted(given.keys() - {"kind"} - _BELONG[kind]):
        owner = next(other for other, keys in _BELONG.items() if key in keys)
        raise StudyError(f"{at}.{key} is for kind = {owner!r}; this player's is {kind!r}.")
    if kind == "model" and "model" not in fields:
        raise StudyError(f"{at} lacks the key 'model': the provider and the model's name.")
    strategy = fields.get("strategy")
    if strategy is not None:
        if strategy not in STRATEGIES:
            raise StudyError(f"{at}.strategy: {UnknownNameError('strategy', strategy, STRATEGIES)}")
        if "level" in fields and not STRATEGIES[strategy].has_levels:
            raise StudyError(f"{at}.level: {strategy!r} has no levels; leave it out.")
    for part in ("settings", "arguments"):
        _keep_keys_out(fields[part], f"{at}.{part}")
    if "@" in fields.get("base_url", ""):
        raise StudyError(f"{at}.base_url holds a name or a password; {_INTO_ENVIRONMENT}.")
    chosen = {key: value for key, value in fields.items() if key in _BELONG[kind]}
    if "prices" in chosen:
        chosen["prices"] = Prices(**chosen["prices"])
    return PlayerChoice(name=name, kind=kind, **chosen)


def _keep_keys_out(value: object, at: str) -> None:
    """Refuse what looks like a key, without repeating it."""
    for place, each in leaves(value, at):
        names = place.removeprefix(at)
        if isinstance(each, str) and (_KEY_NAME.search(names) or _KEY_VALUE.search(each)):
            raise StudyError(f"{place} looks like a key; {_INTO_ENVIRONMENT}.")


def _conditions(
    block: Mapping[str, Any],
    protocols: Mapping[str, ProtocolChoice],
    players: Mapping[str, PlayerChoice],
    at: str,
) -> Iterator[Condition]:
    """A block's conditions: every protocol, with every verifier and every prover."""
    named = block.get("protocols", list(protocols))
    for number, name in enumerate(named):
        if name not in protocols:
            raise StudyError(
                f"{at}.protocols[{number}]: {UnknownNameError('protocol', name, protocols)}"
            )
    found = [
        condition
        for name in named
        for condition in _of_protocol(block, protocols[name], players, at)
    ]
    for agent in block["seats"]:
        if not any(agent in condition.seats for condition in found):
            known = sorted({agent for condition in found for agent in condition.seats})
            raise StudyError(f"{at}.seats: {UnknownNameError('seat', agent, known)}")
    if "name" in block:
        if len(found) > 1:
            raise StudyError(
                f"{at}.name is for a single condition, and this makes {len(found)}; leave it out, "
                "and they are called by what they vary."
            )
        found = [dataclasses.replace(found[0], name=block["name"])]
    yield from found


def _of_protocol(
    block: Mapping[str, Any],
    choice: ProtocolChoice,
    players: Mapping[str, PlayerChoice],
    at: str,
) -> Iterator[Condition]:
    spec = spec_of(choice)
    offered = {
        agent: block["seats"].get(
            agent, block.get("provers" if agent in spec.provers else "verifiers")
        )
        for agent in spec.agent_names
    }
    for agent, names in offered.items():
        if names is None:
            key = "provers" if agent in spec.provers else "verifiers"
            raise StudyError(
                f"{at} names nobody for {agent!r} of {choice.name!r}; give `{key}`, or "
                f"`seats.{agent}`."
            )
        for name in names:
            _check_seat(name, agent, agent in spec.verifiers, players, at)
    if block["order"] == "both" and not orders_group(choice):
        raise StudyError(
            f"{at}.order is 'both', but in {choice.name!r} no two provers take turns; set "
            "`sequential` in its parameters, or leave `order` out."
        )
    side = block["side"] if spec.provers else "protocol"
    if side != "protocol" and not spec.prover_stance_can_be_randomized:
        raise StudyError(
            f"{at}.side is {side!r}, but {choice.name!r} gives each prover its side; leave `side` "
            "out there, or name other `protocols`."
        )
    swap = block["swap"] and len(spec.provers) > 1
    for seats in _choices(offered, block, spec.provers):
        provers = [seats[agent] for agent in spec.provers]
        shown = "+".join(provers if len(set(provers)) > 1 else provers[:1])
        words = [choice.name, seats[spec.verifier], shown]
        words += [side] * (side != "protocol") + ["swapped"] * swap
        yield Condition(
            name=", ".join(filter(None, words)),
            protocol=choice,
            seats={agent: players[name] for agent, name in seats.items()},
            verifier=seats[spec.verifier],
            provers=shown,
            side=side,
            swap=swap,
            both_orders=block["order"] == "both",
        )


def _choices(
    offered: Mapping[str, Sequence[str]], block: Mapping[str, Any], provers: Sequence[str]
) -> Iterator[dict[str, str]]:
    """Who sits where: all provers' seats go to one player, unless a seat is named by itself."""
    together = [agent for agent in provers if agent not in block["seats"]]
    apart = [agent for agent in offered if agent not in together]
    for alone in itertools.product(*(offered[agent] for agent in apart)):
        for one in offered[together[0]] if together else ("",):
            seats = {**dict(zip(apart, alone, strict=True)), **dict.fromkeys(together, one)}
            yield {agent: seats[agent] for agent in offered}


def _check_seat(
    name: str, agent: str, verifies: bool, players: Mapping[str, PlayerChoice], at: str
) -> None:
    if name not in players:
        raise StudyError(f"{at}: {UnknownNameError('player', name, players)}")
    if players[name].strategy is not None and not verifies:
        raise StudyError(
            f"{at} puts {name!r} into the seat {agent!r}, but it has a `strategy`, which only "
            "verifiers have."
        )


def _check_budget(study: Study) -> None:
    if study.budget.money is None:
        return
    for condition in study.conditions:
        for player in condition.seats.values():
            if player.kind == "model" and player.prices.cost(0, 0) is None:
                raise StudyError(
                    f"budget.money is given, and players.{player.name} has no `prices`; give them."
                )


GRAPHS = 24
# Each pair takes tens of milliseconds: one with a certain difficulty has to be found.
MOST_GRAPHS = 1_000


def read_source(fields: Mapping[str, Any], seed: int, folder: Path, at: str) -> TaskSource:
    """The tasks that a table of the file means."""
    if ("source" in fields) == ("file" in fields):
        raise StudyError(f"{at} must have either `source` or `file`, and one of them only.")
    if "split" in fields and "file" not in fields:
        raise StudyError(f"{at}.split is for dataset folders: give `file`, or leave it out.")
    if "file" in fields:
        tasks = _from_file(folder / fields["file"], fields.get("split"), at)
    elif fields["source"] == "graphs":
        if "ids" in fields:
            raise StudyError(f"{at}.ids cannot be given for graphs, which are made; leave it out.")
        # Both labels of every size are made, so that a table without one of them is a choice.
        if fields.get("problems", GRAPHS) > MOST_GRAPHS:
            raise StudyError(
                f"{at}.problems is {fields['problems']:,}; at most {MOST_GRAPHS:,} pairs of graphs "
                "are made."
            )
        return TaskSource(_graphs(fields, seed), None)
    else:
        tasks = bundled_tasks()
    chosen = _selected(tasks, fields, at)
    return TaskSource(chosen, fields.get("problems"))


def _graphs(fields: Mapping[str, Any], seed: int) -> tuple[Task, ...]:
    labels = [fields["label"]] if "label" in fields else [1, 0]
    sizes = fields.get("difficulty", DIFFICULTIES)
    kinds = [(size, label) for size in sizes for label in labels]
    made: dict[str, Task] = {}
    number = 0
    while len(made) < fields.get("problems", GRAPHS):
        size, label = kinds[number % len(kinds)]
        task = _graph(seed, number, size, label)
        made[task.id] = task
        number += 1
    return tuple(made.values())


# A form asks for the same again at every change.
@lru_cache(2 * MOST_GRAPHS)
def _graph(seed: int, number: int, size: Difficulty, label: int) -> Task:
    drawn = stable_hash("nip-study-graph/1", seed, number)
    return graph_task(int.from_bytes(drawn[:4]), difficulty=size, isomorphic=label == 1)


def _from_file(path: Path, split: str | None, at: str) -> tuple[Task, ...]:
    try:
        report = load_tasks(path, split=split)
    except TaskError as error:
        raise StudyError(f"{at}.file: {error}") from None
    if report.problems:
        first = report.problems[0]
        raise StudyError(
            f"{at}.file: {len(report.problems):,} of the rows cannot be used. The first: {first}. "
            "Correct them, or take them out."
        )
    return tuple(report.tasks)


def _selected(tasks: Iterable[Task], fields: Mapping[str, Any], at: str) -> tuple[Task, ...]:
    found = tuple(
        task
        for task in tasks
        if task.difficulty in fields.get("difficulty", (task.difficulty,))
        and task.y == fields.get("label", task.y)
    )
    if "ids" in fields:
        by_id = {name: task for task in found for name in (task.id, task.source_id) if name}
        for index, name in enumerate(fields["ids"]):
            if name not in by_id:
                raise StudyError(f"{at}.ids[{index}]: there is no such task {show(name)} here.")
        wanted = {by_id[name].id for name in fields["ids"]}
        found = tuple(task for task in found if task.id in wanted)
    if not found:
        raise StudyError(f"{at} leaves no task; widen `difficulty` or `label`.")
    twice = first_repeated(task.id for task in found)
    if twice is not None:
        raise StudyError(f"{at} has the same statement twice (its id is {twice}); take one out.")
    problems = {problem_of(task) for task in found}
    if fields.get("problems", 1) > len(problems):
        raise StudyError(
            f"{at}.problems is {fields['problems']:,}, but there are {len(problems):,} problems."
        )
    return found
