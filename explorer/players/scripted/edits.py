"""Read which change of a program a question speaks of."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from explorer.players.scripted.prose import words
from explorer.players.scripted.runs import names_in
from explorer.programs import LONGEST, OPERATORS, TOKEN, is_own, place_of
from nip_core.documents import python_tree

# As in ``explorer.programs.changes``.
Change = tuple[str, *tuple[int | str, ...]]
NUMBER = r"-?\d+(?:\.\d+)?"
LINE = r"(?:LINE|lines?\s*(?:number|no\.?|nr\.?|#)?\s*\d{1,4})"
WITHOUT = re.compile(
    rf"\b(?:re?mov|delet|drop|skip|leave out|left out|without|miss|need)\w*.{{0,12}}{LINE}"
    rf"|{LINE} (?:was |were )?(?:missing|gone|removed|deleted|dropped|left out)"
    r"|\b(?:re?mov|delet|drop|skip)\w* (?:it|that|this|the line)\b"
    r"|\b(?:without|leave out) (?:it|that|this|the)\b",
    re.IGNORECASE,
)
_PART = r"`?([^\s`?]{1,30}?)`?"
INSTEAD = re.compile(
    rf"{_PART} (?:instead of|rather than|in place of) (?:an? |the )?{_PART}(?=[\s?!.,;]|$)"
)
FROM_TO = re.compile(
    rf"\b(?:chang|replac|swap|turn|exchang|mak|flip|if|were|was|put|with|using)\w*\b.{{0,24}}?"
    rf"{_PART}\s+(?:by|with|to|into|was|were|->|→)\s+(?:an? )?{_PART}(?=[\s?!.,;]|$)",
    re.IGNORECASE,
)
CHANGED = re.compile(r"chang|replac|swap|exchang", re.IGNORECASE)
NOT = re.compile(rf"{_PART},? (?:and|but) not (?:an? )?{_PART}(?=[\s?!.,;]|$)")
SET = re.compile(rf"\b([a-z_]\w*)`? ?= ?`?([a-z_]\w*|{NUMBER})(?![\w.(\[]| ?[-+*/%])")
STARTS = re.compile(
    rf"\b(?:start\w*|initial\w*|set|was|is|were|began|begins?)\b.{{0,24}}?(?:at|with|to|as|=)?\s*`?({NUMBER})`?",
    re.IGNORECASE,
)
SUPPOSES = re.compile(
    r"\b(?:if|suppose|instead|why not|why is ?n.t|flip\w*|chang\w*|replac\w*|wr[io]t\w*|could"
    r"|same as|use[ds]?)\b",
    re.IGNORECASE,
)
# From which share of equal tokens on an expression is the one that another is meant to replace.
ALIKE = 0.5
MOST_TOKENS = 60  # of a question that may be code


def change_in(text: str, line: int | None, source: str) -> Change | None:
    """Return the change that a text speaks of: a line is left out, or a part of one exchanged."""
    if line is not None and WITHOUT.search(text):
        return ("without", line)
    for pattern, old, new in ((INSTEAD, 2, 1), (FROM_TO, 1, 2), (NOT, 1, 2)):
        for found in pattern.finditer(text):
            if pattern is FROM_TO and found[old].isdigit() and not CHANGED.search(found[0]):
                continue  # as in "on a scale of 0 to 100"
            change = _exchanged(found[old], found[new], line, source)
            if change is not None:
                return change
    bare, names = "".join(source.split()), names_in(source)
    for found in SET.finditer(text):
        target, value = found[1], found[2]
        lines = names.get(target, ())
        if lines and is_own(source, value) and f"{target}={value}" not in bare:
            begins = re.search(r"\b(?:init\w*|start\w*|begin\w*|at first)\b", text, re.IGNORECASE)
            number = line if line in lines else lines[0 if begins else -1]
            return ("part", number, source.splitlines()[number - 1].strip(), f"{target} = {value}")
    if not SUPPOSES.search(text):
        return None
    return _rewritten(text, source) or _opposite(text, source)


def start_in(shape: str, name: str) -> Change | None:
    """Return the change that a variable starts with another number."""
    if not (name and re.search(r"\b(?:if|suppose|start\w*|initial\w*)\b", shape)):
        return None
    found = STARTS.search(shape)
    return None if found is None else ("start", name, found[1])


def _exchanged(old: str, new: str, line: int | None, source: str) -> Change | None:
    """Return the exchange of a part that is in the program, and is code and no word."""
    code = re.search(r"\W", old) or old.isdigit() or old in OPERATORS or old in ("if", "elif")
    if not code or old == new or not is_own(source, new) or not re.search(r"\w|[<>=+-]", new):
        return None
    lines = source.splitlines()
    numbers = [n for n, text in enumerate(lines, 1) if n > 1 and re.search(place_of(old), text)]
    numbers = [n for n in numbers if not lines[n - 1].startswith(("def ", '    """'))]
    return ("part", line if line in numbers else numbers[0], old, new) if numbers else None


def _rewritten(text: str, source: str) -> Change | None:
    """Return the exchange of the expression that is most like one that a text has."""
    best, share = None, ALIKE
    for part in _code_parts(text, source):
        said = Counter(TOKEN.findall(part))
        for number, expression in _expressions(source):
            tokens = Counter(TOKEN.findall(expression))
            alike = (said & tokens).total() / max(said.total(), tokens.total())
            if alike > share and expression.replace(" ", "") != part.replace(" ", ""):
                best, share = ("part", number, expression, f"({part})"), alike
    return best


def _code_parts(text: str, source: str) -> Iterator[str]:
    """Yield the longest parts of a text that are expressions of the program's own words."""
    yield from (
        found[1] for found in re.finditer(r"`([^`\n]{3,80})`", text) if _is_new(found[1], source)
    )
    tokens = [*TOKEN.finditer(text)][:MOST_TOKENS]
    for start, first in enumerate(tokens):
        end = start
        while end < len(tokens) and is_own(source, tokens[end][0]):
            end += 1
        for last in range(end, start + 2, -1):
            part = text[first.start() : tokens[last - 1].end()]
            if _is_new(part, source):
                yield part
                break


# Expressions that are composed of others.
_COMPOSED = ast.BinOp | ast.BoolOp | ast.Call | ast.Compare | ast.Subscript


def _is_new(part: str, source: str) -> bool:
    bare = "".join(part.split())
    if len(part) > LONGEST or not re.search(r"[a-z]", part) or not is_own(source, part):
        return False
    if bare in "".join(source.split()) or not re.search(
        r"[-+*/%<>()\[\]]|\b(?:and|or|not)\b", part
    ):
        return False
    try:
        (node,) = python_tree(part.strip()).body
    except (SyntaxError, ValueError):
        return False
    return isinstance(node, ast.Expr) and isinstance(node.value, _COMPOSED)


@lru_cache(64)
def _expressions(source: str) -> tuple[tuple[int, str], ...]:
    """Return the expressions of a program that stand on one line, with its number."""
    found = [
        (node.lineno, ast.get_source_segment(source, node) or "")
        for node in ast.walk(python_tree(source))
        if isinstance(node, ast.expr) and isinstance(node, _COMPOSED)
    ]
    return tuple(each for each in found if each[1] and "\n" not in each[1])


def _opposite(text: str, source: str) -> Change | None:
    """Return the exchange of a word for its opposite, as in "the earliest instead"."""
    for pair in words()["opposite"]:
        if re.search(rf"\b(?:{pair['asked']})\b", text, re.IGNORECASE):
            if "for" in pair["code"]:
                return _backwards(text, source)
            for old, new in (pair["code"], pair["code"][::-1]):
                change = _exchanged(old, new, None, source)
                if change is not None:
                    return change
    return None


def _backwards(text: str, source: str) -> Change | None:
    """Return the change that a loop, the inner one if that is named, goes backwards."""
    loops = [node for node in ast.walk(python_tree(source)) if isinstance(node, ast.For)]
    over = [(node.lineno, ast.get_source_segment(source, node.iter) or "") for node in loops]
    found = sorted(each for each in over if each[1] and "\n" not in each[1])
    if not found:
        return None
    number, old = found[-1 if "inner" in text else 0]
    return ("part", number, old, f"reversed({old})")
