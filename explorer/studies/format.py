"""What a study's file may hold, as a JSON Schema, and the reader that follows it.

The schema is all that is known of the shape: what it says is what is checked, what is filled in
where nothing is given, what the documentation lists, and what editors of TOML are told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from types import UnionType
from typing import Any, cast

from explorer.studies.errors import StudyError
from nip_core.documents import show
from nip_core.errors import did_you_mean
from nip_core.tasks import DIFFICULTIES

__all__ = ["FORMAT", "SCHEMA", "checked", "markdown"]

FORMAT = "nip-study/1"
MAX_SEED = 2**53 - 1  # what all readers of JSON agree on
MAX_PRICE = 1e9

Schema = Mapping[str, Any]

_NAME = r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}"
_OF_NAMES = (
    "A name begins with a letter or digit and has at most 60 letters, digits, blanks and . _ + -"
)
_TEXT = {"type": "string", "minLength": 1}


def _named(item: Schema, help: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": help,
        "propertyNames": {"pattern": f"^{_NAME}$"},
        "additionalProperties": item,
    }


def _object(properties: Mapping[str, Schema], help: str, *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": help,
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _list(item: Schema, help: str, **more: Any) -> dict[str, Any]:
    return {"type": "array", "description": help, "items": item, "uniqueItems": True, **more}


def _number(
    help: str, low: float | None = None, high: float | None = None, kind: str = "number"
) -> dict[str, Any]:
    limits = {"minimum": low, "maximum": high}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return {"type": kind, "description": help, **given}


def _whole(help: str, low: int, high: int, **more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": help, "minimum": low, "maximum": high, **more}


def _text(help: str, **more: Any) -> dict[str, Any]:
    return {**_TEXT, "description": help, **more}


def _flag(help: str, default: bool) -> dict[str, Any]:
    return {"type": "boolean", "description": help, "default": default}


_TASKS = _object(
    {
        "source": _text(
            "`bundled` (programs, each right and wrong) or `graphs` (pairs, made from seeds); or "
            "give `file`.",
            enum=["bundled", "graphs"],
        ),
        "file": _text(
            "A file of tasks of your own (CSV, JSON, JSONL, Parquet), or a Hugging Face dataset "
            "folder, from the folder of this file."
        ),
        "split": _text("Which part of a dataset folder."),
        "difficulty": _list({"enum": list(DIFFICULTIES)}, "Only these.", minItems=1),
        "label": _whole("Only statements that hold (1), or only those that do not (0).", 0, 1),
        "ids": _list(_TEXT, "Only tasks with these ids, or the author's.", minItems=1),
        "problems": _whole(
            "At most so many problems, drawn by the study's seed; all if it is left out (of graphs "
            "24). All solutions of a problem come with it.",
            1,
            100_000,
        ),
    },
    "Where tasks come from.",
)

_PROTOCOL = _object(
    {
        "protocol": _text("A registered protocol; the table's own name if it is left out."),
        "document": _text("A specification as a JSON file, from the folder of this file."),
        "parameters": {
            "type": "object",
            "description": "Groups of parameters, as `HyperParameters` takes them.",
            "default": {},
        },
        "max_response_words": _whole("How long a message may be.", 1, 100_000, default=150),
        "informed_provers": _flag("May provers see the label?", False),
    },
    "A protocol and its parameters.",
)

_PLAYER = _object(
    {
        "kind": _text("What plays.", enum=["scripted", "random", "model"]),
        "level": _text("How well a script plays.", enum=["easy", "medium", "hard"]),
        "strategy": _text("What a scripted verifier does; `tester` if it is left out."),
        "model": _text(
            "As Inspect names it: the provider, a slash and the model, such as "
            "`openai/gpt-5-mini`.",
            pattern=r"^[A-Za-z0-9_-]+/[!-~]{1,200}$",
        ),
        "base_url": _text(
            "Where a service of your own answers: `http://localhost:8000/v1`, for example.",
            pattern=r"^https?://[!-~]{1,500}$",
        ),
        "settings": {
            "type": "object",
            "description": "What is sent with every request, as Inspect's `GenerateConfig` names "
            "it: `temperature`, `max_tokens`, ... Keys belong into the environment.",
            "default": {},
        },
        "arguments": {
            "type": "object",
            "description": "What Inspect's `get_model` hands to the provider.",
            "default": {},
        },
        "corrections": _whole(
            "How often an answer that is no move goes back with the reason.", 0, 20, default=2
        ),
        "prices": _object(
            {
                "input": _number("Of a million tokens sent.", 0, MAX_PRICE),
                "output": _number("Of a million tokens received.", 0, MAX_PRICE),
            },
            "In any money, the same for all players.",
            "input",
            "output",
        ),
    },
    "Who or what can take a seat.",
    "kind",
)

_ONE_OR_MORE = {
    "description": "A player's name, or a list of them.",
    "anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}],
}

_CONDITIONS = _object(
    {
        "name": _text("Of a single condition; made of what it varies if it is left out."),
        "protocols": _list(_TEXT, "Names from `protocols`; all if it is left out.", minItems=1),
        "verifiers": {**_ONE_OR_MORE, "description": "Who verifies; each in turn."},
        "provers": {**_ONE_OR_MORE, "description": "Who takes all provers' seats; each in turn."},
        "seats": {
            "type": "object",
            "description": "Single seats by the agent's name, where they differ from the above.",
            "additionalProperties": _ONE_OR_MORE,
            "default": {},
        },
        "side": _text(
            "What provers argue for, where a protocol lets it be chosen: as the `protocol` says, "
            "`accept`, `reject`, the `truth`, a `lie`, or `both`: each task once for either side.",
            enum=["protocol", "accept", "reject", "truth", "lie", "both"],
            default="protocol",
        ),
        "swap": _flag("Play each task again with the provers' players moved on by a seat?", False),
        "order": _text(
            "Which of two provers who take turns speaks first: as the `protocol` says, or `both`: "
            "each task once with either.",
            enum=["protocol", "both"],
            default="protocol",
        ),
    },
    "Conditions: every protocol with every verifier and every prover that is named.",
)

SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": FORMAT,
    "title": "A study of NIP Explorer",
    **_object(
        {
            "format": _text(f"The version of this format: `{FORMAT}`.", enum=[FORMAT]),
            "name": _text("A short name.", pattern=f"^{_NAME}$"),
            "about": _text("What it is for."),
            "seed": _whole("From which everything is drawn.", 0, MAX_SEED, default=0),
            "epochs": _whole("How often each task is played.", 1, 10_000, default=1),
            "paired": _flag(
                "Do all conditions play the same tasks with the same draws? Else each draws its "
                "own.",
                True,
            ),
            "tasks": _list(_TASKS, "What episodes are about.", minItems=1),
            "protocols": _named(_PROTOCOL, "By the name that conditions use."),
            "players": _named(_PLAYER, "By the name that conditions use."),
            "conditions": _list(_CONDITIONS, "What is compared.", minItems=1),
            "budget": _object(
                {
                    "calls": _number("Requests to models.", 1, kind="integer"),
                    "tokens": _number("Sent and received.", 1, kind="integer"),
                    "money": _number("By the players' prices.", 0),
                    "minutes": _number("Of one run.", 0),
                },
                "Where a run stops, and can be taken up later. What is on its way is let finish.",
            ),
        },
        "Many episodes under stated conditions.",
        "format",
        "name",
        "tasks",
        "protocols",
        "players",
        "conditions",
    ),
}


def markdown() -> str:
    """All tables of a file with their keys, for the documentation."""
    tables: dict[str, Schema] = {"tasks": _TASKS, "protocols": _PROTOCOL, "players": _PLAYER}
    tables["conditions"] = _CONDITIONS
    tables["budget"] = cast("dict[str, Schema]", SCHEMA["properties"])["budget"]
    heads = {
        "tasks": "[[tasks]]",
        "protocols": "[protocols.NAME]",
        "players": "[players.NAME]",
        "conditions": "[[conditions]]",
        "budget": "[budget]",
    }
    parts = [_listed("At the top", SCHEMA, skip=tables)]
    parts += [_listed(f"`{heads[name]}`", each) for name, each in tables.items()]
    return "\n".join(parts)


def _listed(head: str, schema: Schema, skip: Container[str] = ()) -> str:
    lines = [f"**{head}** {schema['description']}\n"]
    for key, each in cast("dict[str, Schema]", schema["properties"]).items():
        if key in skip:
            continue
        needed = " Needed." if key in schema["required"] else ""
        default = f" Default: `{json.dumps(each['default'])}`." if "default" in each else ""
        unsaid = [c for c in each.get("enum", ()) if f"`{c}`" not in each["description"]]
        choices = f" One of {', '.join(f'`{c}`' for c in each['enum'])}." if unsaid else ""
        lines.append(f"- `{key}`: {each['description']}{choices}{default}{needed}")
        for inner, one in cast("dict[str, Schema]", each.get("properties", {})).items():
            lines.append(f"  - `{inner}`: {one['description']}")
    return "\n".join(lines) + "\n"


def checked(value: object, schema: Schema, at: str = "") -> Any:
    """A value that follows a schema, with what is not given filled in.

    Raises
    ------
    StudyError
        With the place and what is allowed there.
    """
    if "anyOf" in schema:
        # A text, or a list of texts: read as a list.
        if not isinstance(value, str | list):
            raise StudyError(f"{at} is {show(value)}; it must be a name, or a list of names.")
        value = [value] if isinstance(value, str) else cast("object", value)
        schema = schema["anyOf"][1]
    if "enum" in schema and value not in schema["enum"]:
        listed = ", ".join(map(str, schema["enum"]))
        hint = did_you_mean(str(value), map(str, schema["enum"]))
        raise StudyError(f"{at} is {show(value)}; it must be one of {listed}.{hint}")
    kind = schema.get("type")
    if kind is not None and not _is(_KINDS[kind], value):
        raise StudyError(f"{at or 'The file'} is {show(value)}; it must be {_wanted(schema, at)}.")
    if kind == "object":
        return _checked_object(cast("Mapping[str, Any]", value), schema, at)
    if kind == "array":
        return _checked_list(cast("Sequence[Any]", value), schema, at)
    if kind == "string":
        _check_text(cast("str", value), schema, at)
    if kind in ("integer", "number"):
        _check_number(cast("float", value), schema, at)
    return value


def _is(kind: type | UnionType, value: object) -> bool:
    # To Python, True is a number.
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


_KINDS: Mapping[str, type | UnionType] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": int | float,
}
_WORDS = {
    "object": "a table",
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
}


def _wanted(schema: Schema, at: str) -> str:
    """What has to stand there, as a file writes it."""
    if schema["type"] != "array":
        return _WORDS[schema["type"]]
    tables = schema["items"].get("type") == "object"
    return f"a list of tables, each under [[{at}]]" if tables else "a list, in brackets"


def _checked_object(value: Mapping[str, Any], schema: Schema, at: str) -> dict[str, Any]:
    known: Mapping[str, Schema] = schema.get("properties", {})
    rest = schema.get("additionalProperties", True)
    allowed = schema.get("propertyNames", {}).get("pattern")
    found: dict[str, Any] = {}
    for key, item in value.items():
        place = f"{at}.{key}" if at else key
        if key in known:
            found[key] = checked(item, known[key], place)
        elif rest is False:
            where = f"{at} has" if at else "The file has"
            hint = did_you_mean(key, known)
            raise StudyError(f"{where} a key {show(key)}.{hint} Known: {', '.join(known)}.")
        elif allowed is not None and not re.fullmatch(allowed.strip("^$"), key):
            raise StudyError(f"{at} has the name {show(key)}. {_OF_NAMES}")
        else:
            found[key] = item if rest is True else checked(item, rest, place)
    for key in schema.get("required", ()):
        if key not in found:
            about = known[key].get("description", "")
            raise StudyError(f"{at or 'The file'} lacks the key {key!r}. {about}".rstrip())
    for key, each in known.items():
        if "default" in each:
            found.setdefault(key, each["default"])
    return found


def _checked_list(value: Sequence[Any], schema: Schema, at: str) -> list[Any]:
    if len(value) < schema.get("minItems", 0):
        raise StudyError(f"{at} is empty; at least one is needed, or leave the key out.")
    items = [checked(item, schema["items"], f"{at}[{i}]") for i, item in enumerate(value)]
    for i, item in enumerate(items):
        if item in items[:i]:
            raise StudyError(f"{at}[{i}] is the same as {at}[{items.index(item)}]; take one out.")
    return items


def _check_text(value: str, schema: Schema, at: str) -> None:
    if len(value.strip()) < schema.get("minLength", 0):
        raise StudyError(f"{at} is empty; it must be a text.")
    if "pattern" in schema and not re.fullmatch(schema["pattern"].strip("^$"), value):
        # What a name looks like is said once; other patterns are told by what they are for.
        told = _OF_NAMES if schema["pattern"] == f"^{_NAME}$" else schema["description"]
        raise StudyError(f"{at} is {show(value)}. {told}")


def _check_number(value: float, schema: Schema, at: str) -> None:
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        most = f"from {low:,} on" if high is None else f"from {low:,} to {high:,}"
        raise StudyError(f"{at} is {show(value)}; it must be {most}.")
