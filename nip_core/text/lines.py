"""The lines of an answer: the model's own, and those in quotes, tables and blocks of code."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import Literal, NamedTuple

from nip_core.text.plain import Place, quotations, stripped

__all__ = ["MARKUP", "QUOTES", "AnswerLine", "lines_of", "undressed", "unquoted"]

# Markup around the words of a line: lists, headings, emphasis and code.
_MARKS = "*_`#$"
MARKUP = rf"[\s{_MARKS}]*"
QUOTES = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb"
_PAIRS = ('""', "''", "\u201c\u201d", "\u2018\u2019", "\u00ab\u00bb")

_WEIGHT = re.compile(r"(?i)</?(?:b|strong|i|em|u|p|h[1-6]|center|code)>")
_ITEM = re.compile(r"\s*(?:[-+*\u2013\u2014\u2022]\s+|\d{1,3}[.)]\s+)")
_BOXED = re.compile(r"^(?:\\\[|\\\()?\s*\\boxed\{(?:\\text\{)?([^{}]*)\}?\}\s*(?:\\\]|\\\))?$")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w+-]*)")
_RULE = re.compile(r"[\s|:_*-]*")
_CODE = re.compile(r"(?<!`)(`++)[^`\n]*+\1(?!`)")
# What a block may be named if it holds an answer; other names are programming languages.
_ANSWERS = re.compile(
    r"|answer|decision|json|markdown|md|output|plain|plaintext|text|toml|tool_calls?|tool_code|txt"
    r"|verdict|xml|ya?ml"
)

Kind = Literal["own", "cited", "table", "block", "code"]


class AnswerLine(NamedTuple):
    """A line of an answer.

    Parameters
    ----------
    text : str
        Without markup.
    place : (int, int)
        Its position, including markup.
    kind : str
        ``own``; ``cited`` in a block quote; ``table``; in a ``block`` of data or text; or in a
        block of ``code``.
    gap : bool
        Whether an empty line or a rule comes before it.
    quoted : bool
        Whether it is in quotation marks.
    listed : bool
        Whether it is an item of a list, or a heading.
    block : int
        The number of the block that it is in, from 1; 0 if it is in none.
    """

    text: str
    place: Place
    kind: Kind = "own"
    gap: bool = False
    quoted: bool = False
    listed: bool = False
    block: int = 0


def lines_of(text: str) -> Iterator[AnswerLine]:
    """Yield the lines of a text that contain something. A block of one line is an own line."""
    fence, name, number = "", "", 0
    block: list[AnswerLine] = []
    following, gap = 0, False
    for whole in text.splitlines(keepends=True):
        start, following = following, following + len(whole)
        raw = whole.splitlines()[0]
        place = stripped(text, start, start + len(raw))
        mark = _FENCE.match(raw)
        if fence:
            if mark and raw.strip().startswith(fence) and not raw.strip().strip(fence[0]):
                yield from _of_block(block, name)
                fence, gap = "", True
            elif raw.strip():
                block.append(AnswerLine(undressed(raw), place, gap=not block, block=number))
        elif mark:
            fence, name, block = mark[1], mark[2].lower(), []
            number += 1
        elif _RULE.fullmatch(raw):
            gap = True
        else:
            yield _line(raw, place, gap)
            gap = False
    yield from _of_block(block, name) if fence else ()


def _line(raw: str, place: Place, gap: bool) -> AnswerLine:
    start = raw.lstrip()
    if start.startswith(">"):
        return AnswerLine(undressed(raw.lstrip("> \t")), place, "cited", gap)
    if start.startswith("|"):
        return AnswerLine(start.strip("| \t"), place, "table", gap)
    listed = bool(_ITEM.match(raw)) or start.startswith("#")
    return AnswerLine(undressed(raw), place, "own", gap, _in_marks(_bare(raw)), listed)


def _of_block(block: list[AnswerLine], name: str) -> Iterator[AnswerLine]:
    kind: Kind = "block" if _ANSWERS.fullmatch(name) else "code"
    single = len(block) == 1 and kind == "block"
    yield from (line._replace(kind="own" if single else kind) for line in block)


def _bare(line: str) -> str:
    line = _WEIGHT.sub("", line)
    if item := _ITEM.match(line):
        line = line[item.end() :]
    line = line.strip(f"{string.whitespace}{_MARKS}")
    boxed = _BOXED.match(line)
    return boxed[1].strip() if boxed else line


def undressed(line: str) -> str:
    """Return a line without the markup and the quotation marks around it."""
    line = _bare(line)
    return line.rstrip(".,")[1:-1].strip() if _in_marks(line) else line


def _in_marks(line: str) -> bool:
    """Return whether a whole line is in quotation marks."""
    line = line.rstrip(".,")
    return any(
        len(line) > 1 and line[0] == left and line[-1] == right and right not in line[1:-1]
        for left, right in _PAIRS
    )


def unquoted(line: str) -> str:
    """Return a line with an ``x`` for each quotation and each piece of code."""
    line = _CODE.sub("x", line)
    for start, end in reversed(quotations(line)):
        line = f"{line[:start]}x{line[end:]}"
    return line
