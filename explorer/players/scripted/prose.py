"""Read inputs that people describe, as in "size 2, period 3, people at 1, 1 and 6"."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, cast

from explorer.players.scripted.code import Arguments, Code
from explorer.players.scripted.inputs import literals_in
from explorer.players.scripted.noted import is_known
from explorer.programs import source_of
from nip_core.documents import python_tree

COUNTS = [
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]
NUMBER = rf"(?:-?\d{{1,9}}|{'|'.join(COUNTS)})"
# Between the entries of a row.
_AND = r"(?:\s*,\s*(?:and |then )?|\s+(?:and |then )?)"
_ROW = re.compile(rf"(?<![\w.`\[(/])-?\d{{1,9}}(?:{_AND}-?\d{{1,9}})+(?![\w.]*[\w)\]/])")
# What makes a row of numbers something else than an input.
_COUNTED = re.compile(r"\s*(?!is\b|and\b|please\b)[a-z]{3,}s\b")
_FROM_TO = re.compile(r"(?<![\w.])\(?(\d{1,6})\s*(?:to|-|till|until)\s*(\d{1,6})\b\)?")
_NAMED = re.compile(r"\b([A-Za-z]{2,15})\s+(\d{1,6})\b")
_FRACTION = re.compile(r"(?<![\w./])(\d{1,6}) ?/ ?(\d{1,6})(?![\w/])")
_CLOCK = re.compile(r"\b([01]?\d|2[0-4]):([0-5]\d)\b")
_SINGLE = re.compile(r"\b(?:one|single|only) row\b", re.IGNORECASE)
# The longest list that is written as "1 to 5".
_LONGEST_RANGE = 20
_EMPTY = "empty|nobody|no one|nothing"
_LETTERS = re.compile(r"\b[A-Z]{2,12}\b")
_DIGITS = re.compile(
    r"(?<! a )(?<!or )(?<!than )(?<!above )(?<!below )(?<![\w.,\[(-])(?<![-+*/%=<>] )"
    r"\d{2,18}(?![\w%)\]-]| ?[+*/%=<>])"
)


@dataclass(slots=True)
class Described:
    """The values that a text gives to parameters, and the text without them."""

    rest: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    # Other values for the parameter that was named last, as in "0012 or 12?".
    others: tuple[Any, ...] = ()
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def take(self, name: str, value: Any, start: int, end: int) -> None:
        """Note a value, and blank its place."""
        self.values[name] = value
        self.spans.append((start, end))
        self.rest = _blank(self.rest, start, end)

    def shape(self, text: str) -> str:
        """Return a text of the same length with INPUT in the place of the first value."""
        for start, end in self.spans:
            text = _blank(text, start, end)
        first = min(start for start, _ in self.spans)
        return f"{text[:first]} INPUT {text[first:]}"


def _blank(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


@cache
def words() -> Mapping[str, Any]:
    """Return what people call parameters, and what parts of programs are in plain words."""
    return tomllib.loads((files("explorer.players.scripted") / "words.toml").read_text("utf-8"))


def described(text: str, code: Code) -> Described:
    """Return the values that a text gives to a program's parameters."""
    if _CLOCK.search(code.problem.correct.question):
        # The question speaks of times of day, which the program counts in minutes.
        text = _CLOCK.sub(lambda at: f"{60 * int(at[1]) + int(at[2])}".rjust(len(at[0])), text)
    found, program = Described(text), code.program
    if program.kinds[:2] == (int, int) and (share := _FRACTION.search(text)) is not None:
        for name, value in zip(program.parameters, share.groups(), strict=False):
            found.take(name, int(value), *share.span())
    literals = literals_in(text)
    if len(literals) == len(program.parameters) > 1 and {*program.kinds} == {list}:
        # One entry for each list, as in "(7, 'lunch') and (7, 'call')".
        for name, literal in zip(program.parameters, literals, strict=True):
            if _alike(literal.value, _entry(code, name)):
                found.take(name, [literal.value], literal.start, literal.end)
    for literal in literals:
        if isinstance(literal.value, list | dict | str):
            kinds = zip(program.parameters, program.kinds, strict=True)
            like = (p for p, k in kinds if p not in found.values and isinstance(literal.value, k))
            name = next(like, None)
            if name is not None:
                found.take(name, literal.value, literal.start, literal.end)
    for name, parts in parts_named(source_of(program.task)).items():
        if name in program.parameters and name not in found.values and len(parts) > 1:
            _parts_of_entry(found, name, parts, _entry(code, name))
    for name, kind in zip(program.parameters, program.kinds, strict=True):
        if kind in (int, float) and name not in found.values:
            _number(
                found, name, "|".join(called(p) for p in program.parameters if p != name) or "$"
            )
    for name, kind in zip(program.parameters, program.kinds, strict=True):
        if name not in found.values and kind in (list, dict, str):
            _nothing(found, name, kind())
        if name not in found.values and kind is list:
            _commands(found, name, _strings(code, name))
        if name not in found.values and (reader := _READERS.get(kind)) is not None:
            reader(found, name, _entry(code, name))
    return found


def whole(found: Described, code: Code) -> Arguments | None:
    """Return the input, if all parameters have a value."""
    names = code.program.parameters
    return tuple(found.values[n] for n in names) if {*names} == {*found.values} else None


def filled(values: Mapping[str, Any], base: Arguments, code: Code) -> Arguments:
    """Return an input with other values for some of its parameters."""
    return tuple(
        values.get(name, value) for name, value in zip(code.program.parameters, base, strict=True)
    )


def _entry(code: Code, name: str) -> Any:
    """Return an example of a parameter's entries, or of its value if it has none."""
    place = code.program.parameters.index(name)
    for arguments in (code.program.example, *code.inputs):
        value = arguments[place]
        if isinstance(value, list):
            if value:
                return cast("Any", value[0])
        elif value:
            return value
    return None


def _strings(code: Code, name: str) -> list[str]:
    """Return the texts in a list that has numbers beside them, in the inputs of the problem."""
    place = code.program.parameters.index(name)
    values = [value for arguments in code.inputs for value in cast("list[Any]", arguments[place])]
    kinds = {value.__class__ for value in values}
    return sorted({v for v in values if isinstance(v, str)}) if kinds == {int, str} else []


def _commands(found: Described, name: str, known: Sequence[str]) -> None:
    """Find a list of numbers and known words, as in "5, undo, redo"."""
    if not known:
        return
    one = rf"['\"`]?(?:-?\d{{1,6}}|{'|'.join(map(re.escape, known))})['\"`]?"
    for row in re.finditer(rf"(?<![\w'\"`]){one}(?:{_AND}{one})+(?![\w'\"`])", found.rest):
        entries = re.findall(r"-?\w+", re.sub(_AND, " ; ", row[0]))
        values = [each if each in known else int(each) for each in entries]
        if any(isinstance(value, str) for value in values):
            found.take(name, values, *row.span())
            return


def _nothing(found: Described, name: str, empty: Any) -> None:
    """Find that there is nothing in a list or a text, as in "nobody at back"."""
    word = called(name)
    told = rf"\b(?:{_EMPTY})(?: \w+){{0,2}}? (?:{word})\b|\b(?:{word}) (?:is |are )?(?:{_EMPTY})\b"
    if hit := re.search(told, found.rest, re.IGNORECASE):
        found.take(name, empty, *hit.span())


def called(name: str) -> str:
    """Return a pattern of what people call a parameter."""
    return str(words()["parameters"].get(name, f"{name.removesuffix('s')}s?"))


def _number(found: Described, name: str, others: str) -> None:
    """Find a number beside the name of its parameter, or beside what people call it."""
    for pattern, value in words()["fixed"].get(name, {}).items():
        if hit := re.search(pattern, found.rest, re.IGNORECASE):
            found.take(name, value, hit.start(), hit.end())
            return
    word_for = called(name)
    # Not "people at 1, 1 and 6", which begins a list, and not "three wheels of three marks".
    after = (
        rf"\b(?:{word_for})`?(?:\s*=\s*({NUMBER})\b| of ({NUMBER})\b(?!\s+(?:{others})\b)"
        rf"|(?:\s*(?:is|was|to|are|at)\s*|\s+)(?:only |just |exactly )?({NUMBER})\b"
        r"(?!\s*,\s*-?\d|\.\d))"
    )
    before = rf"(?<![\w.,-])({NUMBER})(?:\s+(?:(?!and\b|to\b)\w+\s+)?|\s*)(?:{word_for})(?!\w)"
    behind = [*re.finditer(after, found.rest, re.IGNORECASE)]
    behind = behind[-1:] if "every" in word_for else behind[:1]
    for hit in behind or [*re.finditer(before, found.rest, re.IGNORECASE)][:1]:
        word = next(filter(None, hit.groups())).lower()
        value = COUNTS.index(word) if word in COUNTS else int(word)
        found.take(name, value, hit.start(), hit.end())


def _parts_of_entry(found: Described, name: str, parts: tuple[str, ...], entry: Any) -> None:
    """Find the one entry of a list whose parts are named, as in "price 2, joy 3"."""
    if not all(isinstance(part, int) for part in _parts(entry)) or len(_parts(entry)) != len(parts):
        return
    known = Described(found.rest)
    for part in parts:
        _number(known, part, "$")
    if len(known.values) == len(parts):
        values = tuple(known.values[part] for part in parts)
        found.take(name, [values], min(known.spans)[0], max(end for _, end in known.spans))


@lru_cache(64)
def parts_named(source: str) -> Mapping[str, tuple[str, ...]]:
    """Return what a program calls the parts of the entries of its lists."""
    found: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(python_tree(source)):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Tuple):
            names = tuple(part.id for part in node.target.elts if isinstance(part, ast.Name))
            if isinstance(node.iter, ast.Name) and len(names) == len(node.target.elts):
                found.setdefault(node.iter.id, names)
    return found


def _list(found: Described, name: str, entry: Any) -> None:
    """Find a list that is written without brackets."""
    if isinstance(entry, bool | dict):
        return
    if isinstance(entry, int):
        row = _ROW.search(found.rest)
        if row is not None and not _COUNTED.match(found.rest, row.end()):
            found.take(name, [*map(int, re.findall(r"-?\d+", row[0]))], *row.span())
        elif row is None and (ends := _FROM_TO.search(found.rest)) is not None:
            first, last = int(ends[1]), int(ends[2])
            if first < last <= first + _LONGEST_RANGE:
                found.take(name, [*range(first, last + 1)], *ends.span())
        return
    if isinstance(entry, list) and _SINGLE.search(found.rest):
        row = _ROW.search(found.rest)
        if row is not None:
            found.take(name, [[*map(int, re.findall(r"-?\d+", row[0]))]], *row.span())
        return
    taken = [*_entries(found.rest, name, entry)]
    if taken:
        found.take(name, [value for value, _, _ in taken], taken[0][1], taken[-1][2])


def _entries(text: str, name: str, entry: Any) -> Iterator[tuple[Any, int, int]]:
    """Yield the entries of a list in a text that are like one, with their places."""
    parts = _parts(entry)
    if len(parts) == 2:
        if any(isinstance(part, tuple | list) for part in parts):
            return
        literals = [each for each in literals_in(text) if _alike(each.value, entry)]
        if literals:
            yield from ((each.value, each.start, each.end) for each in literals)
        elif all(isinstance(part, int) for part in parts):
            yield from (
                ((int(hit[1]), int(hit[2])), hit.start(), hit.end())
                for hit in _FROM_TO.finditer(text)
            )
        elif isinstance(parts[0], str):
            pairs = [((h[1], int(h[2])), h.start(), h.end()) for h in _NAMED.finditer(text)]
            yield from pairs if len(pairs) > 1 else []
    elif isinstance(entry, str) and (
        quoted := [x for x in literals_in(text) if x.value.__class__ is str]
    ):
        yield from ((each.value, each.start, each.end) for each in quoted)
    elif isinstance(entry, str) and entry.isupper():
        yield from ((hit[0], hit.start(), hit.end()) for hit in _LETTERS.finditer(text))
    elif isinstance(entry, str) and name in words()["parameters"]:
        hit = re.search(rf"\b(?:{called(name)}) ((?:\w+(?:, | and |,? and )?)+)", text)
        if hit is not None:
            yield from (
                (word[0], hit.start(1), hit.end(1))
                for word in re.finditer(r"\b(?!and\b|only\b|just\b)\w+", hit[1])
            )


def _parts(value: Any) -> tuple[Any, ...]:
    """Return the entries of a tuple; none of anything else."""
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()


def _alike(value: Any, entry: Any) -> bool:
    kinds = [part.__class__ for part in _parts(entry)]
    return bool(kinds) and [part.__class__ for part in _parts(value)] == kinds


def _text(found: Described, name: str, entry: Any) -> None:
    """Find a text that is written without quotes: digits, or capital letters."""
    if not isinstance(entry, str):
        return
    if entry.isdigit():
        hits = [*_DIGITS.finditer(found.rest)]
        for hit in hits[:1]:
            found.take(name, hit[0], *hit.span())
        found.others = tuple(hit[0] for hit in hits[1:3])
    elif entry.isalpha() and entry.islower():
        word = rf"\b(?:{called(name)})\b[\s=:]*['\"`]?([a-z]{{1,30}})\b"
        hit = re.search(word, found.rest)
        if hit is not None and not is_known(hit[1]):
            found.take(name, hit[1], *hit.span())
    elif entry.isupper():
        hit = re.search(rf"\b(?:{called(name)})\b[\s=:]*(?:are |is )?([A-Z]{{2,26}})\b", found.rest)
        hit = hit or (_LETTERS.search(found.rest) if len(found.values) == 0 else None)
        if hit is not None:
            found.take(name, hit[hit.re.groups], *hit.span())


_READERS: Mapping[type, Callable[[Described, str, Any], None]] = {list: _list, str: _text}
