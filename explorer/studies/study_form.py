"""The text of a study's file from the fields of a form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.players import DEFAULT_STRATEGY, LEVELS
from explorer.studies.format import FORMAT
from explorer.studies.study import StudyError
from nip_core.displays import displayed

# The names of scripted provers in the form, by level.
LIARS = {name: f"{name} liar" for name in LEVELS}


@displayed
@dataclass(frozen=True, slots=True)
class Wanted:
    """The fields of the form."""

    name: str = "my study"
    source: str = "bundled"  # one of "bundled", "graphs"
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
    verifiers, provers = list(wanted.verifiers), [LIARS[level] for level in wanted.provers]
    players = [_table("players", name, kind="scripted", strategy=name) for name in wanted.verifiers]
    for level, name in zip(wanted.provers, provers, strict=True):
        players.append(_table("players", name, kind="scripted", level=level))
    if wanted.model:
        model = {"kind": "model", "model": wanted.model}
        more = {"base_url": wanted.base_url} if wanted.base_url else {}
        players.append(_table("players", "model", **model, **more))
        verifiers += ["model"] * wanted.model_verifies
        provers += ["model"] * wanted.model_proves
    tasks: dict[str, object] = {"source": wanted.source}
    if wanted.difficulties:
        tasks["difficulty"] = list(wanted.difficulties)
    if wanted.problems is not None:
        tasks["problems"] = wanted.problems
    condition: dict[str, object] = {"verifiers": verifiers, "provers": provers}
    if wanted.side != "protocol":
        condition["side"] = wanted.side
    parts = [
        _lines(format=FORMAT, name=wanted.name, seed=wanted.seed, epochs=wanted.epochs),
        f"[[tasks]]\n{_lines(**tasks)}",
        "\n".join(f"[protocols.{_key(name)}]" for name in wanted.protocols),
        *players,
        f"[[conditions]]\n{_lines(**condition)}",
    ]
    if wanted.tokens is not None:
        parts.append(f"[budget]\n{_lines(tokens=wanted.tokens)}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _table(of: str, name: str, **values: object) -> str:
    return f"[{of}.{_key(name)}]\n{_lines(**values)}"


def _lines(**values: object) -> str:
    # Texts, numbers and lists of them have the same form in JSON and TOML.
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items())


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if plain else json.dumps(name)
