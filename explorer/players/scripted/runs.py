"""Describe a program's lines and runs in plain words."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from explorer.programs import Outcome, TraceStep
from nip_core.documents import python_tree

# The most characters of an untrusted program that are read.
MAX_SOURCE = 20_000
MAX_SHOWN = 120
CHANGES: dict[type[ast.operator], str] = {
    ast.Add: "adds `{value}` to `{target}`",
    ast.Sub: "takes `{value}` off `{target}`",
    ast.Mult: "multiplies `{target}` by `{value}`",
}


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of a program."""

    number: int
    # The line without its indentation.
    source: str
    # A sentence about its effect; may be empty.
    what: str
    # The number of lines of the program.
    last: int


def line_of(solution: str, number: int) -> CodeLine:
    """Return a line with a description."""
    lines = solution.splitlines()
    if not 1 <= number <= len(lines):
        return CodeLine(number, "", "", len(lines))
    source = lines[number - 1].strip()
    described = "" if not source or source.startswith("#") else _described(solution).get(number)
    what = described or _by_words(source)
    shown = source if len(source) <= MAX_SHOWN else f"{source[:MAX_SHOWN]}..."
    return CodeLine(number, shown, what, len(lines))


def _by_words(source: str) -> str:
    if source.startswith("#"):
        return "That is a remark, which changes nothing."
    if source.startswith("else"):
        return "What is indented below it happens in all other cases."
    if source.startswith(("finally", "try")):
        return "It guards what is indented below it."
    return ""


def enclosing(solution: str, number: int) -> CodeLine | None:
    """Return the line below which a line is indented; None in the function's own block."""
    lines = solution.splitlines()
    indent = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    for above in range(number - 1, 0, -1):
        line = lines[above - 1]
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            told = line_of(solution, above)
            return None if told.source.startswith("def ") else told
    return None


@lru_cache(maxsize=64)
def _described(solution: str) -> dict[int, str]:
    """Return descriptions of the lines on which a statement begins."""
    if len(solution) > MAX_SOURCE:
        return {}
    try:
        tree = python_tree(solution)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[int, str] = {}
    spans: list[tuple[int, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            found.setdefault(node.lineno, _sentence(node))
            spans.append((node.lineno, node.end_lineno or node.lineno))
    # The innermost statement that covers several lines.
    for first, last in sorted(spans, key=lambda span: span[0] - span[1]):
        for number in range(first + 1, last + 1):
            if number not in found or found[number].startswith("It belongs to what begins"):
                found[number] = f"It belongs to what begins on line {first}."
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.For | ast.While) and node.orelse:
            line = node.orelse[0].lineno - 1
            if line > 0 and solution.splitlines()[line - 1].strip().startswith("else"):
                found[line] = (
                    "What is indented below it happens when no condition above it holds."
                    if isinstance(node, ast.If)
                    else "What is indented below it happens when the loop was not left early."
                )
    return found


def _sentence(node: ast.stmt) -> str:
    said = _clause(node)
    return f"It {said}." if said else ""


def _clause(node: ast.stmt) -> str:
    show = ast.unparse
    match node:
        case ast.FunctionDef(name=name, args=arguments):
            names = [f"`{argument.arg}`" for argument in arguments.args]
            given = f", which is given {listed(names)}" if names else ""
            return f"begins the function `{name}`{given}"
        case ast.Return(value=None):
            return "leaves the function here"
        case ast.Return(value=ast.expr() as value):
            return f"hands back `{show(value)}` and leaves the function"
        case ast.Assign(targets=targets, value=value):
            names = [f"`{show(target)}`" for target in targets]
            return f"sets {listed(names)} to `{show(value)}`"
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return f"sets `{show(target)}` to `{show(value)}`"
        case ast.AugAssign(target=target, op=op, value=value):
            words = CHANGES.get(type(op), "changes `{target}` by `{value}`")
            return words.format(target=show(target), value=show(value))
        case ast.For(target=target, iter=over):
            return f"goes through `{show(over)}`, calling what comes `{show(target)}`"
        case ast.While(test=test):
            return f"repeats what is indented below it as long as `{show(test)}`"
        case ast.If(test=test):
            return f"lets what is indented below it happen only if `{show(test)}`"
        case ast.Expr(value=ast.Constant(value=str())):
            return "describes the function in words, which changes nothing"
        case ast.Expr(value=ast.Call() as value):
            return f"calls `{show(value)}`"
        case ast.Continue():
            return "goes on with the next round of the loop"
        case ast.Break():
            return "leaves the loop"
        case ast.Pass():
            return "does nothing"
        case ast.Import() | ast.ImportFrom():
            return "makes things from the standard library known"
        case ast.Raise():
            return "stops with an error"
        case ast.Assert(test=test):
            return f"insists that `{show(test)}`"
        case ast.Delete(targets=targets):
            return f"removes {listed([f'`{show(target)}`' for target in targets])}"
        case ast.Nonlocal(names=names) | ast.Global(names=names):
            return f"lets {listed([f'`{name}`' for name in names])} be changed from in here"
        case _:
            return ""


def listed(names: list[str]) -> str:
    """Return names as in "a, b and c"; "nothing" if there are none."""
    if not names:
        return "nothing"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def returns_in_words(outcome: Outcome) -> str:
    """Return what a program does, as in "returns `3`"."""
    verb = "returns" if outcome.kind == "returned" else "stops with"
    return f"{verb} {value_in_words(outcome)}"


def value_in_words(outcome: Outcome) -> str:
    """Return what comes out, as in "`3`" or "a `KeyError`"."""
    if outcome.kind == "returned":
        return f"`{outcome.text}`"
    article = "an" if outcome.text[:1] in "AEIOU" else "a"
    return f"{article} `{outcome.text}`" if outcome.kind == "raised" else "something else"


# The most passes of a loop, or steps, in one message.
MOST_TOLD = 6


@dataclass(frozen=True, slots=True)
class TracedRun:
    """The recorded steps of a program on an input."""

    source: str
    steps: tuple[TraceStep, ...]
    # A value, and the invented one that replaces it.
    replaced: tuple[str, str] | None = None

    def passes(self) -> list[list[TraceStep]]:
        """Return the steps before the outermost loop, in each of its passes, and after it."""
        loop = _loop(self.source)
        if loop is None:
            return [list(self.steps)]
        head, first, last = loop
        found: list[list[TraceStep]] = [[]]
        inside = False
        for place, step in enumerate(self.steps):
            following = self.steps[place + 1].line if place + 1 < len(self.steps) else 0
            if step.line == head:
                # The loop's head runs once more often than its body.
                inside = first <= following <= last
                found.append([])
            elif inside and not first <= step.line <= last:
                inside = False
                found.append([])
            found[-1].append(step)
        return found

    def told(self) -> str:
        """Describe the run in a few clauses: the changes before the loop and in each pass."""
        parts = self.passes()
        if len(parts) == 1:
            told = [(step.line, self._changes([step])) for step in self.steps if step.line]
            return _joined([f"line {number}: {what}" for number, what in told if what])
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

    def _changes(self, steps: Sequence[TraceStep]) -> str:
        last = {
            name: text
            for step in steps
            for name, text in step.changes
            # Functions are shown with their place in memory.
            if name.isidentifier() and not text.startswith("<")
        }
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
    """Return where the first loop of a program begins, and the first and last line of its body."""
    function = _function(source)
    loops = (node for node in function.body if isinstance(node, ast.For | ast.While))
    for node in loops:
        return node.lineno, node.body[0].lineno, node.body[-1].end_lineno or node.lineno
    return None


def _function(source: str) -> ast.FunctionDef | ast.Module:
    """Return the function that is called, which bundled programs define last."""
    tree = python_tree(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return functions[-1] if functions else tree
