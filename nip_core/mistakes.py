"""A mistake in a document, as data: where it is, what is wrong, and how to correct it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Fix", "Mistake", "Path", "corrected", "written"]

Path = tuple[str | int, ...]
"""The keys and numbers that lead to a value in a document."""


def written(value: object) -> str:
    """Return a text, a number or a list of them as JSON and TOML write it."""
    return json.dumps(value, ensure_ascii=False)


# What the number after a key counts.
_NUMBERED = {"stages": "stage", "turns": "turn", "pay": "pay", "limits": "limit"}


@dataclass(frozen=True, slots=True)
class Fix:
    """The only likely correction of a mistake: other text for a part of the document.

    Parameters
    ----------
    said : str
        What it does, for a button: "Write = instead of ==".
    text : str
        The new text; of a value as it is written in a file, with quotes.
    of : {"value", "span", "list"}
        Whether it replaces the value, or only the key, the `span` or the `name` that is wrong, or
        puts the value into brackets.
    start, end : int
        The part of the document's text that it replaces, once that is known.
    """

    said: str
    text: str
    of: Literal["value", "span", "list"] = "value"
    start: int = -1
    end: int = -1

    def applied(self, text: str) -> str:
        """Return the text of the document with this correction."""
        return text[: self.start] + self.text + text[self.end :]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a document.

    Parameters
    ----------
    path : tuple
        The keys and numbers (from 0) that lead to it in the document.
    message : str
        What is wrong.
    remedy : str
        What to do about it.
    place : str
        Where it is, in words: "stage 'arguments', turn 2, judge, when".
    of : {"value", "key"}
        Whether it is the value at this place that is wrong, or its key.
    span : tuple of int, optional
        The characters of the value that are wrong, if it is an expression.
    name : str
        The unknown name that is its cause, if that is one.
    more : int
        In how many more places the same name is unknown.
    fix : Fix, optional
    line, column : int
        Where it is in the document's text, counted from 1; 0 if there is no text.
    """

    path: Path
    message: str
    remedy: str = ""
    place: str = ""
    of: Literal["value", "key"] = "value"
    span: tuple[int, int] | None = None
    name: str = ""
    more: int = 0
    fix: Fix | None = None
    line: int = 0
    column: int = 0

    @property
    def kind(self) -> str:
        """The kind of thing that it is in: "seat", "turn", "pay", ..., or "protocol"."""
        section = str(self.path[0]) if self.path else "protocol"
        if section == "stages" and len(self.path) > 3:
            return "turn"
        return section.removesuffix("s") if len(self.path) > 1 else "protocol"

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of its stage and turn, rule of pay, or limit, counted from 1."""
        pairs = zip(self.path, self.path[1:], strict=False)
        return {
            _NUMBERED[str(key)]: number + 1
            for key, number in pairs
            if key in _NUMBERED and isinstance(number, int)
        }

    @property
    def field(self) -> str:
        """The last key of its path."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    @property
    def said(self) -> str:
        """What is wrong, and in how many more places."""
        places = "1 more place" if self.more == 1 else f"{self.more} more places"
        return f"{self.message} (The same in {places}.)" if self.more else self.message

    def __str__(self) -> str:
        at = [f"line {self.line}, column {self.column}"] if self.line else []
        at += [self.place] if self.place else []
        return " ".join(filter(None, (f"{', '.join(at)}:" if at else "", self.said, self.remedy)))


def corrected(text: str, found: Iterable[Mistake]) -> str:
    """Return a document's text with the corrections of mistakes, as far as they do not overlap."""
    fixes = sorted(
        (mistake.fix for mistake in found if mistake.fix is not None),
        key=lambda fix: (fix.end, fix.start),
        reverse=True,
    )
    before = len(text)
    for fix in fixes:
        if 0 <= fix.start <= fix.end <= before:
            text, before = fix.applied(text), fix.start
    return text
