"""A run of a program as somebody tells it: pass by pass, with what its variables held."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from explorer.running import Step
from nip_core.documents import python_tree

__all__ = ["Run", "When", "names_in"]

# Passes of a loop, or steps, that one message tells.
MOST_TOLD = 6


@dataclass(frozen=True, slots=True)
class When:
    """A moment of a run.

    Parameters
    ----------
    what : {"end", "start", "loop", "pass", "line"}
    number : int
        Which pass, which line.
    """

    what: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """What a program did on an input, as far as it was noted.

    Parameters
    ----------
    source : str
    steps : tuple of Step
    replaced : (str, str), optional
        A value that is told as another: the result that somebody has made up.
    """

    source: str
    steps: tuple[Step, ...]
    replaced: tuple[str, str] | None = None

    def passes(self) -> list[list[Step]]:
        """What was done before the outermost loop, in each of its passes, and after it."""
        loop = _loop(self.source)
        if loop is None:
            return [list(self.steps)]
        head, first, last = loop
        found: list[list[Step]] = [[]]
        inside = False
        for place, step in enumerate(self.steps):
            following = self.steps[place + 1].line if place + 1 < len(self.steps) else 0
            if step.line == head:
                # The head is reached once more than there are passes.
                inside = first <= following <= last
                found.append([])
            elif inside and not first <= step.line <= last:
                inside = False
                found.append([])
            found[-1].append(step)
        return found

    @property
    def count(self) -> int:
        """How many passes the outermost loop made."""
        loop = _loop(self.source)
        if loop is None:
            return 0
        _, first, last = loop
        return sum(any(first <= step.line <= last for step in part) for part in self.passes())

    def value(self, name: str, when: When) -> str | None:
        """What a variable held at a moment; None if it had none."""
        held: str | None = None
        for step in self._until(when):
            for changed, text in step.changes:
                if changed == name:
                    held = text
        return None if held is None else self._told(held)

    def _until(self, when: When) -> Iterator[Step]:
        parts = self.passes()
        if when.what == "start":
            yield from parts[0]
        elif when.what in ("pass", "loop"):
            number = when.number if when.what == "pass" else self.count
            for part in parts[: 1 + number] if self.count else parts:
                yield from part
        elif when.what == "line":
            last = max(
                (n for n, step in enumerate(self.steps) if step.line == when.number), default=-1
            )
            yield from self.steps[: last + 1]
        else:
            yield from self.steps

    def told(self) -> str:
        """The run in a few clauses: what changed before the loop, and in each pass."""
        parts = self.passes()
        if len(parts) == 1:
            return _joined([self._line(step) for step in self.steps if step.line and step.changes])
        begun, *rest = parts
        first = self._changes([step for step in begun if step.line])
        told = [f"before the loop {first}"] if first else []
        number = 0
        for part in rest:
            changed = self._changes(part)
            loop = _loop(self.source)
            assert loop is not None
            if any(loop[1] <= step.line <= loop[2] for step in part):
                number += 1
                told.append(f"pass {number}: {changed or 'nothing changes'}")
            elif changed:
                told.append(f"after that {changed}")
        return _joined(told)

    def _line(self, step: Step) -> str:
        return f"line {step.line}: {self._changes([step])}"

    def _changes(self, steps: Sequence[Step]) -> str:
        last = {name: text for step in steps for name, text in step.changes if name.isidentifier()}
        return ", ".join(f"`{name}` = `{self._told(text)}`" for name, text in last.items())

    def _told(self, text: str) -> str:
        if self.replaced is not None and text == self.replaced[0]:
            return self.replaced[1]
        return text


def _joined(told: Sequence[str]) -> str:
    if len(told) > MOST_TOLD + 1:
        told = [*told[:MOST_TOLD], "and so on"]
    return "; ".join(told)


@lru_cache(maxsize=256)
def _loop(source: str) -> tuple[int, int, int] | None:
    """Where the first loop of a program's function begins, and its first and last line."""
    function = _function(source)
    loops = (node for node in function.body if isinstance(node, ast.For | ast.While))
    for node in loops:
        return node.lineno, node.body[0].lineno, node.body[-1].end_lineno or node.lineno
    return None


@lru_cache(maxsize=256)
def names_in(source: str) -> dict[str, tuple[int, ...]]:
    """The variables of a program, and the lines that set them."""
    found: dict[str, list[int]] = {}
    for node in ast.walk(_function(source)):
        if isinstance(node, ast.Name):
            lines = found.setdefault(node.id, []) if isinstance(node.ctx, ast.Store) else None
            if lines is not None and node.lineno not in lines:
                lines.append(node.lineno)
        elif isinstance(node, ast.arg):
            found.setdefault(node.arg, [])
    return {name: tuple(sorted(lines)) for name, lines in found.items()}


def _function(source: str) -> ast.FunctionDef | ast.Module:
    """The function that is called: bundled programs define it last at the outermost level."""
    tree = python_tree(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return functions[-1] if functions else tree
