"""Inputs that people describe in words: an empty list, equal entries, an odd number, three of them.

`words.toml` says how people speak of each sort; here is which inputs are of it, and how an input is
changed so that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any, cast

from explorer.players.scripted.code import Arguments, Code, numbers_in
from explorer.players.scripted.prose import COUNTS, NUMBER, called, filled, words

# The most inputs of a sort that are tried.
MOST = 40
# From how many characters on a parameter's name does not belong to what describes a sort.
FAR = 24
_COUNTED = re.compile(
    rf"(?<!of )\b({NUMBER}) (?!times|or\b|to\b)(?:[a-z]+ )?(?:[a-z]{{3,}}s|people)\b", re.IGNORECASE
)
NUMBERS = (int, float)


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of inputs: its name, the parameter that it is about if one is named, and how many."""

    name: str
    place: int | None = None
    count: int = 0

    @property
    def says(self) -> str:
        """The sort in words, as in "with equal entries"."""
        return f"with {self.count} entries" if self.count else _sorts()[self.name]["says"]


@cache
def _sorts() -> Mapping[str, Mapping[str, str]]:
    return {each["name"]: each for each in words()["sort"]}


def described_sorts(text: str, code: Code) -> tuple[Sort, ...]:
    """Return the sorts of inputs that a text describes."""
    found = [
        Sort(name, None if name == "equal" else _place(text, hit, code))
        for name, each in _sorts().items()
        if (hit := re.search(rf"\b(?:{each['asked']})\b", text, re.IGNORECASE))
    ]
    names = {each.name for each in found}
    hit = _COUNTED.search(text)
    if hit is not None:
        word, place = hit[1].lower(), _place(text, hit, code)
        count = COUNTS.index(word) if word in COUNTS else int(word)
        # A number of things that are no parameter is a detail of another sort.
        if 1 < count <= 12 and (place is not None or names):
            found.append(Sort("count", place, count))
    told = {"distinct": ("twice", "empty"), "equal": ("twice",)}
    besides = {name for each in names for name in told.get(each, ())}
    return tuple(each for each in found if each.name not in besides)


def _place(text: str, hit: re.Match[str], code: Code) -> int | None:
    """Return the parameter whose name stands beside what describes a sort."""
    near = [
        (max(found.start() - hit.end(), hit.start() - found.end()), n)
        for n, name in enumerate(code.program.parameters)
        for found in re.finditer(rf"\b(?:{called(name)})\b", text)
    ]
    distance, place = min(near, default=(FAR + 1, 0))
    return place if distance <= FAR else None


def inputs_of(
    sorts: Sequence[Sort], code: Code, given: Mapping[str, Any] | None = None
) -> tuple[tuple[Sort, ...], tuple[Arguments, ...]]:
    """Return inputs of some sorts for which the question promises something, and these sorts.

    An example that was changed for them comes first. Where no input is of all sorts, those that
    were found last are left out.
    """
    for most in range(len(sorts), 0, -1):
        taken = tuple(sorts[:most])
        for each in (taken, tuple(replace(sort, place=None) for sort in taken)):
            if found := tuple(_inputs_of(each, code, given or {})):
                return each, found
    return (), tuple(_inputs_of((), code, given)) if given else ()


def _inputs_of(sorts: Sequence[Sort], code: Code, given: Mapping[str, Any]) -> Iterator[Arguments]:
    seen: set[str] = set()
    known = (code.program.example, *code.inputs)
    for each in (*known, *(near for one in known for near in code.near(one))):
        for changed in (each, _made_for(sorts, each)):
            taken = filled(given, changed, code)
            if repr(taken) not in seen and len(seen) < MOST:
                of_all = all(is_of(sort, taken) for sort in sorts)
                if of_all and _fits(taken, code):
                    seen.add(repr(taken))
                    yield taken


def _fits(arguments: Arguments, code: Code) -> bool:
    return code.expects(arguments) and code.right(arguments).kind == "returned"


def _made_for(sorts: Sequence[Sort], arguments: Arguments) -> Arguments:
    for sort in sorts:
        arguments = made(sort, arguments)
    return arguments


# -- which inputs are of a sort --------------------------------------------------------------------


def is_of(sort: Sort, arguments: Arguments) -> bool:
    """Return whether an input is of a sort."""
    meant = arguments if sort.place is None else (arguments[sort.place],)
    lengths = [len(cast("Any", value)) for value in meant if isinstance(value, list | str | dict)]
    rows, numbers = [*_rows(meant)], [*numbers_in(meant)]
    match sort.name:
        case "empty":
            return 0 in (lengths or numbers)
        case "one":
            return 1 in (lengths or numbers)
        case "count":
            return sort.count in lengths or (sort.place is not None and sort.count in meant)
        case "same":
            return any(len(row) > 1 and all(each == row[0] for each in row) for row in rows)
        case "twice":
            return any(_repeats(row) for row in rows)
        case "distinct":
            return any(len(row) > 1 for row in rows) and not any(_repeats(row) for row in rows)
        case "rising" | "falling":
            step = -1 if sort.name == "falling" else 1
            return any(len(row) > 1 and _in_order(row[::step]) for row in rows)
        case "negative":
            return any(number < 0 for number in numbers)
        case "zero":
            return 0 in numbers
        case "odd" | "even":
            plain = [value for value in meant if type(value) is int]
            return any(n % 2 == (sort.name == "odd") for n in plain or lengths)
        case "equal":
            return any(one == other for n, one in enumerate(meant) for other in meant[:n])
        case "itself":
            return any(len({*map(repr, entry)}) < len(entry) for entry in _entries(meant))
        case _:
            return max(lengths, default=0) >= 30 or max(numbers, default=0) >= 1_000


def _in_order(row: Sequence[Any]) -> bool:
    same = all(type(each) is type(row[0]) for each in row)
    return same and all(a <= b for a, b in pairwise(row))


def _repeats(row: Sequence[Any]) -> bool:
    return len({*map(repr, row)}) < len(row)


def _entries(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the entries of lists and dictionaries that have parts themselves."""
    for value in values:
        if isinstance(value, dict):
            yield from _entries(([*cast("dict[Any, Any]", value).values()],))
        elif isinstance(value, list):
            yield from (each for each in cast("list[Any]", value) if isinstance(each, list | tuple))


def _rows(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield what is compared: the entries of a list or a text, or the same part of all entries."""
    entries = [*_entries(values)]
    yield from ([*column] for column in zip(*entries, strict=False))
    lists = [cast("list[Any]", value) for value in values if isinstance(value, list)]
    if len(lists) > 1:
        yield [each for row in lists for each in row]
    for value in values:
        if isinstance(value, dict):
            yield [*cast("dict[Any, Any]", value).values()]
        elif isinstance(value, list | str) and not entries:
            yield [*cast("list[Any]", value)]


# -- how an input becomes one ----------------------------------------------------------------------


def made(sort: Sort, arguments: Arguments) -> Arguments:
    """Return an input that is changed so that it is of a sort, where that can be done."""
    if sort.name == "equal":
        for n, value in enumerate(arguments):
            for other in arguments[:n]:
                if type(other) is type(value):
                    return _with(arguments, n, other)
        return arguments
    numbers = [n for n, value in enumerate(arguments) if type(value) in NUMBERS]
    rows = [n for kind in (list, dict, str) for n, v in enumerate(arguments) if isinstance(v, kind)]
    of_number = sort.place in numbers or (sort.place is None and not rows)
    if of_number and numbers:
        place = sort.place if sort.place is not None else numbers[0]
        number = _number(sort, arguments[place])
        return arguments if number is None else _with(arguments, place, number)
    place = sort.place if sort.place in rows else next(iter(rows), None)
    if place is None:
        return arguments
    try:
        if sort.name == "twice" and sort.place is None and len(rows) > 1:
            # What stands in both of two lists.
            first, second = (arguments[n] for n in rows[:2])
            return _with(arguments, rows[1], sorted(first[:1] + second))
        return _with(arguments, place, _row(sort, arguments[place]))
    except (TypeError, ValueError, IndexError):
        return arguments


def _with(arguments: Arguments, place: int, value: Any) -> Arguments:
    return (*arguments[:place], value, *arguments[place + 1 :])


def _number(sort: Sort, value: Any) -> Any:
    fixed = {"zero": 0, "empty": 0, "one": 1, "large": 10_000, "count": sort.count}
    if sort.name in ("odd", "even"):
        return value if value % 2 == (sort.name == "odd") else value + 1
    return -abs(value) or -1 if sort.name == "negative" else fixed.get(sort.name)


def _row(sort: Sort, value: Any) -> Any:
    if isinstance(value, dict):
        kept = {"empty": 0, "one": 1, "count": sort.count}.get(sort.name)
        return dict([*cast("dict[Any, Any]", value).items()][:kept])
    match sort.name:
        case "empty":
            return value[:0]
        case "one":
            return value[:1]
        case "count" if value:
            return (value * sort.count)[: sort.count]
        case "same":
            return value[:1] * max(2, len(value))
        case "twice":
            return value[:1] + value
        case "distinct":
            kept = [each for n, each in enumerate(value) if each not in value[:n]]
            return "".join(kept) if isinstance(value, str) else kept
        case "large":
            return (value * 40)[:40]
        case "zero":
            return [0] * len(value) if all(isinstance(x, int) for x in value) else value
        case "negative":
            return [-abs(x) for x in value]
        case "odd" | "even":
            return value if len(value) % 2 == (sort.name == "odd") else value[:1] + value
        case "itself":
            first = [value[0][0], *value[0][:1], *value[0][2:]]
            return [type(value[0])(first), *value[1:]]
        case "rising" | "falling":
            row = sorted(value, reverse=sort.name == "falling")
            return "".join(row) if isinstance(value, str) else row
        case _:
            return value
