"""Slips in the text of a document: what is not TOML or JSON, and what was probably meant.

Most slips are on one line: a colon for an equals sign, a missing comma, a text without quotes. A
correction is offered if the lines around are TOML with it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator

from nip_core.errors import SpecError
from nip_core.language.collecting import refused_at
from nip_core.mistakes import Fix, written

__all__ = ["explained"]

# Larger blocks are not tried with corrections, and no longer lines.
MOST_BLOCK, MOST_LINE = 20_000, 1_000
_PLACE = re.compile(r"line (\d+),? column (\d+)")
_HEADER = re.compile(r"^\[\[?[\w.\" -]+\]?\]", re.MULTILINE)
_BARE = r"(?!true\b|false\b|inf\b|nan\b)[A-Za-z_]\w*"
# The first words of a reader's message, and what to do.
_REMEDIES = (
    ("Unclosed array", "Close the list with `]`, and write commas between its items."),
    ("Unclosed inline", "Close the table with `}`, and write commas between its entries."),
    ("Invalid value", "Write texts in quotes."),
    ("Expected '='", "Write `key = value`."),
    ("Expected newline", "Begin each key on a line of its own."),
    ("Illegal character", "Close the text with a quote on the same line, or use three quotes."),
    ("Unterminated", "Close the text with the quotes that it begins with."),
    ("Cannot", "A name can stand only once in its table: rename one of the two, or join them."),
    ("Expecting ','", "Write a comma between entries."),
    ("Expecting property name", "Write keys in double quotes, and no comma after the last entry."),
    ("Expecting value", "Write texts in double quotes, and no comma after the last item."),
    ("Extra data", "Remove what follows the last brace."),
    ("", "Compare this line with an example in docs/howto/write-a-protocol.md."),
)


def explained(text: str, error: SpecError) -> SpecError:
    """Return the refusal of a text that is not TOML or JSON, with its line and a remedy."""
    said = str(error)
    reason = re.sub(r"^The \w+ is not (?:TOML|JSON)[^:]*: ", "", said)
    match = _PLACE.search(said)
    if match is None and "end of document" not in said:
        return error
    line, column = (int(match[1]), int(match[2])) if match else (text.count("\n") + 1, 1)
    kind = "JSON" if text.lstrip()[:1] == "{" else "TOML"
    reason = re.sub(r" \(at .*|: line \d.*", "", reason)
    remedy = next(remedy for begin, remedy in _REMEDIES if reason.startswith(begin))
    fix = None
    if kind == "TOML" and (reason.startswith("Cannot") or "twice" in reason):
        fix = _second_bracket(text)
    elif kind == "TOML":
        fix = _fix(text, line, column)
    elif len(text) <= MOST_BLOCK and match is not None:
        fix = _fix_json(text, line, column)
    message = f"this is not {kind}: {reason.rstrip('.')}."
    return refused_at(line, column, message, fix.said if fix else remedy, fix)


def _fix_json(text: str, line: int, column: int) -> Fix | None:
    """Return the correction with which a text is JSON."""
    at = sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column - 1
    before = len(text[:at].rstrip())
    straight = re.sub("[“”„]", '"', text)
    for said, new in (
        ("Write straight quotes.", straight),
        ("Leave out the comma before the closing bracket.", re.sub(r",(\s*[}\]])", r"\1", text)),
        ("Write a comma between the two.", f"{text[:before]},{text[before:]}"),
        ("Write true and false in small letters.", re.sub(r"\b(True|False)\b", _lower, text)),
        ("Close the last brace.", f"{text.rstrip()}}}"),
    ):
        try:
            json.loads(new)
        except ValueError:
            continue
        return Fix(said, new, "value", 0, len(text))
    return None


def _lower(match: re.Match[str]) -> str:
    return match[0].lower()


def _second_bracket(text: str) -> Fix | None:
    """Return the correction of one table where a list of tables is meant."""
    match = re.search(r"^\[(stages|pay|limits)\]", text, re.MULTILINE)
    if match is None:
        return None
    new = f"[[{match[1]}]]"
    return Fix(f"Write {new} with two brackets.", new, "value", *match.span())


def _fix(text: str, line: int, column: int) -> Fix | None:
    begin = sum(len(each) + 1 for each in text.split("\n")[: line - 1])
    headers = [match.start() for match in _HEADER.finditer(text)]
    first = max((at for at in headers if at <= begin), default=0)
    last = min((at for at in headers if at > begin), default=len(text))
    block = text[first:last]
    if len(block) > MOST_BLOCK:
        return None
    lines = block.split("\n")
    number = text.count("\n", first, begin)
    if number >= len(lines) or len(lines[number]) > MOST_LINE:
        return None
    for said, changed in _corrections(lines, number, column):
        if _first_fault("\n".join(changed)) > max(number, 0):
            old, new, start, end = block, "\n".join(changed), first, last
            same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
            return Fix(said, new[same:], "value", start + same, end)
    return None


def _first_fault(block: str) -> float:
    """Return the line (from 0) at which a text is no TOML any more; infinity if it is TOML."""
    try:
        tomllib.loads(block)
    except ValueError as fault:
        match = _PLACE.search(str(fault))
        return int(match[1]) - 1 if match else block.count("\n")
    return float("inf")


def _corrections(lines: list[str], number: int, column: int) -> Iterator[tuple[str, list[str]]]:
    """Yield what to do about a line, and the lines with that."""
    line = lines[number]

    def other(new: str) -> list[str]:
        return [*lines[:number], new, *lines[number + 1 :]]

    for said, pattern, rewriting in _REWRITINGS:
        new = re.sub(pattern, rewriting, line)
        if new != line:
            yield said, other(new)
    at = column - 1
    yield "Write a comma between the two.", other(f"{line[:at].rstrip()}, {line[at:]}")
    match = re.match(r"^(\s*[\w.-]+\s*=\s*+)([^\"'\[{].*?)\s*$", line)
    if match:
        yield "Write a text in quotes.", other(match[1] + written(match[2]))
    if number and lines[number - 1].rstrip()[-1:] in "}]\"'":
        before = f"{lines[number - 1].rstrip()},"
        yield "Write a comma between the two.", [*lines[: number - 1], before, *lines[number:]]
    yield "Close the text with a quote.", other(f'{line.rstrip()}"')
    joined = line
    for following in range(number + 1, min(number + 20, len(lines))):
        joined = f"{joined.rstrip()} {lines[following].strip()}"
        if joined.count("{") == joined.count("}"):
            changed = re.sub(r",\s*}", " }", joined)
            rest = lines[following + 1 :]
            yield "Write a table in braces on one line.", [*lines[:number], changed, *rest]
            break


_REWRITINGS = (
    ("Write straight quotes.", r"[“”„«»]", '"'),
    ("Write straight quotes.", r"[‘’‚]", "'"),
    ("Write `-` for minus.", r"[−–]", "-"),
    ("Write `=` instead of the colon.", r"^(\s*(?:[\w.-]+|\"[^\"]*\"))\s*:\s*", r"\1 = "),
    ("Write `=` instead of the colon.", r"([{,]\s*(?:[\w-]+|\"[^\"]*\"))\s*:\s*", r"\1 = "),
    ("Write true and false in small letters.", r"\b(?:True|TRUE)\b", "true"),
    ("Write true and false in small letters.", r"\b(?:False|FALSE)\b", "false"),
    ("Leave out the sign at the end of the line.", r"\s*[,;]\s*$", ""),
    ("Begin a comment with `#`.", r"^(\s*)//", r"\1#"),
    ("Begin a comment with `#`.", r"\s//\s", " # "),
    ("Write a text in quotes.", rf"(=\s*)({_BARE})(?=\s*(?:[,}}\]]|$))", r'\1"\2"'),
    ("Write texts in quotes.", rf"(?<=[\[,])(\s*)({_BARE})(?=\s*[,\]])", r'\1"\2"'),
    ("Write a name with blanks in quotes.", r"^(\s*)([A-Za-z][\w-]*(?: [\w-]+)+)\s*=", r'\1"\2" ='),
)
