"""Small changes of a bundled program, which are named and never sent as code.

A line is left out, an operator is exchanged for another, a number for another, or a
variable is set to another number or to another variable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from nip_core.documents import python_tree

OPERATORS = frozenset(("<", ">", "<=", ">=", "==", "!=", "+", "-", "min", "max", "and", "or"))
_NUMBER = re.compile(r"-?\d{1,6}")


def changed(source: str, change: Sequence[object]) -> str | None:
    """Return a program with a change; None if it cannot be made, or is none.

    A change is ``("without", line)``, ``("operator", old, new)``, ``("number", old, new)``,
    ``("start", name, number)`` or ``("assign", line, name, value)``, where the value is a number or
    a variable of the program.
    """
    match [*change]:
        case ["without", int(number)]:
            made = _without(source, number)
        case ["operator", str(old), str(new)] if {old, new} <= OPERATORS:
            bare = rf"(?<![<>=!+\-\w]){re.escape(old)}(?![=\w])"
            # The first line is the function's head.
            head, _, body = source.partition(":\n")
            made = f"{head}:\n{re.sub(bare, new, body, count=1)}"
        case ["start", str(name), str(number)] if name.isidentifier() and _NUMBER.fullmatch(number):
            first = rf"(^\s*(?:\w+ = )*{name} = (?:\w+ = )*)-?\d+"
            made = re.sub(first, rf"\g<1>{number}", source, count=1, flags=re.MULTILINE)
        case ["number", str(old), str(new)] if _NUMBER.fullmatch(old) and _NUMBER.fullmatch(new):
            head, _, body = source.partition(":\n")
            bare = rf"(?<![\w.]){old}(?![\w.])"
            made = f"{head}:\n{re.sub(bare, new, body, count=1)}"
        case ["assign", int(number), str(name), str(value)]:
            made = _assigned(source, number, name, value)
        case _:
            return None
    if made is None or made == source:
        return None
    try:
        python_tree(made)
    except (SyntaxError, ValueError):
        return None
    return made


def _assigned(source: str, number: int, name: str, value: str) -> str | None:
    """Return a program in which a line that sets a variable sets it to something else."""
    lines = source.splitlines()
    known = {node.id for node in ast.walk(python_tree(source)) if isinstance(node, ast.Name)}
    if not (_NUMBER.fullmatch(value) or value in known) or not 1 <= number <= len(lines):
        return None
    found = re.fullmatch(rf"(\s*){re.escape(name)} [-+*/%&|^]*= .*[^\[({{,]", lines[number - 1])
    if found is None:
        return None
    lines[number - 1] = f"{found[1]}{name} = {value}"
    return "\n".join(lines) + "\n"


def _without(source: str, number: int) -> str | None:
    """Return a program in which a line does nothing; a block goes with its head."""
    lines = source.splitlines()
    if not 1 <= number <= len(lines) or not lines[number - 1].strip():
        return None
    line = lines[number - 1]
    indent = len(line) - len(line.lstrip())
    end = number
    if line.rstrip().endswith(":"):
        while end < len(lines) and (
            not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent
        ):
            end += 1
    lines[number - 1 : end] = [f"{' ' * indent}pass"]
    return "\n".join(lines) + "\n"
