"""Read which change of a program a question speaks of."""

from __future__ import annotations

import re

from explorer.programs import OPERATORS, is_own, place_of

# As in ``explorer.programs.changes``.
Change = tuple[str, *tuple[int | str, ...]]
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


def change_in(text: str, line: int | None, source: str) -> Change | None:
    """Return the change that a text speaks of: a line is left out, or a part of one exchanged."""
    if line is not None and WITHOUT.search(text):
        return ("without", line)
    for pattern, old, new in ((INSTEAD, 2, 1), (FROM_TO, 1, 2)):
        for found in pattern.finditer(text):
            if pattern is FROM_TO and found[old].isdigit() and not CHANGED.search(found[0]):
                continue  # as in "on a scale of 0 to 100"
            change = _exchanged(found[old], found[new], line, source)
            if change is not None:
                return change
    return None


def _exchanged(old: str, new: str, line: int | None, source: str) -> Change | None:
    """Return the exchange of a part that is in the program, and is code and no word."""
    code = re.search(r"\W", old) or old.isdigit() or old in OPERATORS or old in ("if", "elif")
    if not code or old == new or not is_own(source, new) or not re.search(r"\w|[<>=+-]", new):
        return None
    lines = source.splitlines()
    numbers = [n for n, text in enumerate(lines, 1) if n > 1 and re.search(place_of(old), text)]
    numbers = [n for n in numbers if not lines[n - 1].startswith(("def ", '    """'))]
    return ("part", line if line in numbers else numbers[0], old, new) if numbers else None
