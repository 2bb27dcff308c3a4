"""Where the values of a TOML or JSON document stand in its text.

Python's readers keep no positions. This scanner is for texts that they have read without an error,
so it need not check them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

__all__ = ["Spot", "character", "find_spots"]

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'",
    re.DOTALL,
)
# A number, a date, true or false.
_PLAIN = re.compile(r"[^,\]}#\n]*")


Spot = tuple[tuple[int, int], tuple[int, int]]
"""Where a key begins and ends in a text, and its value; an item of a list has no key."""


def find_spots(text: str, paths: Collection[Path]) -> dict[Path, Spot]:
    """Return where values stand, for the given paths and for all that contains them."""
    wanted = {path[:length] for path in paths for length in range(len(path) + 1)}
    scanner = _Scanner(text, wanted)
    if text.lstrip()[:1] == "{":
        scanner.value((), None)
    else:
        scanner.toml()
    return scanner.spots


class _Scanner:
    def __init__(self, text: str, wanted: set[Path]) -> None:
        self.text, self.at = text, 0
        self.wanted = wanted
        self.spots: dict[Path, Spot] = {}

    def toml(self) -> None:
        """Read tables and their keys."""
        table: Path = ()
        counts: dict[Path, int] = {}
        while not self._ends():
            begin = self.at
            if self.text[begin] != "[":
                self._entry(table)
                continue
            double = self.text.startswith("[[", begin)
            self.at += 2 if double else 1
            keys = self._keys()
            self.at += 2 if double else 1
            table = ()
            for number, (name, start, end) in enumerate(keys):
                table = (*table, name)
                self._note(table, (start, end), (begin, self.at))
                if double and number == len(keys) - 1:
                    counts[table] = counts.get(table, -1) + 1
                if table in counts:
                    table = (*table, counts[table])
                    self._note(table, (start, end), (begin, self.at))

    def _note(self, path: Path, key: tuple[int, int], value: tuple[int, int]) -> None:
        if path in self.wanted and path not in self.spots:
            self.spots[path] = key, value

    def _ends(self) -> bool:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at >= len(self.text)

    def _keys(self) -> list[tuple[str, int, int]]:
        """Read a key, which may have several parts with dots between them."""
        keys: list[tuple[str, int, int]] = []
        while not self._ends():
            begin = self.at
            match = _STRING.match(self.text, begin) or _BARE.match(self.text, begin)
            if match is None:
                self.at += 1
                break
            self.at = match.end()
            keys.append((_key_of(match[0]), begin, self.at))
            if self._ends() or self.text[self.at] != ".":
                break
            self.at += 1
        return keys

    def _entry(self, table: Path) -> None:
        """Read a key and its value."""
        keys = self._keys()
        if self._ends():
            return
        self.at += 1  # the sign between them
        path = table
        for name, start, end in keys[:-1]:
            path = (*path, name)
            self._note(path, (start, end), (start, end))
        if keys:
            name, start, end = keys[-1]
            self.value((*path, name), (start, end))

    def value(self, path: Path, key: tuple[int, int] | None) -> None:
        """Read a value."""
        if self._ends():
            return
        begin, text = self.at, self.text
        if text[begin] in "[{":
            self._items(path, closing="]" if text[begin] == "[" else "}")
        else:
            match = _STRING.match(text, begin) or _PLAIN.match(text, begin)
            self.at = match.end() if match else begin + 1
        end = begin + len(text[begin : self.at].rstrip())
        self._note(path, key or (begin, end), (begin, end))

    def _items(self, path: Path, closing: str) -> None:
        self.at += 1
        number = 0
        while not self._ends() and self.text[self.at] != closing:
            if self.text[self.at] == ",":
                self.at += 1
            elif closing == "]":
                self.value((*path, number), None)
                number += 1
            else:
                self._entry(path)
        self.at += 1


def _key_of(raw: str) -> str:
    if raw[0] == '"':
        try:
            return json.loads(raw)
        except ValueError:  # an escape that only TOML has
            return raw[1:-1]
    return raw[1:-1] if raw[0] == "'" else raw


_ESCAPED = re.compile(r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\.|.", re.DOTALL)
# Line breaks that are not part of the value.
_JOINED = re.compile(r"(?:\\[ \t]*\r?\n\s*)*")


def character(raw: str, number: int) -> int:
    """Return where a character of a string's value stands in its text, with its quotes."""
    if raw[:1] not in ('"', "'"):
        return min(number, len(raw))
    at = 3 if raw.startswith(3 * raw[0]) else 1
    if at == 3 and raw[3:4] in ("\r", "\n"):
        at += 2 if raw[3:5] == "\r\n" else 1
    if raw[0] == "'":
        return min(at + number, len(raw))
    at = _end(_JOINED, raw, at)
    while number > 0 and at < len(raw):
        at = _end(_JOINED, raw, _end(_ESCAPED, raw, at))
        number -= 1
    return at


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
