"""What a line of a program does, in plain words; nothing is run."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

from nip_core.documents import python_tree

__all__ = ["Line", "line_of", "lines_asked_for"]

# Of a stranger's program, no more than this is read.
MAX_SOURCE = 20_000
MAX_SHOWN = 120
ASKED = re.compile(
    r"\b(?:lines?|row)\s*(?:number|no\.?|nr\.?|#)?\s*(\d{1,4})\b|\bL(\d{1,4})\b", re.I
)
NUMBERS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ORDINAL = re.compile(
    rf"\b({'|'.join((*NUMBERS, 'last'))}|\d{{1,3}}(?:st|nd|rd|th)) line\b", re.IGNORECASE
)
QUOTED = re.compile(r"`([^`\n]{3,80})`")

CHANGES: dict[type[ast.operator], str] = {
    ast.Add: "adds `{value}` to `{target}`",
    ast.Sub: "takes `{value}` off `{target}`",
    ast.Mult: "multiplies `{target}` by `{value}`",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a program.

    Parameters
    ----------
    number : int
    source : str
        Without its indentation.
    what : str
        A sentence about what it does; empty if there is nothing to say.
    last : int
        How many lines there are.
    """

    number: int
    source: str
    what: str
    last: int


def lines_asked_for(text: str, solution: str, *, quoted: bool = True) -> list[int]:
    """The numbers of the lines that a text asks about, by number or by quoting them."""
    last = len(solution.splitlines())
    found = [int(match[1] or match[2]) for match in ASKED.finditer(text)]
    for match in ORDINAL.finditer(text):
        word = match[1].lower()
        if word == "last":
            found.append(last)
        else:
            found.append(NUMBERS.index(word) + 1 if word in NUMBERS else int(word[:-2]))
    if quoted and not found:
        for match in QUOTED.finditer(text):
            number = _quoted(match[1], solution)
            if number is not None:
                found.append(number)
    return list(dict.fromkeys(found))[:4]


def _quoted(code: str, solution: str) -> int | None:
    """The one line that holds some code; a name alone is no line."""
    if code.strip().isidentifier():
        return None
    wanted = "".join(code.split())
    holding = [
        number
        for number, line in enumerate(solution.splitlines(), start=1)
        if wanted in "".join(line.split())
    ]
    return holding[0] if len(holding) == 1 else None


def line_of(solution: str, number: int) -> Line:
    """A line, and what it does."""
    lines = solution.splitlines()
    if not 1 <= number <= len(lines):
        return Line(number, "", "", len(lines))
    source = lines[number - 1].strip()
    described = "" if not source or source.startswith("#") else _described(solution).get(number)
    what = described or _by_words(source)
    shown = source if len(source) <= MAX_SHOWN else f"{source[:MAX_SHOWN]}..."
    return Line(number, shown, what, len(lines))


def _by_words(source: str) -> str:
    if source.startswith("#"):
        return "That is a remark, which changes nothing."
    if source.startswith("else"):
        return "What is indented below it happens in all other cases."
    if source.startswith(("finally", "try")):
        return "It guards what is indented below it."
    return ""


@lru_cache(maxsize=64)
def _described(solution: str) -> dict[int, str]:
    """What each line on which something begins does."""
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
    # The innermost statement that goes on over several lines.
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
            given = f", which is given {_list(names)}" if names else ""
            return f"begins the function `{name}`{given}"
        case ast.Return(value=None):
            return "leaves the function here"
        case ast.Return(value=ast.expr() as value):
            return f"hands back `{show(value)}` and leaves the function"
        case ast.Assign(targets=targets, value=value):
            names = [f"`{show(target)}`" for target in targets]
            return f"sets {_list(names)} to `{show(value)}`"
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
            return f"removes {_list([f'`{show(target)}`' for target in targets])}"
        case ast.Nonlocal(names=names) | ast.Global(names=names):
            return f"lets {_list([f'`{name}`' for name in names])} be changed from in here"
        case _:
            return ""


def _list(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
