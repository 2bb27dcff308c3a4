"""Protocols as TOML, in the style of the published files.

There is one writer, for the command ``nip-explorer protocol fmt`` and for downloads. It never
changes what a file means. Comments are kept: each stands above the entry that it stood above,
beside or in.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from nip_core.documents import find_spots
from nip_core.language.document import parsed
from nip_core.language.seeing import EVERYONE
from nip_core.language.structure import FOR_PEOPLE
from nip_core.mistakes import Path

__all__ = ["TABLES", "entry_text", "formatted", "inline_text", "toml_text", "with_comments"]

WIDTH = 100
# The order of what stands before the tables, and of the tables; others follow in their own order.
_TOP = (
    *("format", "name", *FOR_PEOPLE, "verdict", "experts", "settings"),
    *("labels", "titles", "roles"),
)
TABLES = ("seats", "parts", "channels", "choices", "values", "stages", "pay", "limits")
_FIELDS = (
    *("name", "title", "argues", "anonymous", "by", "options", "weights", "draw", "count", "each"),
    *("to", "amount", "seat", "of", "option", "most", "per", "say", "may_say", "choose", "when"),
    *("at", "seen", "quotable", "truth_of", "silent", "total", "apart", "times", "turns"),
)
# What is written in several lines; the others for people are one line each.
_LONG = ("about", "simplified")
_PLACE = {field: number for number, field in enumerate(_FIELDS)}
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Strings, since they may contain the sign, and comments.
_COMMENT = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'|(#[^\n]*)",
    re.DOTALL,
)
TOP_OF_FILE, END_OF_FILE = ("top of file",), ("end of file",)
_Lines = Iterator[tuple[Path, str]]


def formatted(text: str | bytes) -> str:
    """Return a protocol's text as TOML in the style of the published files.

    Parameters
    ----------
    text : str or bytes
        TOML, or JSON if it begins with a brace. It must be a protocol of version 2.

    Raises
    ------
    SpecError
        If it cannot be read.
    """
    return with_comments(*parsed(text))


def with_comments(document: Mapping[str, Any], text: str) -> str:
    """Return a plain document as TOML, with the comments of a text of the same or a like one."""
    tables = {match[1] for match in re.finditer(r"^\[\[(\w+)\]\]", text, re.MULTILINE)}
    lines = [*_lines(document, tables)]
    comments = {} if text.lstrip()[:1] == "{" else _comments(text, [path for path, _ in lines])
    top = comments.get(TOP_OF_FILE, [])
    said = [*top, ""] if top else []
    for path, line in lines:
        said += [*comments.get(path, ()), line]
    return _joined([*said, *comments.get(END_OF_FILE, ())])


def toml_text(document: Mapping[str, Any]) -> str:
    """Return a plain document of a protocol as TOML."""
    return _joined([line for _, line in _lines(document, set())])


def _joined(lines: list[str]) -> str:
    """Join entries, with an empty line before each table."""
    text = ""
    for number, line in enumerate(lines):
        header = next((each for each in lines[number:] if not each.startswith("#")), "")
        follows_comment = number > 0 and lines[number - 1].startswith("#")
        begins = header.startswith("[") and not follows_comment
        text += ("\n" if begins and text else "") + line + "\n"
    return text


# -- comments --------------------------------------------------------------------------------------


def _comments(text: str, written: Sequence[Path]) -> dict[Path, list[str]]:
    """Return the comments of a text, by the entry above which they are written."""
    spots = find_spots(text, written)
    headers = [match.start() for match in re.finditer(r"^\[", text, re.MULTILINE)]
    entries: list[tuple[int, int, Path]] = []
    for path in written:
        if path in spots:
            key, (begin, end) = spots[path]
            if begin in headers and len(path) == 2 and not text.startswith("[[", begin):
                # What has a table of its own here is one entry in what is written.
                end = next((at for at in headers if at > begin), len(text))
            entries.append((min(key[0], begin), end, path))
    entries.sort()
    found: dict[Path, list[str]] = {}
    for match in _COMMENT.finditer(text):
        if match[1] is None:
            continue
        at = match.start(1)
        line = text.rfind("\n", 0, at) + 1
        beside = [path for begin, end, path in entries if begin < at and end > line]
        below = [path for begin, _, path in entries if begin > at]
        path = beside[-1] if beside else below[0] if below else END_OF_FILE
        first = bool(below) and below[0] == entries[0][2]
        # Editors look for a line such as `#:schema` at the top.
        if first and ("\n\n" in text[at : entries[0][0]] or match[1].startswith("#:")):
            path = TOP_OF_FILE
        found.setdefault(path, []).append(match[1].rstrip())
    return found


# -- entries ---------------------------------------------------------------------------------------


def _lines(document: Mapping[str, Any], tables: set[str]) -> _Lines:
    """Yield the path and the text of each entry and header."""
    inside: list[str] = []
    for key in _in_order(document, (*_TOP, *TABLES)):
        value = document[key]
        if (key, value) == ("verdict", "none"):
            continue
        if not _is_table(key, value, tables):
            yield (key,), entry_text((key,), value)
        elif value:
            inside.append(key)
    for key in inside:
        if isinstance(document[key], list):
            for number, table in enumerate(cast("list[dict[str, Any]]", document[key])):
                yield (key, number), f"[[{_key(key)}]]"
                yield from _entries((key, number), table)
        else:
            yield (key,), f"[{_key(key)}]"
            yield from _entries((key,), document[key])


def _entries(path: Path, table: Mapping[str, Any]) -> _Lines:
    for name, value in _arranged(path, table).items():
        yield (*path, name), entry_text((*path, name), value)


def _is_table(key: str, value: Any, tables: set[str]) -> bool:
    """Return whether something has a table of its own, or a list of tables."""
    if key in ("pay", "limits") and isinstance(value, list):
        rules = cast("list[object]", value)
        wide = any(len(inline_text((key, n), rule)) > WIDTH - 4 for n, rule in enumerate(rules))
        return key in tables or (wide and not tables)
    if isinstance(value, Mapping) and key in _TOP:
        return len(entry_text((key,), value)) > WIDTH
    return isinstance(value, Mapping) or key == "stages"


def _in_order(document: Mapping[str, Any], order: Sequence[str]) -> list[str]:
    places = {key: number for number, key in enumerate(order)}
    return sorted(document, key=lambda key: places.get(key, len(places)))


def _arranged(path: Path, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a table in the usual order, as far as that has no meaning."""
    if len(path) == 4 and path[0] == "stages":
        last = {"copy": 1, "then": 2}
        return {key: value[key] for key in sorted(value, key=lambda key: last.get(key, 0))}
    act = path[0] == "stages" and len(path) in (5, 6) and path[4:5] not in (("copy",), ("then",))
    named = path[0] in ("seats", "choices", "values") or "seen" in value
    if act or (len(path) == 2 and (named or path[0] in ("stages", "pay", "limits"))):
        return {key: value[key] for key in sorted(value, key=lambda key: _PLACE.get(key, -1))}
    return dict(value)


def entry_text(path: Path, value: Any) -> str:
    """Return an entry, in several lines if it is long."""
    key = _key(str(path[-1]))
    if len(path) == 1 and path[0] in _LONG and isinstance(value, str):
        return f"{key} = {_long_text(value, len(key))}"
    short = f"{key} = {inline_text(path, value)}"
    if len(short) <= WIDTH and path not in (("pay",), ("limits",)):
        return short
    return f"{key} = {_broken(path, value, '')}"


def _broken(path: Path, value: Any, indent: str) -> str:
    """Return a list in several lines; TOML does not allow that for tables in braces."""
    value = _shortened(path, value)
    if isinstance(value, list):
        listed = cast("list[object]", value)
        inner = f"{indent}  "
        items = [inline_text((*path, n), item) for n, item in enumerate(listed)]
        if path in (("pay",), ("limits",)):
            lines = [f"{inner}{item}," for item in items]
        else:
            lines = _filled([f"{item}," for item in items], inner)
        return "\n".join(("[", *lines, f"{indent}]"))
    return inline_text(path, value)


def _filled(items: list[str], indent: str, width: int = WIDTH) -> list[str]:
    """Return items in lines that are as full as they may be."""
    lines = [indent + items[0]] if items else []
    for item in items[1:]:
        if len(lines[-1]) + 1 + len(item) <= width:
            lines[-1] += f" {item}"
        else:
            lines.append(indent + item)
    return lines


# -- values ----------------------------------------------------------------------------------------


def _shortened(path: Path, value: Any) -> Any:
    """Return the short form of a value, if there is one that means the same."""
    if isinstance(value, Mapping):
        return _short_table(path, cast("dict[str, Any]", value))
    if isinstance(value, str) and (path[-1] == "amount" or path[-2:-1] == ("weights",)):
        whole = re.fullmatch(r"0|-?[1-9][0-9]{0,8}", value)
        return int(value) if whole else value
    in_turn = path[0] == "stages" and len(path) == 5
    return _one(value) if in_turn or path[-1] in ("say", "choose", "to", "seat") else value


def _short_table(path: Path, fields: dict[str, Any]) -> Any:
    section, keys = path[0] if len(path) == 2 else None, {*fields}
    if section == "seats" and keys == {"title"} and fields["title"]:
        return fields["title"]
    if section == "choices" and fields.get("seen") == EVERYONE:
        return {key: inner for key, inner in fields.items() if key != "seen"}
    if section in ("parts", "channels") and keys == {"seen"}:
        seen = fields["seen"]
        kept = isinstance(seen, dict) and "seen" in seen
        return fields if kept else cast("Any", seen)
    if path[0] == "stages" and len(path) == 5 and keys == {"say"} and fields["say"]:
        return _one(fields["say"])
    if path[0] == "pay" and path[-1] == "to" and keys and {*fields.values()} == {1}:
        return _one([*fields])
    return fields


def _one(value: Any) -> Any:
    """Return the only name of a list of names; or else the value."""
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    return listed[0] if len(listed) == 1 and isinstance(listed[0], str) else cast("Any", value)


def inline_text(path: Path, value: Any) -> str:
    """Return a value in one line."""
    value = _shortened(path, value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list):
        items = enumerate(cast("list[object]", value))
        return f"[{', '.join(inline_text((*path, n), item) for n, item in items)}]"
    if isinstance(value, Mapping):
        entries = _arranged(path, cast("Mapping[str, Any]", value))
        said = (f"{_key(name)} = {inline_text((*path, name), v)}" for name, v in entries.items())
        return f"{{ {', '.join(said)} }}" if entries else "{}"
    return repr(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _long_text(text: str, before: int) -> str:
    """Return a text for people, in lines of words if it is long."""
    short = _string(text)
    if before + 3 + len(short) <= WIDTH:
        return short
    paragraphs = [
        " \\\n".join(_filled(paragraph.split(" "), "", WIDTH - 2))
        for paragraph in text.replace("\\", "\\\\").replace('"""', '""\\"').split("\n")
    ]
    long = '"""\n' + "\n".join(paragraphs) + '\\\n"""'
    try:
        same = tomllib.loads(f"k = {long}")["k"] == text
    except tomllib.TOMLDecodeError:
        same = False
    # What has odd white space is not broken.
    return long if same else short
