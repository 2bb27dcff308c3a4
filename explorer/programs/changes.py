"""Small changes of a bundled program, which are named and never sent as code.

A line is left out, or a part of a line is exchanged for one that is made of the program's own
words, numbers and a few operators.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nip_core.documents import python_tree

OPERATORS = frozenset(("<", ">", "<=", ">=", "==", "!=", "+", "-", "min", "max", "and", "or"))
_ALWAYS = OPERATORS | {"(", ")", "[", "]", ",", "=", "%", "if", "elif", "not"}
_NUMBER = re.compile(r"-?\d{1,6}")
_TOKEN = re.compile(r"\w+|\*\*|//|<<|>>|[<>=!]=|[^\w\s]")
_LONGEST = 80


def changed(source: str, change: Sequence[object]) -> str | None:
    """Return a program with a change; None if it cannot be made, or is none.

    A change is ``("without", line)`` or ``("part", line, old, new)``.
    """
    match [*change]:
        case ["without", int(number)]:
            made = _without(source, number)
        case ["part", int(number), str(old), str(new)] if is_own(source, new):
            lines = source.splitlines()
            if not 1 <= number <= len(lines) or lines[number - 1].startswith("def "):
                return None
            lines[number - 1] = re.sub(place_of(old), lambda _: new, lines[number - 1], count=1)
            made = "\n".join(lines) + "\n"
        case _:
            return None
    if made is None or made == source:
        return None
    try:
        python_tree(made)
    except (SyntaxError, ValueError):
        return None
    return made


def is_own(source: str, part: str) -> bool:
    """Return whether a part of a line has the program's own words, numbers and operators only."""
    known = {*_TOKEN.findall(source)} | _ALWAYS
    tokens = _TOKEN.findall(part)
    one_line = part.isprintable() and 0 < len(part) <= _LONGEST
    return one_line and all(t in known or _NUMBER.fullmatch(t) for t in tokens)


def place_of(part: str) -> str:
    """Return a pattern that finds a part of a line where it stands alone."""
    if re.fullmatch(r"\W+", part) and not re.search(r"[\[\](){}]", part):
        return rf"(?<![<>=!+\-\w]){re.escape(part)}(?![=\w])"
    before = r"(?<![\w.])" if re.match(r"\w", part) else ""
    return f"{before}{re.escape(part)}" + (r"(?!\w)" if re.search(r"\w$", part) else "")


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
