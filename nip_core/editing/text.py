"""The text beside the picture: TOML that follows edits, and keeps what has not changed.

Only entries whose meaning has changed are written anew; all others stay as they were typed, with
their comments and short forms. So the text is cut into entries, and put together again. What comes
out is read and compared. If it does not mean what it should, since the text is written in a way
that this does not know, it is written anew in the style of the published files, with its comments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import Any

from nip_core.documents import find_spots
from nip_core.editing.draft import Draft
from nip_core.editing.edits import LISTED, NAMED
from nip_core.editing.forms import Document, in_order, is_list, is_table
from nip_core.errors import SpecError
from nip_core.language import load_specification, toml_text
from nip_core.language.formatting import TABLES, entry_text, inline_text, with_comments
from nip_core.mistakes import Path

__all__ = ["follow", "text_of"]

SECTIONS = (*NAMED.values(), *LISTED.values())
_KEY = re.compile(r'\A(?:"(?:[^"\\]|\\.)*"|[A-Za-z0-9_-]+) = ')
_COMMENT_ABOVE = re.compile(r"(?:^[ \t]*#[^\n]*\n)+\Z", re.MULTILINE)


def text_of(draft: Draft) -> str:
    """Return the text of a protocol, in the style of the published files."""
    return toml_text(_shown(draft.document))


def follow(text: str, before: Draft, after: Draft) -> str:
    """Return a text of a protocol after edits, from its text before them.

    Parameters
    ----------
    text : str
        TOML that means `before`.
    before, after : Draft
    """
    if _same(before.document, after.document):
        return text
    shown = _shown(after.document)
    try:
        made = _Text(text, _shown(before.document), shown).whole()
        if load_specification(made) == after.spec:
            return made
    except (SpecError, LookupError):
        # It is written in a way that is not cut right.
        pass
    return with_comments(shown, text)


def _shown(document: Document) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "format"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a table: where it begins, with comments above it, its value, and its end."""

    name: str
    begin: int
    value: tuple[int, int]
    end: int


class _Text:
    """A text that is cut into the entries of a document."""

    def __init__(self, text: str, before: Document, after: Document) -> None:
        # Every cut is at the end of a line.
        self.text = text if text.endswith("\n") or not text else f"{text}\n"
        self.before, self.after = before, after
        self.spots = find_spots(self.text, [*self._paths()])

    def _paths(self) -> list[Path]:
        found: list[Path] = []
        for document in (self.before, self.after):
            for key, value in document.items():
                found.append((key,))
                if is_list(value):
                    found += [(key, number) for number in range(len(value))]
                if is_table(value):
                    found += [(key, name) for name in value]
                elif is_list(value) and key in LISTED.values():
                    for number, item in enumerate(value):
                        found += [(key, number, name) for name in item]
                        turns = len(item.get("turns", []))
                        found += [(key, number, "turns", turn) for turn in range(turns)]
        return found

    def whole(self) -> str:
        """Return the text after the edits."""
        root_end = self.headers[0] if self.headers else len(self.text)
        changes: list[tuple[int, int, str]] = []
        inline = [key for key in {**self.before, **self.after} if not self._has_header(key)]
        # What the text does not have yet gets a table of its own, if that is usual.
        new = [key for key in inline if (key,) not in self.spots and key in TABLES]
        inline = [key for key in inline if key not in new]
        before = {key: self.before[key] for key in inline if key in self.before}
        after = {key: self.after[key] for key in inline if key in self.after}
        changes.append((0, root_end, self._table((), before, after, 0, root_end, ordered=False)))
        for key in self.before:
            if key not in inline and key not in new:
                changes += self._section(key)
        for begin, end, made in sorted(changes, reverse=True):
            self.text = self.text[:begin] + made + self.text[end:]
        for key in new:
            if key in self.after:
                self._insert(key)
        return self.text

    # -- cutting -------------------------------------------------------------------------------

    @cached_property
    def headers(self) -> list[int]:
        """Where the headers of tables begin, with the comments right above them."""
        inside = [span for key, (_, span) in self.spots.items() if len(key) > 0]
        found: list[int] = []
        for match in re.finditer(r"^[ \t]*\[", self.text, re.MULTILINE):
            at = match.end() - 1
            if not any(begin < at < end for begin, end in inside):
                found.append(self._above(match.start()))
        return found

    def _above(self, at: int) -> int:
        comment = _COMMENT_ABOVE.search(self.text, 0, at)
        return comment.start() if comment else at

    def _has_header(self, key: str) -> bool:
        spot = self.spots.get((key,))
        return (
            spot is not None
            and self.text[spot[1][0]] == "["
            and spot[0] != spot[1]
            and (spot[1][0] < spot[0][0])
        )

    def _region(self, at: int) -> tuple[int, int]:
        """Return where the table whose header begins at a place begins and ends."""
        line = self.text.rfind("\n", 0, at) + 1
        begin = self._above(line)
        following = [header for header in self.headers if header > begin]
        return begin, following[0] if following else len(self.text)

    def _entries(self, path: Path, names: Sequence[str], begin: int, end: int) -> list[_Entry]:
        spots = [(self.spots[(*path, name)], name) for name in names if (*path, name) in self.spots]
        found: list[_Entry] = []
        at = begin
        for (key, value), name in sorted(spots):
            if not begin <= key[0] < value[0] < end or self.text[key[1] : value[0]].strip() != "=":
                raise LookupError(name)
            line = self.text.find("\n", value[1]) + 1 or len(self.text)
            found.append(_Entry(name, at, value, line))
            at = line
        return found

    # -- putting together ----------------------------------------------------------------------

    def _table(
        self,
        path: Path,
        before: Document,
        after: Document,
        begin: int,
        end: int,
        *,
        ordered: bool,
    ) -> str:
        """Return the entries of a table after the edits, with what stands around them."""
        entries = self._entries(path, [*{**before, **after}], begin, end)
        rest = self.text[entries[-1].end if entries else begin : end]
        known = {entry.name: entry for entry in entries}
        written: dict[str, str] = {}
        renamed = _renamed(before, after) if ordered else {}
        for old, entry in known.items():
            name = renamed.get(old, old)
            kept = _same(before.get(old), after.get(name))
            if kept or name in after:
                own = self.text[entry.value[0] : entry.value[1]]
                new = own if kept else self._value((*path, old), before.get(old), after[name])
                head = self.text[entry.begin : entry.value[0]]
                if name != old:
                    key, _ = self.spots[(*path, old)]
                    between = self.text[key[1] : entry.value[0]]
                    head = self.text[entry.begin : key[0]] + _key_of(name) + between
                written[name] = head + new + self.text[entry.value[1] : entry.end]
        order = [*written]
        for name in after:
            if name not in written and not _same(before.get(name), after[name]):
                written[name] = entry_text((*path, name), after[name]) + "\n"
                order.append(name)
        if ordered and [name for name in order if name in after] != [*after]:
            order = [name for name in after if name in written]
        return "".join(written[name] for name in order) + rest

    def _value(self, path: Path, before: Any, after: Any) -> str:
        """Return a value after the edits: of a list of tables, items that have not changed stay."""
        begin, end = self.spots[path][1]
        text = self.text[begin:end]
        of_tables = path[-1] in ("turns", "pay", "limits")
        if of_tables and text.startswith("[") and is_list(before) and is_list(after):
            return self._items(path, before, after, text)
        return _after_key(path, after)

    def _items(self, path: Path, before: list[Any], after: list[Any], text: str) -> str:
        if path in (("pay",), ("limits",)) or any(
            (*path, n) not in self.spots for n in range(len(before))
        ):
            return _after_key(path, after)
        items: list[str] = []
        own = [self.text[slice(*self.spots[(*path, n)][1])] for n in range(len(before))]
        for same, i, j, k, m in _matched(before, after):
            if same:
                items += own[i:j]
            else:
                items += [inline_text((*path, n), after[n]) for n in range(k, m)]
        if "#" in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
            return self._commented(path, before, after)
        line = f"[{', '.join(items)}]"
        if "\n" not in text and len(line) < 90:
            return line
        return "[\n" + "".join(f"  {item},\n" for item in items) + "]"

    def _commented(self, path: Path, before: list[Any], after: list[Any]) -> str:
        """Return a list with its comments, each above or beside the item where it was."""
        begin, end = self.spots[path][1]
        spans = [self.spots[(*path, n)][1] for n in range(len(before))]
        pieces: list[tuple[str, str]] = []
        at = begin + 1
        for number, (start, stop) in enumerate(spans):
            line = self.text.find("\n", stop, end)
            following = spans[number + 1][0] if number + 1 < len(spans) else end - 1
            until = line if 0 <= line < following else stop
            beside = self.text[stop:until].lstrip(" \t,").rstrip()
            above = self.text[at:start].strip("\n\t ,")
            pieces.append((f"  {above}\n" if above else "", f"  {beside}" if beside else ""))
            at = until
        rest = self.text[at : end - 1].strip("\n, \t")
        lines: list[str] = []
        for same, i, j, k, m in _matched(before, after):
            for number in range(max(j - i, m - k) if same else m - k):
                above, beside = pieces[i + number] if i + number < j else ("", "")
                item = self.text[slice(*spans[i + number])] if same else ""
                item = item or inline_text((*path, k + number), after[k + number])
                lines.append(f"{above}  {item},{beside}")
        return "\n".join(["[", *lines, *([f"  {rest}"] if rest else []), "]"])

    def _section(self, key: str) -> list[tuple[int, int, str]]:
        """Return what is put where for a section that has tables of its own."""
        before, after = self.before[key], self.after.get(key)
        if _same(before, after):
            return []
        if key in LISTED.values():
            return self._blocks(key, before, after or [])
        begin, end = self._region(self.spots[(key,)][1][0])
        if not after:
            return [(begin, end, "")]
        line = self.text.find("\n", self.spots[(key,)][1][1]) + 1 or len(self.text)
        return [(line, end, self._table((key,), before, after, line, end, ordered=True))]

    def _blocks(self, key: str, before: list[Any], after: list[Any]) -> list[tuple[int, int, str]]:
        """Return what is put where for a list whose items have tables of their own."""
        regions = [self._region(self.spots[(key, n)][1][0]) for n in range(len(before))]
        if not regions:
            return []
        for one, two in pairwise(regions):
            if one[1] != two[0]:
                raise LookupError(key)
        pieces: list[str] = []
        for same, i, j, k, m in _matched(before, after, by_name=key == "stages"):
            if same:
                pieces += [
                    self._block(key, i + n, before[i + n], after[k + n]) for n in range(j - i)
                ]
            else:
                both = min(j - i, m - k)
                pieces += [
                    self._block(key, i + n, before[i + n], after[k + n]) for n in range(both)
                ]
                pieces += [_new_block(key, after[n]) for n in range(k + both, m)]
        text = ""
        for piece in pieces:
            apart = "" if not text or text.endswith("\n\n") else "\n"
            text += (apart if piece.startswith(f"[[{key}]]") else "") + piece
        return [(regions[0][0], regions[-1][1], text)]

    def _block(self, key: str, number: int, before: Document, after: Document) -> str:
        begin, end = self._region(self.spots[(key, number)][1][0])
        block = self.text[begin:end]
        if not block.endswith("\n\n") and end == len(self.text):
            block = f"{block.rstrip()}\n"
        if _same(before, after):
            return block
        line = self.text.find("\n", self.spots[(key, number)][1][1]) + 1 or len(self.text)
        table = self._table((key, number), before, after, line, end, ordered=False)
        return self.text[begin:line] + table

    def _insert(self, key: str) -> None:
        """Put a new section before those that usually come after it."""
        value = self.after[key]
        if key in LISTED.values():
            made = "".join(_new_block(key, item) for item in value)
        else:
            lines = [entry_text((key, name), own) for name, own in value.items()]
            made = f"[{key}]\n" + "".join(f"{line}\n" for line in lines)
        later = TABLES[TABLES.index(key) + 1 :]
        pattern = re.compile(rf"^\[\[?(?:{'|'.join(later)})\b", re.MULTILINE) if later else None
        match = pattern.search(self.text) if pattern else None
        at = self._above(match.start()) if match else len(self.text)
        head = self.text[:at]
        gap = "" if not head or head.endswith("\n\n") else "\n"
        tail = "\n" if at < len(self.text) else ""
        self.text = f"{head}{gap}{made.rstrip()}\n{tail}{self.text[at:]}"


def _renamed(before: Document, after: Document) -> dict[str, str]:
    """Return the new names of entries that are where another one was."""
    pairs = zip(before, after, strict=False)
    return {old: new for old, new in pairs if old not in after and new not in before}


def _key_of(name: str) -> str:
    return entry_text((name,), 0).removesuffix(" = 0")


def _after_key(path: Path, value: Any) -> str:
    """Return a value in the style of the published files, in several lines if it is long."""
    return _KEY.sub("", entry_text(path, value), count=1)


def _new_block(key: str, item: Document) -> str:
    # The style of the published files, by the writer of whole texts.
    first = {"name": "x", "seats": {"x": ""}, key: [item]}
    text = toml_text(first)
    at = text.find(f"[[{key}]]")
    if at < 0:
        lines = [entry_text((key, 0, name), own) for name, own in item.items()]
        return f"[[{key}]]\n" + "".join(f"{line}\n" for line in lines) + "\n"
    return text[at:] + "\n"


def _same(one: Any, other: Any) -> bool:
    return in_order(one) == in_order(other)


def _matched(
    before: Sequence[Any], after: Sequence[Any], *, by_name: bool = False
) -> list[tuple[bool, int, int, int, int]]:
    """Return which items of two lists are the same, as (same, begin, end, begin, end)."""

    def text(item: Any) -> str:
        if by_name:
            return str(item["name"])
        return in_order(item)

    matcher = SequenceMatcher(None, [*map(text, before)], [*map(text, after)], autojunk=False)
    return [(same == "equal", i, j, k, m) for same, i, j, k, m in matcher.get_opcodes()]
