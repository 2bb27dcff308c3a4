"""Read a study's file; errors name the place and say what to do.

Every mistake that can be found in advance is reported here, before a model is asked or an episode
is played.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from explorer.choice import ProtocolChoice
from explorer.players import JUDGES, STRATEGIES, scripts_for
from explorer.studies.format import SCHEMA
from explorer.studies.people import check_people, read_people
from explorer.studies.points import check_playable, has_orders
from explorer.studies.study import (
    Condition,
    PlayerChoice,
    Study,
    StudyError,
    StudyProtocol,
    StudyTask,
    TaskSource,
    problem_of,
    sides_of,
    sides_to_choose,
    with_dealt,
)
from explorer.usage import Prices, UsageBudget
from nip_core.documents import (
    TASK_LINE,
    TRANSCRIPT,
    WRITTEN,
    Limits,
    checked,
    first_repeated,
    leaves,
    parse_json,
    parse_toml,
    read_file,
    read_text,
    show,
    stable_hash,
)
from nip_core.errors import NipError, TaskError, UnknownNameError
from nip_core.registry import published_names, specification
from nip_core.tasks import (
    DIFFICULTIES,
    Difficulty,
    LoadReport,
    Passage,
    PassageReport,
    Task,
    bundled_tasks,
    graph_task,
    load_quality,
    load_tasks,
    passages,
)

if TYPE_CHECKING:
    pass

Report = TypeVar("Report", LoadReport, PassageReport)

MAX_CONDITIONS = 2_000
MOST_NAMED = 12  # sides in an error message
# Keys are refused in files, since files are copied and shared.
_KEY_NAME = re.compile(r"api.?key|token$|secret|password|authorization|bearer", re.IGNORECASE)
_KEY_VALUE = re.compile(r"\b(sk-|gsk_|xai-|AIza|hf_|Bearer )[A-Za-z0-9_-]{8,}")

_INTO_ENVIRONMENT = "put it into the environment, where Inspect finds it (OPENAI_API_KEY, ...)"


def load_study(path: str | Path) -> Study:
    """Read a study's file; a StudyError names the place in it and says what to do."""
    path = Path(path)
    return read_study(read_file(path, WRITTEN, StudyError), path.parent)


def read_study(text: str | bytes, folder: str | Path = ".") -> Study:
    """Read the text of a study's file, whose paths are relative to the folder.

    A StudyError says what is wrong in it.
    """
    folder = Path(folder)
    document = parse_toml(text, WRITTEN, StudyError, "The study's file")
    fields = checked(document, SCHEMA, StudyError)
    protocols = {
        name: _protocol(name, table, folder) for name, table in fields["protocols"].items()
    }
    players = {
        name: _player(name, table, document["players"][name])
        for name, table in fields["players"].items()
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
        read_source(table, fields["seed"], folder, f"tasks[{number}]")
        for number, table in enumerate(fields["tasks"])
    )
    same = first_repeated(task.id for source in sources for task in source.tasks)
    if same is not None:
        raise StudyError(f"The task {same} comes from two of the `tasks`; take it out of one.")
    budget = UsageBudget(**fields.get("budget", {}))
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
        people=read_people(fields["people"]) if "people" in fields else None,
    )
    _check_budget(study)
    check_playable(study)
    check_people(study, [name for name, player in players.items() if player.kind == "person"])
    return study


def _protocol(name: str, fields: Mapping[str, Any], folder: Path) -> StudyProtocol:
    at, content = f"protocols.{name}", None
    if "document" in fields:
        if "protocol" in fields:
            raise StudyError(f"{at} has `protocol` and `document`; take one out.")
        it = f"{at}.document: {fields['document']}, from the folder of the study's file,"
        content = read_file(folder / fields["document"], TRANSCRIPT, StudyError, it)
    try:
        choice = (
            ProtocolChoice.of_document(read_text(content, TRANSCRIPT, StudyError, "The document"))
            if content is not None
            else ProtocolChoice.of(fields.get("protocol", name))
        )
        choice = choice.with_settings(fields["parameters"])
        _ = choice.rules
    except NipError as error:
        raise StudyError(f"{at}{'' if content is None else '.document'}: {error}") from None
    return StudyProtocol(name, choice, fields["max_response_words"], fields["informed_provers"])


_BELONG = {
    "scripted": {"level", "strategy"},
    "random": set[str](),
    "person": set[str](),
    "model": {"model", "base_url", "settings", "arguments", "corrections", "prices"},
}


def _player(name: str, fields: Mapping[str, Any], written: Mapping[str, Any]) -> PlayerChoice:
    at, kind = f"players.{name}", fields["kind"]
    for key in sorted(written.keys() - {"kind"} - _BELONG[kind]):
        owner = next(other for other, keys in _BELONG.items() if key in keys)
        raise StudyError(f"{at}.{key} is for kind = {owner!r}; this player's is {kind!r}.")
    if kind == "model" and "model" not in fields:
        raise StudyError(f"{at} lacks the key 'model': the provider and the model's name.")
    strategy = fields.get("strategy")
    if strategy is not None:
        known = {*STRATEGIES, *JUDGES}
        if strategy not in known:
            raise StudyError(f"{at}.strategy: {UnknownNameError('strategy', strategy, known)}")
        if "level" in fields:
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
    """Refuse a value that looks like a key, without repeating it."""
    for place, item in leaves(value, at):
        names = place.removeprefix(at)
        if isinstance(item, str) and (_KEY_NAME.search(names) or _KEY_VALUE.search(item)):
            raise StudyError(f"{place} looks like a key; {_INTO_ENVIRONMENT}.")


def _conditions(
    block: Mapping[str, Any],
    protocols: Mapping[str, StudyProtocol],
    players: Mapping[str, PlayerChoice],
    at: str,
) -> Iterator[Condition]:
    """Yield a block's conditions: every protocol, with every verifier and every prover."""
    named = block.get("protocols", list(protocols))
    for number, name in enumerate(named):
        if name not in protocols:
            raise StudyError(
                f"{at}.protocols[{number}]: {UnknownNameError('protocol', name, protocols)}"
            )
    conditions = [
        condition
        for name in named
        for condition in _of_protocol(block, protocols[name], players, at)
    ]
    for agent in block["seats"]:
        if not any(agent in condition.seats for condition in conditions):
            known = sorted({agent for condition in conditions for agent in condition.seats})
            raise StudyError(f"{at}.seats: {UnknownNameError('seat', agent, known)}")
    if "name" in block:
        if len(conditions) > 1:
            raise StudyError(
                f"{at}.name is for a single condition, and this makes {len(conditions)}; leave it "
                "out, and they are called by what they vary."
            )
        conditions = [dataclasses.replace(conditions[0], name=block["name"])]
    yield from conditions


def _of_protocol(
    block: Mapping[str, Any],
    protocol: StudyProtocol,
    players: Mapping[str, PlayerChoice],
    at: str,
) -> Iterator[Condition]:
    choice = protocol.choice
    spec = choice.rules
    verifiers, provers = sides_of(spec)
    offered = {
        agent: block["seats"].get(agent, block.get("provers" if agent in provers else "verifiers"))
        for agent in spec.seat_names
    }
    for agent, names in offered.items():
        if names is None:
            key = "provers" if agent in provers else "verifiers"
            raise StudyError(
                f"{at} names no player for {agent!r} of {protocol.name!r}; give `{key}`, or "
                f"`seats.{agent}`."
            )
        for name in names:
            _check_seat(name, agent, choice, players, at)
    if block["order"] == "both" and not has_orders(choice):
        raise StudyError(
            f"{at}.order is 'both', but in {protocol.name!r} no two provers take turns; set "
            "`sequential` in its parameters, or leave `order` out."
        )
    side = block["side"] if provers else "protocol"
    if side != "protocol":
        _check_side(side, choice, protocol.name, at)
    swap = block["swap"] and len(provers) > 1
    for seats in _choices(offered, block, provers):
        verifier, shown = (
            _together(seats[agent] for agent in side) for side in (verifiers, provers)
        )
        words = [protocol.name, verifier, shown]
        words += [side] * (side != "protocol") + ["swapped"] * swap
        yield Condition(
            name=", ".join(filter(None, words)),
            protocol=protocol,
            seats={agent: players[name] for agent, name in seats.items()},
            verifier=verifier,
            provers=shown,
            side=side,
            swap=swap,
            both_orders=block["order"] == "both",
        )


def _check_side(side: str, choice: ProtocolChoice, protocol: str, at: str) -> None:
    known = sides_to_choose(choice)
    if not known:
        raise StudyError(
            f"{at}.side is {show(side)}, but {show(protocol)} gives each prover its side; "
            "leave `side` out there, or name other `protocols`. `swap` plays each task again with "
            "the players moved on by a seat."
        )
    if side not in known:
        names = ", ".join(map(repr, ("protocol", *known[:MOST_NAMED])))
        raise StudyError(f"{at}.side is {show(side)}; in {show(protocol)} it can be {names}.")
    if name := choice.rules.roles.dealt:
        try:
            with_dealt(choice.rules, name)
        except NipError as error:
            raise StudyError(
                f"{at}.side is {show(side)}, but {show(protocol)} cannot be played with a "
                f"side that its seat does not choose: {error}"
            ) from None


def _together(names: Iterable[str]) -> str:
    listed = list(names)
    return "+".join(listed if len(set(listed)) > 1 else listed[:1])


def _choices(
    offered: Mapping[str, Sequence[str]], block: Mapping[str, Any], provers: Sequence[str]
) -> Iterator[dict[str, str]]:
    """Yield the players by seat: all provers share a player, unless a seat is named by itself."""
    together = [agent for agent in provers if agent not in block["seats"]]
    apart = [agent for agent in offered if agent not in together]
    for alone in itertools.product(*(offered[agent] for agent in apart)):
        for one in offered[together[0]] if together else ("",):
            seats = {**dict(zip(apart, alone, strict=True)), **dict.fromkeys(together, one)}
            yield {agent: seats[agent] for agent in offered}


def _check_seat(
    name: str,
    agent: str,
    choice: ProtocolChoice,
    players: Mapping[str, PlayerChoice],
    at: str,
) -> None:
    if name not in players:
        raise StudyError(f"{at}: {UnknownNameError('player', name, players)}")
    strategy = players[name].strategy
    if strategy is None:
        return
    strategies = scripts_for(choice, agent).strategies
    if not strategies:
        raise StudyError(
            f"{at} puts {name!r} into the seat {agent!r}, but it has a `strategy`, which only "
            "verifiers have."
        )
    if strategy not in strategies:
        raise StudyError(
            f"{at} puts {name!r} into the seat {agent!r}; in this protocol there is no strategy "
            f"{strategy!r}, but there are {', '.join(strategies)}."
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
# Each pair takes tens of milliseconds, since pairs of a given difficulty are searched for.
MOST_GRAPHS = 1_000
# The most bytes of a file of tasks with parts.
MOST_BYTES = 32 * 2**20


def read_source(fields: Mapping[str, Any], seed: int, folder: Path, at: str) -> TaskSource:
    """Return the tasks that a table of the file describes."""
    if sum(key in fields for key in ("source", "file", "prepared_for")) != 1:
        raise StudyError(
            f"{at} must have `source`, `file` or `prepared_for`, and one of them only."
        )
    if "split" in fields and "file" not in fields:
        raise StudyError(f"{at}.split is for dataset folders: give `file`, or leave it out.")
    if "format" in fields and ("file" not in fields or "split" in fields):
        raise StudyError(f"{at}.format is for files: give `file`, or leave it out.")
    if "label" in fields and (
        "format" in fields or "prepared_for" in fields or fields.get("source") == "passages"
    ):
        raise StudyError(f"{at}.label is for statements that hold or do not; leave it out here.")
    tasks: Sequence[StudyTask]
    if "prepared_for" in fields:
        tasks = _prepared(fields["prepared_for"], at)
    elif fields.get("source") == "passages":
        tasks = passages()
    elif fields.get("format") == "quality":
        tasks = _whole(partial(load_quality, folder / fields["file"]), at).passages
    elif fields.get("format") == "parts":
        tasks = _parts(folder / fields["file"], at)
    elif "file" in fields:
        path, split = folder / fields["file"], fields.get("split")
        tasks = _whole(partial(load_tasks, path, split=split), at).tasks
    elif fields["source"] == "graphs":
        if "ids" in fields:
            raise StudyError(f"{at}.ids cannot be given for graphs, which are made; leave it out.")
        # Both labels of every size are made, so that they are balanced unless the table selects
        # one.
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


# Cached, since a form reads the same source again at every change.
@lru_cache(2 * MOST_GRAPHS)
def _graph(seed: int, number: int, size: Difficulty, label: int) -> Task:
    drawn = stable_hash("nip-study-graph/1", seed, number)
    return graph_task(int.from_bytes(drawn[:4]), difficulty=size, isomorphic=label == 1)


def _whole(load: Callable[[], Report], at: str) -> Report:
    """Return a file of tasks, of which all can be used."""
    try:
        report = load()
    except TaskError as error:
        raise StudyError(f"{at}.file: {error}") from None
    if report.problems:
        raise StudyError(
            f"{at}.file: {len(report.problems):,} of the tasks cannot be used. The first: "
            f"{report.problems[0]}. Correct them, or take them out. Passages need the format "
            "“quality”, and tasks with parts of their own the format “parts”."
        )
    return report


def _prepared(name: str, at: str) -> Sequence[StudyTask]:
    # Imported here, since it loads code for people's games.
    from explorer.play import prepared_for

    if name not in published_names():
        names = published_names()
        raise StudyError(
            f"{at}.prepared_for: {UnknownNameError('published protocol', name, names)}"
        )
    return prepared_for(specification(name))


def _parts(path: Path, at: str) -> Sequence[StudyTask]:
    """Return tasks with parts and facts from lines of JSON."""
    from nip_core.play import Material

    content = read_file(path, Limits(size=MOST_BYTES), StudyError, f"{at}.file")
    tasks: list[StudyTask] = []
    for number, text in enumerate(content.splitlines(), 1):
        if not text.strip():
            continue
        where = f"{at}.file, line {number:,}"
        try:
            tasks.append(Material.from_dict(parse_json(text, TASK_LINE, StudyError, where)))
        except NipError as error:
            reason = str(error)
            raise StudyError(reason if where in reason else f"{where}: {reason}") from None
    return tasks


def _selected(
    tasks: Iterable[StudyTask], fields: Mapping[str, Any], at: str
) -> tuple[StudyTask, ...]:
    selected = tuple(
        task
        for task in tasks
        if getattr(task, "difficulty", None)
        in fields.get("difficulty", (getattr(task, "difficulty", None),))
        and (not isinstance(task, Task) or task.y == fields.get("label", task.y))
    )
    if "ids" in fields:
        by_id = {name: task for task in selected for name in _names_of(task) if name}
        for index, name in enumerate(fields["ids"]):
            if name not in by_id:
                raise StudyError(f"{at}.ids[{index}]: there is no such task {show(name)} here.")
        wanted = {by_id[name].id for name in fields["ids"]}
        selected = tuple(task for task in selected if task.id in wanted)
    if not selected:
        if "difficulty" not in fields and "label" not in fields:
            raise StudyError(f"{at} has no task.")
        raise StudyError(f"{at} leaves no task; widen `difficulty` or `label`.")
    twice = first_repeated(task.id for task in selected)
    if twice is not None:
        raise StudyError(f"{at} has the same statement twice (its id is {twice}); take one out.")
    problems = {problem_of(task) for task in selected}
    if fields.get("problems", 1) > len(problems):
        raise StudyError(
            f"{at}.problems is {fields['problems']:,}, but there are {len(problems):,} problems."
        )
    return selected


def _names_of(task: StudyTask) -> tuple[str | None, ...]:
    """Return the names by which a file may refer to a task."""
    if isinstance(task, Passage):
        return task.id, task.slug
    return task.id, task.source_id if isinstance(task, Task) else None
