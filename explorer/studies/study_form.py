"""The text of a study's file from the fields of a form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from explorer.choice import ProtocolChoice
from explorer.players import DEFAULT_STRATEGY, LEVELS, Judge, Strategy, scripts_for
from explorer.studies.format import FORMAT
from explorer.studies.study import StudyError, sides_of
from nip_core.displays import displayed, join_names
from nip_core.play import Material
from nip_core.registry import protocol_infos, protocol_title, published_names, specification
from nip_core.tasks import Passage, Task

# The names of scripted provers in the form, by level.
LIARS = {name: f"{name} liar" for name in LEVELS}
PASSAGES, PREPARED = "passages", "prepared"
# What a study can be about, and its title.
SOURCES = {
    "bundled": "Bundled programs",
    "graphs": "Pairs of graphs",
    PASSAGES: "Passages with a question",
    PREPARED: "Tasks of one protocol",
}


@displayed
@dataclass(frozen=True, slots=True)
class Wanted:
    """The fields of the form."""

    name: str = "my study"
    source: str = "bundled"  # one of `SOURCES`
    difficulties: Sequence[str] = ()  # only these; all if it is empty
    problems: int | None = None
    protocols: Sequence[str] = ("nip", "debate")
    verifiers: Sequence[str] = (DEFAULT_STRATEGY,)  # strategies of scripted verifiers
    provers: Sequence[str] = ("hard",)  # levels of scripted provers
    model: str = ""  # Inspect's name of the model; empty for none
    base_url: str = ""  # the address of one's own service
    model_verifies: bool = True
    model_proves: bool = False
    side: str = "protocol"
    epochs: int = 1
    seed: int = 0
    tokens: int | None = None  # the budget at which a run stops


def study_text(wanted: Wanted) -> str:
    """Return the text of the study's file; a StudyError says that a model plays no seat."""
    if wanted.model and not (wanted.model_verifies or wanted.model_proves):
        raise StudyError(
            "The model has no part in the study: choose “It verifies” or “It proves”, or clear its "
            "name."
        )
    tasks, groups = _tasks(wanted), _by_verifiers(wanted)
    verifiers = [name for name in wanted.verifiers if any(name in group for group in groups)]
    provers = [LIARS[level] for level in wanted.provers]
    players = [_table("players", name, kind="scripted", strategy=name) for name in verifiers]
    for level, name in zip(wanted.provers, provers, strict=True):
        players.append(_table("players", name, kind="scripted", level=level))
    if wanted.model:
        model = {"kind": "model", "model": wanted.model}
        more = {"base_url": wanted.base_url} if wanted.base_url else {}
        players.append(_table("players", "model", **model, **more))
        provers += ["model"] * wanted.model_proves
    parts = [
        _lines(format=FORMAT, name=wanted.name, seed=wanted.seed, epochs=wanted.epochs),
        f"[[tasks]]\n{_lines(**tasks)}",
        "\n".join(f"[protocols.{_key(name)}]" for name in wanted.protocols),
        *players,
    ]
    for players_of_seat, protocols in groups.items():
        named = {"verifiers": [*players_of_seat], "provers": provers}
        condition: dict[str, object] = {key: names for key, names in named.items() if names}
        if len(groups) > 1:
            condition["protocols"] = protocols
        if wanted.side != "protocol":
            condition["side"] = wanted.side
        parts.append(f"[[conditions]]\n{_lines(**condition)}")
    if wanted.tokens is not None:
        parts.append(f"[budget]\n{_lines(tokens=wanted.tokens)}")
    return "\n\n".join(filter(None, parts)) + "\n"


@cache
def protocols_on(source: str) -> tuple[str, ...]:
    """Return the names of the protocols for a source of tasks, from simple to rich."""
    kind = {PASSAGES: Passage, PREPARED: Material}.get(source, Task)
    fitting = [name for name in published_names() if isinstance(_first_task(name), kind)]
    in_rounds = [info.name for info in protocol_infos() if not info.for_developers]
    return (*(in_rounds if source != PREPARED else ()), *fitting)


@cache
def _first_task(protocol: str) -> Task | Passage | Material | None:
    # Imported here, since it loads code for people's games.
    from explorer.play import prepared_for

    return next(iter(prepared_for(specification(protocol))), None)


@cache
def strategies_in(protocol: str) -> Mapping[str, Strategy | Judge]:
    """Return the strategies of scripted players for the seat that judges; may be empty."""
    choice = ProtocolChoice.of(protocol)
    verifiers, _ = sides_of(choice.rules)
    return scripts_for(choice, verifiers[0]).strategies if verifiers else {}


def _by_verifiers(wanted: Wanted) -> Mapping[tuple[str, ...], list[str]]:
    """Return the protocols by the verifiers that play in them: not every script fits each."""
    groups: dict[tuple[str, ...], list[str]] = {}
    model = ("model",) * bool(wanted.model and wanted.model_verifies)
    for protocol in wanted.protocols:
        strategies = strategies_in(protocol)
        fitting = [name for name in wanted.verifiers if name in strategies]
        if strategies and not fitting and not model:
            titles = join_names([one.title for one in strategies.values()], "or")
            raise StudyError(
                f"No verifier is chosen that can play in {protocol_title(protocol)}: add {titles}."
            )
        groups.setdefault((*fitting, *model), []).append(protocol)
    return groups


def _tasks(wanted: Wanted) -> dict[str, object]:
    tasks: dict[str, object] = {"source": wanted.source}
    if wanted.source == PREPARED:
        if len(wanted.protocols) != 1:
            raise StudyError(f"Choose one protocol, since “{SOURCES[PREPARED]}” are those of one.")
        tasks = {"prepared_for": wanted.protocols[0]}
    if wanted.difficulties:
        tasks["difficulty"] = list(wanted.difficulties)
    if wanted.problems is not None:
        tasks["problems"] = wanted.problems
    return tasks


def _table(of: str, name: str, **values: object) -> str:
    return f"[{of}.{_key(name)}]\n{_lines(**values)}"


def _lines(**values: object) -> str:
    # Texts, numbers and lists of them have the same form in JSON and TOML.
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items())


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if plain else json.dumps(name)
