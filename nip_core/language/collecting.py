"""Collecting all mistakes of a document, with their places in words and in its text.

A document with several mistakes is refused once, for all of them. So the code that reads and checks
one does not raise at the first mistake: it calls :func:`report` and goes on, within
``with collecting(...)``, at whose end one :class:`~nip_core.errors.SpecError` lists them all.

A mistake must not be followed by others of the same cause. So one at a place that contains another
one, or that lies in it, is left out, and a name that is unknown in several places is one mistake.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Protocol

from nip_core.documents import Spot, character, find_spots
from nip_core.errors import SpecError, TooLargeError, show
from nip_core.mistakes import Fix, Mistake, Path

__all__ = ["Mistakes", "collecting", "refused", "refused_at", "report", "skip"]


# More are not collected: checking must stay bounded, and nobody corrects more at a time.
MOST = 50
# As many as the text of a refusal lists.
MOST_SAID = 10
# What the keys of each table name.
_KINDS = {
    "seats": "seat",
    "parts": "part",
    "channels": "channel",
    "choices": "choice",
    "values": "value",
    "settings": "setting",
    "titles": "title of",
}
_NUMBERED = {"pay": "pay", "limits": "limit"}


class Source(Protocol):
    """Where the entries of a document come from."""

    def original(self, mistake: Mistake) -> Mistake:
        """Return a mistake with its place in the document as it was written."""
        ...

    def place(self, path: Path) -> Path:
        """Return a place in the document as it was written."""
        ...

    def said(self, text: str) -> str:
        """Return a text in which families are named instead of their members."""
        ...


class Mistakes:
    """The mistakes of one document so far.

    Parameters
    ----------
    name : object
        The name of the document's protocol.
    stages : sequence
        The names of its stages, for places in words.
    text : str
        The text of the document, for lines and columns.
    """

    def __init__(self, name: object, stages: Sequence[object], text: str = "") -> None:
        self.name, self._stages, self._text = name, stages, text
        self.found: list[Mistake] = []
        # Names whose own declaration is wrong, so that what is said about them does not matter.
        self.unusable: set[str] = set()
        # For each limit its number in the document, where one may be for several seats.
        self.limits: list[int] = []
        # Where its entries come from, once its families have been written out.
        self.source: Source | None = None
        self._paths: set[Path] = set()
        self._around: set[Path] = set()
        self._by_name: dict[str, int] = {}

    def add(self, mistake: Mistake) -> None:
        """Add a mistake, unless it follows from one that was found before.

        Raises
        ------
        SpecError
            If there are too many.
        """
        if mistake.name in self.unusable:
            return
        if self.source is not None:
            mistake = self.source.original(mistake)
        path, name = mistake.path, mistake.name
        if name in self.unusable or self._hit(path):
            return
        if name and name in self._by_name:
            number = self._by_name[name]
            self.found[number] = replace(self.found[number], more=self.found[number].more + 1)
            return
        self._by_name[name] = len(self.found)
        # What is said repeats the name.
        known = path[:-1] if name and path[-1:] == (name,) else path
        self.found.append(replace(mistake, place=mistake.place or self._words(known)))
        if path:
            self._skip(path)
        if len(self.found) >= MOST:
            raise self.refusal()

    def named(self, names: Iterable[str]) -> Iterable[str]:
        """Return names as the document has them: once for all members of a family."""
        source = self.source
        return names if source is None else dict.fromkeys(map(source.said, names))

    def skip(self, path: Path) -> None:
        """Leave out the mistakes at a place, since another mistake is their cause."""
        self._skip(self._place(path))

    def _place(self, path: Path) -> Path:
        return path if self.source is None else self.source.place(path)

    def _skip(self, path: Path) -> None:
        self._paths.add(path)
        self._around |= {path[:length] for length in range(1, len(path))}

    def covers(self, path: Path) -> bool:
        """Return whether all of what is at a place is wrong or missing."""
        return path in self._paths

    def hit(self, path: Path) -> bool:
        """Return whether there is a mistake at a place, in it, or around it."""
        return self._hit(self._place(path))

    def _hit(self, path: Path) -> bool:
        inside = any(path[:length] in self._paths for length in range(1, len(path) + 1))
        return inside or path in self._around

    def refusal(self) -> SpecError:
        """Return the error that lists them."""
        return _refusal(self.name, _located(self.found, self._text))

    def _words(self, path: Path) -> str:
        """Return a place in words."""
        words: list[str] = []
        parts = [*path]
        first = str(parts.pop(0)) if parts else ""
        if first in _KINDS and parts:
            words.append(f"{_KINDS[first]} {show(parts.pop(0))}")
        elif first in _NUMBERED and parts:
            words.append(f"{_NUMBERED[first]} {int(parts.pop(0)) + 1}")
        elif first == "stages" and parts:
            number = int(parts.pop(0))
            name = self._stages[number] if number < len(self._stages) else None
            words.append(f"stage {show(name) if isinstance(name, str) else number + 1}")
            if len(parts) > 1 and parts[0] == "turns":
                words.append(f"turn {int(parts[1]) + 1}")
                del parts[:2]
        elif first:
            words.append(first)
        words += [
            f"number {part + 1}" if isinstance(part, int) else show(part, 40).strip("'")
            for part in parts
        ]
        return ", ".join(words)


def _refusal(name: object, found: Sequence[Mistake]) -> SpecError:
    who = f"Protocol {show(name)}" if isinstance(name, str) else "The protocol"
    if len(found) == 1:
        (mistake,) = found
        comma = ", " if mistake.line or mistake.place else ": "
        return SpecError(f"{who}{comma}{mistake}", (mistake,))
    lines = [f"- {mistake}" for mistake in found[:MOST_SAID]]
    if len(found) > MOST_SAID:
        lines.append(f"And {len(found) - MOST_SAID} more.")
    count = f"{len(found)} mistakes" + (" or more" if len(found) >= MOST else "")
    return SpecError("\n".join((f"{who} has {count}:", *lines)), tuple(found))


_current: ContextVar[Mistakes | None] = ContextVar("the mistakes so far", default=None)


def _located(found: list[Mistake], text: str) -> list[Mistake]:
    """Return mistakes with their lines and columns, in their order in the text."""
    if not text:
        return found
    spots = find_spots(text, [mistake.path for mistake in found])
    placed = [mistake if mistake.line else _placed(mistake, spots, text) for mistake in found]
    return sorted(placed, key=lambda mistake: (mistake.line, mistake.column))


def _placed(mistake: Mistake, spots: Mapping[Path, Spot], text: str) -> Mistake:
    path, fix = mistake.path, mistake.fix
    spot = spots.get(path)
    # What is missing has no place of its own, nor does what is written in a short form.
    exact = spot is not None
    while spot is None and path:
        path = path[:-1]
        spot = spots.get(path)
    if spot is None:
        return replace(mistake, line=1, column=1, fix=None)
    key, (begin, end) = spot
    part = None
    if mistake.of == "key":
        part = _without_quotes(text, *key) if exact else None
    elif mistake.span is not None and exact:
        start, stop = (character(text[begin:end], number) for number in mistake.span)
        part = begin + start, begin + stop
    elif mistake.name:
        name = re.escape(mistake.name)
        match = re.compile(rf"(?<!\w){name}(?!\w)").search(text, key[0], end)
        part = match.span() if match else None
    at = part[0] if part else key[0] if text[begin] in "[{" else begin
    if fix is not None:
        whole = spot[1] if exact else None
        replaced = part if fix.of == "span" else whole
        new = f"[{text[begin:end]}]" if fix.of == "list" else fix.text
        fix = replace(fix, text=new, start=replaced[0], end=replaced[1]) if replaced else None
    line = text.count("\n", 0, at) + 1
    return replace(mistake, line=line, column=at - text.rfind("\n", 0, at), fix=fix)


def _without_quotes(text: str, start: int, end: int) -> tuple[int, int]:
    return (start + 1, end - 1) if text[start] in "\"'" else (start, end)


@contextmanager
def collecting(name: object, stages: Sequence[object] = (), text: str = "") -> Generator[Mistakes]:
    """Collect the mistakes of a document; within such a block, join it.

    Raises
    ------
    SpecError
        At the end, if there are mistakes. One that was raised within is the last of them.
    """
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    mistakes = Mistakes(name, stages, text)
    token = _current.set(mistakes)
    try:
        yield mistakes
    except TooLargeError:
        raise
    except SpecError as error:
        if len(mistakes.found) < MOST:
            for mistake in error.mistakes or (Mistake((), str(error)),):
                mistakes.add(mistake)
    finally:
        _current.reset(token)
    if mistakes.found:
        raise mistakes.refusal() from None


def refused(message: str, remedy: str = "", **more: Any) -> SpecError:
    """Return the error of one mistake whose place in the document is not known yet."""
    mistake = Mistake((), message, remedy, **more)
    return SpecError(str(mistake), (mistake,))


def refused_at(
    line: int, column: int, message: str, remedy: str, fix: Fix | None = None
) -> SpecError:
    """Return the error of a text that cannot be read at one place."""
    return _refusal(None, [Mistake((), message, remedy, line=line, column=column, fix=fix)])


def report(path: Path, message: str, remedy: str = "", **more: Any) -> None:
    """Add a mistake to those that are collected; with none collected, raise it.

    Parameters
    ----------
    path : tuple
    message : str
    remedy : str
    **more
        Other fields of :class:`Mistake`.

    Raises
    ------
    SpecError
    """
    mistake = Mistake(path, message, remedy, **more)
    mistakes = _current.get()
    if mistakes is None:
        raise _refusal(None, [mistake])
    mistakes.add(mistake)


def skip(path: Path) -> None:
    """Leave out mistakes at a place, since one that was reported is their cause."""
    mistakes = _current.get()
    if mistakes is not None:
        mistakes.skip(path)
