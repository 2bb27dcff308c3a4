"""A protocol as a Python file that reads well and needs nothing but the library."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from nip_core.language.specification import Specification

__all__ = ["python_text"]

WIDTH = 88
INDENT = "    "


def python_text(spec: Specification) -> str:
    """Return Python whose variable ``PROTOCOL`` is equal to a specification."""
    about = " ".join(spec.full_name.replace("\\", " ").replace('"', "'").split())
    lines = [
        f'"""A protocol: {about}."""',
        "",
        "from nip_core.language import load_specification",
        "",
        f"PROTOCOL = load_specification({_written(spec.to_dict(), 0, 30)})",
        "",
        'if __name__ == "__main__":',
        f"{INDENT}print(PROTOCOL)",
    ]
    return "\n".join(lines) + "\n"


def _written(value: Any, depth: int, before: int) -> str:
    """Return plain data as a literal; `before` are the characters before it in its line."""
    line = _in_one_line(value)
    if before + len(line) <= WIDTH:
        return line
    if isinstance(value, str):
        return _long_text(value, depth)
    if not _is_table(value) and not _is_list(value):
        return line
    inner, end = INDENT * (depth + 1), INDENT * depth
    first, last = "{}" if _is_table(value) else "[]"
    parts = "".join(f"{inner}{part},\n" for part in _parts(value, depth + 1))
    return f"{first}\n{parts}{end}{last}"


def _parts(value: Any, depth: int) -> Iterator[str]:
    indent = len(INDENT) * depth
    if _is_list(value):
        yield from (_written(item, depth, indent + 1) for item in value)
    if not _is_table(value):
        return
    for key, item in value.items():
        name = f"{_in_one_line(key)}: "
        yield f"{name}{_written(item, depth, indent + len(name) + 1)}"


def _in_one_line(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
    if _is_list(value):
        return f"[{', '.join(map(_in_one_line, value))}]"
    if _is_table(value):
        pairs = (f"{_in_one_line(key)}: {_in_one_line(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    return repr(value)


def _is_table(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _long_text(text: str, depth: int) -> str:
    """Return a text as several literals in brackets, which Python joins."""
    width = WIDTH - len(INDENT) * (depth + 1) - 10
    pieces = textwrap.TextWrapper(
        width=width,
        drop_whitespace=False,
        replace_whitespace=False,
        expand_tabs=False,
        break_long_words=False,
        break_on_hyphens=False,
    ).wrap(text)
    inner = INDENT * (depth + 1)
    parts = "".join(f"{inner}{_in_one_line(piece)}\n" for piece in pieces)
    return f"(\n{parts}{INDENT * depth})"
