"""The case of a bundled program: what it returns, what would be right, and which inputs tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeVar, cast

from explorer.programs import Outcome, Program, program_of, runner
from nip_core.tasks import Problem, Statement, problems

Arguments = tuple[Any, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Code:
    """What somebody knows who knows a bundled program, its right version and its wrong one.

    Programs are run in the process for programs, by the ids of their tasks.
    """

    program: Program
    problem: Problem

    @cached_property
    def inputs(self) -> tuple[Arguments, ...]:
        """The inputs that come with the problem."""
        return tuple(tuple(case.values()[0]) for case in self.problem.cases)

    @cached_property
    def unusual(self) -> frozenset[str]:
        """Those of them that a quick reader would not try, as literals."""
        return frozenset(
            repr(tuple(case.values()[0])) for case in self.problem.cases if not case.obvious
        )

    def notes(self, stance: int) -> dict[str, str]:
        """Return what a prover with this stance knows to say to further questions."""
        version = int(self.program.task == self.program.by_verdict[1])
        return {note.asks[0]: note.answers[2 * version + stance] for note in self.problem.notes}

    def version(self, stance: int) -> str:
        """Return the id of the version that a prover with this stance describes."""
        return self.program.by_verdict[stance]

    def outcome(self, arguments: Arguments, version: str | None = None) -> Outcome:
        """Return what a version returns for an input, by default the one on the table."""
        return runner().run(version or self.program.task, repr(arguments))

    def right(self, arguments: Arguments) -> Outcome:
        """Return what would be right for an input."""
        return self.outcome(arguments, self.program.by_verdict[1])

    def is_wrong(self, arguments: Arguments) -> bool:
        """Return whether the program on the table returns something else than would be right."""
        return self.outcome(arguments) != self.right(arguments)

    def call(self, arguments: Sequence[Any]) -> str:
        """Return the call of an input, as it is written in messages."""
        return f"{self.program.function}({', '.join(map(repr, arguments))})"

    @cached_property
    def _least(self) -> tuple[float, ...]:
        """The least number, or the least length, of each argument of the problem's inputs."""
        columns = zip(*(*self.inputs, self.program.example), strict=True)
        return tuple(min(map(_amount, column)) for column in columns)

    def promises(self, arguments: Arguments) -> bool:
        """Return whether the question may promise something for an input.

        It does not for an empty list where no input of the problem has one, and so on.
        """
        pairs = zip(arguments, self._least, strict=True)
        return all(least > 1 or _amount(value) >= least for value, least in pairs)

    @cached_property
    def _habits(self) -> tuple[frozenset[str], ...]:
        """What holds of each argument in all inputs: that it rises, or that nothing repeats."""
        columns = [*zip(*(*self.inputs, self.program.example), strict=True)]
        return tuple(_shared([_habits(value) for value in column]) for column in columns)

    def expects(self, arguments: Arguments) -> bool:
        """Return whether the question may promise something, and no habit of its inputs is broken.

        Minutes that rise in all inputs of the problem are never given in another order.
        """
        pairs = zip(arguments, self._habits, strict=True)
        kept = all(habits <= _habits(value) for value, habits in pairs)
        return self.promises(arguments) and kept and self._within <= _within(arguments)

    @cached_property
    def _within(self) -> frozenset[tuple[int, int]]:
        """Which numbers are at most the length of which lists, in all inputs of the problem."""
        return _shared([_within(each) for each in (self.program.example, *self.inputs)])

    def near(self, arguments: Arguments) -> list[Arguments]:
        """Return inputs that differ from one in a single entry or number."""
        found: list[Arguments] = []
        for place, value in enumerate(arguments):
            others: list[Any] = []
            if isinstance(value, list | str) and value:
                row = cast("Any", value)
                others = [row[1:], row[:-1], row + row[-1:], row[::-1]]
            elif isinstance(value, int) and not isinstance(value, bool):
                others = [value + 1, max(0, value - 1)]
            found += [
                (*arguments[:place], other, *arguments[place + 1 :])
                for other in others
                if other != value
            ]
        return [each for each in found if self.expects(each)]


def _habits(value: Any) -> frozenset[str]:
    """Return whether numbers are positive, a list rises, and which parts never repeat."""
    numbers = [*numbers_in(value)]
    # A number alone may be 0, even if it is not in any input of the problem.
    bounds = (-1, 0) if isinstance(value, list) else (-1,)
    signs = {f"above {least}" for least in bounds if all(n > least for n in numbers)}
    if not isinstance(value, list):
        return frozenset(signs)
    row = cast("list[Any]", value)
    parts = [[*map(repr, part)] for part in zip(*row, strict=False)] if _has_parts(row) else []
    found = signs | {f"part {n}" for n, part in enumerate(parts) if len({*part}) == len(part)}
    found |= {f"part {n}" for n in range(4) if len(row) < 2}
    found |= {"whole"} if len({*map(repr, row)}) == len(row) else set()
    plain = all(isinstance(each, int | tuple) for each in row)
    return frozenset(found | ({"rises"} if plain and _rises(row) else set()))


def _rises(row: list[Any]) -> bool:
    try:
        return row == sorted(row)
    except TypeError:
        # A text where others have a number.
        return False


def _shared(sets: Sequence[frozenset[T]]) -> frozenset[T]:
    return sets[0].intersection(*sets[1:])


def _within(arguments: Arguments) -> frozenset[tuple[int, int]]:
    numbers = [(n, value) for n, value in enumerate(arguments) if type(value) is int]
    rows = [(n, cast("list[Any]", v)) for n, v in enumerate(arguments) if isinstance(v, list)]
    sized = [(n, len(row)) for n, row in rows]
    return frozenset((n, m) for n, value in numbers for m, size in sized if value <= size)


def numbers_in(value: Any) -> Iterator[int | float]:
    """Yield the numbers in a value, at any depth."""
    if isinstance(value, dict):
        yield from numbers_in([*cast("dict[Any, Any]", value).values()])
    elif isinstance(value, list | tuple):
        for each in cast("list[Any]", value):
            yield from numbers_in(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _has_parts(row: list[Any]) -> bool:
    return bool(row) and all(isinstance(each, tuple | list) for each in row)


def _amount(value: Any) -> int | float:
    """Return a number, or the length of what has one; the sizes of others do not matter."""
    if isinstance(value, list | str | dict):
        return len(cast("Any", value))
    return value if isinstance(value, int | float) else 0


def code_of(statement: Statement) -> Code | None:
    """Return the case of a statement about a bundled program; None for all others."""
    program = program_of(statement)
    return None if program is None else Code(program, _problems()[statement.question])


@cache
def _problems() -> Mapping[str, Problem]:
    """Return the problems by their question, which both versions of a problem share."""
    return {problem.correct.question: problem for problem in problems()}
