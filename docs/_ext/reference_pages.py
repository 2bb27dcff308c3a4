"""Pages of the reference that are made from the code: commands, file formats, the glossary."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Mapping
from typing import Any

from docs._ext.tables import table
from explorer.cli import COMMANDS, main
from explorer.lessons.lesson import SCHEMA as LESSON
from explorer.lessons.library import document
from explorer.studies import headlines
from explorer.studies.headlines import in_markdown
from nip_core.language import schema as protocol_schema
from nip_core.spec import spec_schema
from nip_core.transcript import transcript_schema

__all__ = ["reference_pages"]

# Commands below a command.
BELOW = {
    "study": (
        *("check", "plan", "show", "compare", "export", "predict", "store", "define", "baseline"),
        *("headlines", "players", "schema"),
    ),
    "people": (
        *("example", "open", "list", "close", "progress", "remove", "export", "ids", "table"),
        "delete",
    ),
    "protocol": ("check", "fmt", "worth"),
    "rooms": ("list", "link", "delete", "purge"),
}


def reference_pages() -> Iterator[tuple[str, str]]:
    """Yield the pages."""
    yield "reference/command-line.md", "\n".join(command_line()) + "\n"
    yield "reference/formats.md", "\n".join(formats()) + "\n"
    yield "reference/glossary.md", "\n".join(glossary()) + "\n"
    yield "design/headlines.md", "\n".join(published_comparisons()) + "\n"


def published_comparisons() -> Iterator[str]:
    """Yield published comparisons beside ours, from the results in the library."""
    yield from (
        "# Published comparisons, again",
        "",
        "Small versions of published comparisons on shipped protocols, with scripted judges and "
        "experts. Scripts are no models and no people: what agrees is a direction, and what "
        "differs is said below each table. Intervals are clustered by problem. To repeat them:",
        "",
        "    nip-explorer study headlines",
        "",
        "With models in the seats, where you have some:",
        "",
        "    nip-explorer study headlines --judge openai/gpt-5-nano --expert openai/gpt-5-mini "
        "--to headlines",
        "",
        "The comparisons are data (`explorer/studies/headlines.toml`). Resampling by the minimum "
        "and by the maximum is left out, since no shipped protocol draws several samples of each "
        "step and audits by their suspicions.",
        "",
    )
    yield from in_markdown(headlines())


# -- the command line ------------------------------------------------------------------------------


def command_line() -> Iterator[str]:
    """Yield what `--help` prints, for each command."""
    yield from ("# Command line", "", "What `--help` prints for each command.", "")
    yield from ("## nip-explorer", "", "```text", help_of(), "```", "")
    for command, (_, does) in COMMANDS.items():
        yield from (f"## nip-explorer {command}", "", f"{does[0].upper()}{does[1:]}.", "")
        yield from ("```text", help_of(command), "```", "")
        for act in BELOW.get(command, ()):
            yield from (f"### nip-explorer {command} {act}", "")
            yield from ("```text", help_of(command, act), "```", "")


def help_of(*words: str) -> str:
    """Return what a command prints with `--help`."""
    printed = io.StringIO()
    width = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "88"
    try:
        with contextlib.redirect_stdout(printed):
            main([*words, "--help"])
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"nip-explorer {' '.join(words)} --help failed") from ended
    finally:
        os.environ.pop("COLUMNS")
        if width is not None:
            os.environ["COLUMNS"] = width
    return printed.getvalue().strip()


# -- file formats ----------------------------------------------------------------------------------

DEEPEST = 3  # levels of tables within tables


def formats() -> Iterator[str]:
    """Yield the keys of each format that people and programs read."""
    yield from (
        "# File formats",
        "",
        "Each file names its format and version. Unknown keys and values are refused, with their "
        "place and a remedy. The keys of a study's file are in "
        "[Studies: file, record and numbers](studies.md).",
        "",
    )
    described: dict[str, Mapping[str, Any]] = {
        "Protocol, version 2 (`nip-protocol/2`)": protocol_schema(),
        "Protocol, version 1": spec_schema(),
        "Transcript (`nip-transcript/3`)": transcript_schema(2),
        "Transcript of version 1 (`nip-transcript/2`)": transcript_schema(1),
        "Lesson": LESSON,
    }
    for title, schema in described.items():
        yield from (f"## {title}", "", str(schema.get("description", "")), "")
        yield from (*table(["key", "type", "what"], [*keys(schema, schema)]), "")


def keys(
    schema: Mapping[str, Any], whole: Mapping[str, Any], path: str = ""
) -> Iterator[list[str]]:
    """Yield a row for each key of a schema and of the tables in it."""
    if path.count(".") >= DEEPEST:
        return
    for name, each in schema.get("properties", {}).items():
        told = referred(each, whole)
        place = f"{path}{name}"
        yield [f"`{place}`", type_of(told), " ".join(str(told.get("description", "")).split())]
        for inner in insides(told, whole):
            yield from keys(inner, whole, f"{place}.")


def referred(schema: Any, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with what it refers to; anything may stand where it is only `true`."""
    if not isinstance(schema, Mapping):
        return {}
    if "$ref" not in schema:
        return schema
    return {**whole["$defs"][schema["$ref"].rpartition("/")[2]], **schema}


def insides(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the schemas of the tables in a value: its own, those of its items and values."""
    if "properties" in schema:
        yield schema
    for within in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(within, Mapping):
            yield from insides(referred(within, whole), whole)
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from insides(referred(each, whole), whole)


def type_of(schema: Mapping[str, Any]) -> str:
    """Return the type of a value in words."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kinds = schema.get("type", "")
    if isinstance(kinds, list):
        return " or ".join(kinds)
    either = [type_of(each) for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ()))]
    return kinds or " or ".join(dict.fromkeys(filter(None, either)))


# -- the glossary ----------------------------------------------------------------------------------


def glossary() -> Iterator[str]:
    """Yield the glossary of the Learn page."""
    yield from ("# Glossary", "", "Words of the field and of this program.", "")
    for entry in document("glossary")["entry"]:
        terms = ", ".join(f"*{term}*" for term in entry.get("see", ()))
        see = f" See also {terms}." if terms else ""
        yield from (entry["term"], f": {entry['text']}{see}", "")
