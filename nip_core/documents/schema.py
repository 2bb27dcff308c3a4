"""JSON Schema as the one description of a document that people write, and its reader.

The reader checks values by the schema and takes defaults from it; documentation lists its keys, and
TOML editors suggest them. The functions here write the part of JSON Schema that :func:`checked`
reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, cast

from nip_core.documents.hashing import canonical
from nip_core.errors import NipError, did_you_mean, known_names, show

__all__ = [
    "NAME",
    "Schema",
    "anything",
    "by_name",
    "checked",
    "flag",
    "items",
    "keys",
    "number",
    "one_of_kinds",
    "one_or_more",
    "table",
    "text",
    "whole",
]

Schema = Mapping[str, Any]

NAME = r"^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,59}$"
_OF_NAMES = (
    "A name begins with a letter or digit and has at most 60 letters, digits, blanks and . _ + -"
)


# -- writing a schema ----------------------------------------------------------------------------


def table(properties: Mapping[str, Schema], help: str, *needed: str) -> Schema:
    """Describe a table with these keys and no others."""
    return {
        "type": "object",
        "description": help,
        "properties": dict(properties),
        "required": list(needed),
        "additionalProperties": False,
    }


def by_name(entry: Schema, help: str) -> Schema:
    """Describe a table whose keys are names that people choose."""
    names = {"pattern": NAME}
    return {**anything(help), "propertyNames": names, "additionalProperties": entry}


def anything(help: str, **more: Any) -> Schema:
    """Describe a table with any content, which other code checks."""
    return {"type": "object", "description": help, **more}


def one_of_kinds(kinds: Mapping[str, Schema]) -> Schema:
    """Describe a table whose key ``kind`` selects one of several tables."""
    tables: list[Schema] = []
    for kind, kind_schema in kinds.items():
        properties = {"kind": text("Which kind.", enum=[kind]), **kind_schema["properties"]}
        tables.append(
            table(properties, kind_schema["description"], "kind", *kind_schema["required"])
        )
    return {"oneOf": tables}


def items(item: Schema, help: str, **more: Any) -> Schema:
    """Describe a list."""
    return {"type": "array", "description": help, "items": item, **more}


def one_or_more(help: str) -> Schema:
    """Describe a name or a list of names, which is always read as a list."""
    name = {"type": "string", "minLength": 1}
    listed = {"type": "array", "items": name, "minItems": 1, "uniqueItems": True}
    return {"description": help, "anyOf": [name, listed]}


def text(help: str, **more: Any) -> Schema:
    """Describe a text that is not empty, unless a smaller ``minLength`` is given."""
    return {"type": "string", "minLength": 1, "description": help, **more}


def flag(help: str, **more: Any) -> Schema:
    """Describe true or false."""
    return {"type": "boolean", "description": help, **more}


def whole(help: str, low: int | None = None, high: int | None = None, **more: Any) -> Schema:
    """Describe a whole number."""
    return {**number(help, low, high), "type": "integer", **more}


def number(help: str, low: float | None = None, high: float | None = None) -> Schema:
    """Describe a number."""
    limits = {"minimum": low, "maximum": high}
    limits_set = {name: limit for name, limit in limits.items() if limit is not None}
    return {"type": "number", "description": help, **limits_set}


def keys(schema: Schema) -> list[tuple[str, Schema, bool]]:
    """Return each key of a table with its description and whether it is needed."""
    listed = cast("Mapping[str, Schema]", schema["properties"])
    return [(key, described, key in schema["required"]) for key, described in listed.items()]


# -- reading by a schema --------------------------------------------------------------------------


def checked(value: object, schema: Schema, error: type[NipError], at: str = "") -> Any:
    """Return a value that follows a schema, with defaults filled in.

    Parameters
    ----------
    value : object
        Plain data, as :func:`parse_toml` and :func:`parse_json` return it.
    schema : mapping
    error : type of NipError
        The error to raise.
    at : str
        The place of the value; empty for the whole file.

    Raises
    ------
    NipError
        The given kind, with the place, the given value, and what is allowed.
    """
    return _Reader(error).value(value, schema, at)


class _Reader:
    def __init__(self, error: type[NipError]) -> None:
        self._error = error

    def value(self, value: object, schema: Schema, at: str) -> Any:
        if "oneOf" in schema:
            return self._one_of_kinds(value, schema, at)
        if "anyOf" in schema:
            if not isinstance(value, str | list):
                raise self._error(f"{at} is {show(value)}; it must be a name, or a list of names.")
            value = [value] if isinstance(value, str) else cast("object", value)
            schema = schema["anyOf"][1]
        if "enum" in schema:
            self._choice(value, schema["enum"], at)
        kind = schema.get("type")
        if kind is not None and not _is(_KINDS[kind], value):
            it = at or "The file"
            raise self._error(f"{it} is {show(value)}; it must be {_wanted(schema, at)}.")
        if kind == "object":
            return self._table(cast("Mapping[str, Any]", value), schema, at)
        if kind == "array":
            return self._list(cast("Sequence[Any]", value), schema, at)
        if kind == "string":
            self._text(cast("str", value), schema, at)
        if kind in ("integer", "number"):
            self._number(cast("float", value), schema, at)
        return value

    def _choice(self, value: object, choices: Sequence[object], at: str) -> None:
        # In Python, True equals 1.
        if any(value == choice and type(value) is type(choice) for choice in choices):
            return
        listed = ", ".join(map(str, choices))
        hint = did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""
        allowed = f"one of {listed}" if len(choices) > 1 else listed
        raise self._error(f"{at} is {show(value)}; it must be {allowed}.{hint}")

    def _one_of_kinds(self, value: object, schema: Schema, at: str) -> dict[str, object]:
        kinds: dict[str, Schema] = {
            kind_schema["properties"]["kind"]["enum"][0]: kind_schema
            for kind_schema in schema["oneOf"]
        }
        if not isinstance(value, Mapping):
            raise self._error(f"{at} is {show(value)}; it must be a table with a `kind`.")
        fields = cast("Mapping[str, Any]", value)
        if "kind" not in fields:
            raise self._error(f"{at} lacks the key 'kind'. Known kinds: {', '.join(kinds)}.")
        self._choice(fields["kind"], list(kinds), f"{at}.kind")
        return self._table(fields, kinds[fields["kind"]], at)

    def _table(self, value: Mapping[str, Any], schema: Schema, at: str) -> dict[str, object]:
        known: Mapping[str, Schema] = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        named = "propertyNames" in schema
        values: dict[str, object] = {}
        for key, item in value.items():
            place = f"{at}.{key}" if at else key
            if key in known:
                values[key] = self.value(item, known[key], place)
            elif rest is False:
                where = f"{at} has" if at else "The file has"
                hint = did_you_mean(key, known)
                raise self._error(f"{where} a key {show(key)}.{hint}{known_names(known)}")
            elif named and not _fits(schema["propertyNames"]["pattern"], key):
                raise self._error(f"{at} has the name {show(key)}. {_OF_NAMES}")
            else:
                values[key] = item if rest is True else self.value(item, rest, place)
        for key in schema.get("required", ()):
            if key not in values:
                about = known[key].get("description", "")
                it = at or "The file"
                raise self._error(f"{it} lacks the key {key!r}. {about}".rstrip())
        for key, key_schema in known.items():
            if "default" in key_schema:
                values.setdefault(key, key_schema["default"])
        return values

    def _list(self, value: Sequence[Any], schema: Schema, at: str) -> list[Any]:
        least = schema.get("minItems", 0)
        if len(value) < least:
            wanted = (
                "is empty; at least one is needed, or leave the key out"
                if least == 1
                else f"has {len(value)} of them; at least {least} are needed"
            )
            raise self._error(f"{at} {wanted}.")
        values = [self.value(item, schema["items"], f"{at}[{i}]") for i, item in enumerate(value)]
        if schema.get("uniqueItems"):
            seen: dict[str, int] = {}
            for i, item in enumerate(values):
                first = seen.setdefault(canonical(item), i)
                if first != i:
                    raise self._error(f"{at}[{i}] is the same as {at}[{first}]; take one out.")
        return values

    def _text(self, value: str, schema: Schema, at: str) -> None:
        if len(value.strip()) < schema.get("minLength", 0):
            raise self._error(f"{at} is empty; it must be a text.")
        if "pattern" in schema and not _fits(schema["pattern"], value):
            # The rules for names are described once; other patterns are explained by the
            # description.
            allowed = _OF_NAMES if schema["pattern"] == NAME else schema["description"]
            raise self._error(f"{at} is {show(value)}. {allowed}")

    def _number(self, value: float, schema: Schema, at: str) -> None:
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            least = "" if low is None else f"from {low:,} "
            most = "on" if high is None else f"{'to' if least else 'at most'} {high:,}"
            raise self._error(f"{at} is {show(value)}; it must be {least}{most}.")


def _is(kind: type | UnionType, value: object) -> bool:
    # In Python, True is a number.
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _fits(pattern: str, value: str) -> bool:
    # In Python, `$` also matches before a line's end.
    return re.fullmatch(pattern.removeprefix("^").removesuffix("$"), value) is not None


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
    """Return the expected value, in the syntax of the file."""
    if schema["type"] != "array":
        return _WORDS[schema["type"]]
    item = schema["items"]
    tables = "oneOf" in item or item.get("type") == "object"
    return f"a list of tables, each under [[{at}]]" if tables else "a list, in brackets"
