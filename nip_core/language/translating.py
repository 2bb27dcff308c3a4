"""Expressions that are written as in other languages, and what they are in this one.

People write ``==`` and ``&&`` by habit. If an expression cannot be read, this finds what it most
likely means, so that the refusal can say it, and a click can correct it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from nip_core.errors import SpecError
from nip_core.language.collecting import refused
from nip_core.language.functions import FUNCTIONS
from nip_core.language.syntax import SyntaxNode, parse
from nip_core.mistakes import Fix, Mistake, written

__all__ = ["parse_or_explain"]

# Longer ones are not translated, since the patterns take time.
MOST = 300
_VALUE = r"(?:[A-Za-z_]\w*(?:\([^()]*\))?|\d[\d.]*|\([^()]*\))"
_Rewriting = str | Callable[[re.Match[str]], str]


def _alternatives(match: re.Match[str]) -> str:
    options = [option.strip() for option in match[2].split(",")]
    return f"({' or '.join(f'{match[1]} = {option}' for option in options)})"


def _with_bracket(match: re.Match[str]) -> str:
    return f"{match[1]}({match[2]})" if match[1] in FUNCTIONS else match[0]


# Each: a pattern, what stands for it, and the rule in words. The order matters.
_RULES: tuple[tuple[str, _Rewriting, str], ...] = (
    (r"[“”„«»]", '"', ""),
    (r"[‘’‚]", "'", ""),
    (r"""(["'])([A-Za-z_]\w*)\1""", r"\2", "Options stand without quotes."),
    (r"\s*(?:===?|:=)\s*", " = ", "Equal is `=`."),
    (r"\s*(?:!==|≠|<>|/=)\s*", " != ", "Not equal is `!=`."),
    (r"\s*(?:=>|≥)\s*", " >= ", "At least is `>=`."),
    (r"\s*(?:=<|≤)\s*", " <= ", "At most is `<=`."),
    (r"\s*(?:&&?|∧)\s*", " and ", "Write `and`."),
    (r"\s*(?:\|\|?|∨)\s*", " or ", "Write `or`."),
    (r"(?:!(?!=)|¬)\s*", "not ", "Write `not`."),
    (r"[−–—]", "-", "Minus is `-`."),
    (r"\s*[×·]\s*", " * ", "Times is `*`."),
    (r"\s*÷\s*", " / ", "Divided by is `/`."),
    (
        rf"({_VALUE})\s*(?:\*\*|\^)\s*({_VALUE})",
        r"power(\1, \2)",
        "A power is `power(number, exponent)`.",
    ),
    (r"\s*//\s*", " div ", "A whole quotient is `div`."),
    (r"\s*%\s*(?=[\w(])", " mod ", "The rest of a division is `mod`."),
    (r"%", "", "Numbers have no percent sign."),
    (r"(?i)\b(and|or|not|if|else|true|false|none)\b", lambda m: m[1].lower(), ""),
    (r"(?i)\b(?:null|nil|undefined)\b", "none", "What is not chosen yet is `none`."),
    (r"(?i)\b(?:is\s+not|isn't)\b", "!=", "Not equal is `!=`."),
    (r"(?i)\b(?:is|equals)\b", "=", "Equal is `=`."),
    (
        rf"({_VALUE})\s+in\s*[\[({{]([^\[\](){{}}]*)[\])}}]",
        _alternatives,
        "Compare with each option.",
    ),
    (
        r"^\s*if\s+(.+?)\s*(?::|\bthen\b)\s*(.+?)\s*[,;]?\s*\belse\b:?\s*(.+)$",
        r"\2 if \1 else \3",
        "A case is `a if condition else b`.",
    ),
    (r"^(.+?)\s*\?\s*(.+?)\s*:\s*(.+)$", r"\2 if \1 else \3", "A case is `a if condition else b`."),
    (r"([A-Za-z_]\w*)\[([^\[\]]*)\]", _with_bracket, "Functions have round brackets."),
    (r"[\[{]", "(", "Use round brackets."),
    (r"[\]}]", ")", "Use round brackets."),
    (r"(?<![\w.)])\.(\d)", r"0.\1", "A number begins with a digit."),
    (r"^([^(]*?\d),(\d+)(?=[^)]*$)", r"\1.\2", "Decimals have a point."),
)


# Two words with no operator between them.
_WORDS = re.compile(
    r"\b(?!(?:and|or|not|if|else)\b)[A-Za-z]+\s+(?!(?:and|or|if|else)\b)(?=[A-Za-z])"
)


def parse_or_explain(text: object) -> SyntaxNode:
    """Read an expression; if it cannot be read, say what it should probably be.

    Raises
    ------
    SpecError
        If it is invalid.
    """
    try:
        return parse(text)
    except SpecError as error:
        if not error.mistakes or not isinstance(text, str) or len(text) > MOST:
            raise
        raise _explained(text, error.mistakes[0]) from None


def _explained(text: str, mistake: Mistake) -> SpecError:
    said: list[str] = []
    new = text
    for pattern, rewriting, rule in _RULES:
        changed = re.sub(pattern, rewriting, new)
        if changed != new and rule not in said:
            said.append(rule)
        new = changed
    missing = new.count("(") - new.count(")")
    if missing > 0:
        new += ")" * missing
        said.append("Close each bracket.")
    if re.search(r"\bif\b", new) and not re.search(r"\belse\b", new):
        new += " else none"
        said.append("Each `if` has an `else`.")
    new = new.strip()
    fix = None
    if new != text and _is_read(new):
        fix = Fix(f"Write {new}", written(new))
        said.append(f"Write {new!r}.")
    else:
        said = [_advice(text)]
    return refused(mistake.message, " ".join(filter(None, said)), span=mistake.span, fix=fix)


def _is_read(text: str) -> bool:
    try:
        parse(text)
    except SpecError:
        return False
    return True


def _advice(text: str) -> str:
    """Return what to do about an expression that nobody can translate."""
    if not text.strip():
        return "Write a value, or leave the field out."
    if len(_WORDS.findall(text)) > 1:
        return (
            "Words cannot be calculated with. Write names of choices, options and settings, "
            "with operators between them."
        )
    if re.search(r"\w\.[A-Za-z_]", text):
        return "Names have no dots. Write the name of a choice, an option or a setting."
    if re.search(r"\b[\w)]+\s+[A-Za-z_0-9(]", text):
        return "Write an operator between two values, such as `and`, `=` or `+`."
    if re.search(r"\d_\d", text):
        return "Write a number with digits and a point only."
    return "See the list of operators and functions in docs/reference/language.md."
