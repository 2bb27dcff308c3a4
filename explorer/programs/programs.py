"""The bundled programs, and the reader of Python literals, which may come from anybody."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from nip_core.displays import displayed
from nip_core.documents import python_literal, python_tree
from nip_core.tasks import Statement, Task, problems

MAX_LITERAL = 1_000
MAX_DEPTH = 20


class NotALiteralError(ValueError):
    """A text is not a Python literal, or is too large."""


def read_literal(text: str) -> Any:
    """Return the value that a literal stands for, or raise a NotALiteralError."""
    if len(text) > MAX_LITERAL:
        raise NotALiteralError(f"It has more than {MAX_LITERAL:,} characters.")
    depth = deepest = 0
    for character in text:
        # Brackets within strings count too: no real question has a literal with so many.
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise NotALiteralError(f"It is nested more than {MAX_DEPTH} deep.")
    try:
        return python_literal(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise NotALiteralError("It is not a Python literal.") from None


def arguments_of(text: str) -> tuple[Any, ...]:
    """Return the arguments between the brackets of a call, such as ``"[1, 2], 3"``.

    A NotALiteralError says that they are not literals.
    """
    if not text.strip():
        return ()
    value = read_literal(f"({text.strip().rstrip(',')},)")
    if not isinstance(value, tuple):
        raise NotALiteralError("These are not arguments.")
    return cast("tuple[Any, ...]", value)


# The longest example, in characters, that a person can follow by hand.
SHORT = 40


@displayed
@dataclass(frozen=True, slots=True)
class Program:
    """A bundled program. It does not say whether it is right."""

    task: str  # the id of its task
    function: str  # the function that is called
    parameters: tuple[str, ...]
    kinds: tuple[type, ...]  # the types of the arguments in an example
    example: tuple[Any, ...]  # the arguments of a simple example from the problem
    # The ids of the problem's two tasks: first with the wrong program, then with the right one. A
    # statement does not reveal which of them it is about.
    by_verdict: tuple[str, str] = field(repr=False)


def program_of(statement: Statement) -> Program | None:
    """Return the bundled program that a statement is about; None for any other statement.

    The id is a digest of the public part of the task. The text is compared as well, so that only
    exactly the bundled text stands for the bundled program.
    """
    bundled = _bundled().get(statement.id)
    if bundled is None:
        return None
    task, program = bundled
    same = (task.kind, task.question, task.solution)
    return program if same == (statement.kind, statement.question, statement.solution) else None


@cache
def _bundled() -> dict[str, tuple[Task, Program]]:
    bundled: dict[str, tuple[Task, Program]] = {}
    for problem in problems():
        by_verdict = (problem.wrong.id, problem.correct.id)
        kinds = tuple(map(_kind, problem.cases[0].values()[0]))
        example = _example([tuple(case.values()[0]) for case in problem.cases])
        for task in (problem.wrong, problem.correct):
            parameters = _parameters(task.solution, problem.function)
            program = Program(task.id, problem.function, parameters, kinds, example, by_verdict)
            bundled[task.id] = task, program
    return bundled


def _example(inputs: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the longest input that is short enough to follow and has no empty part."""
    plain = [i for i in inputs if all(value not in ([], "", {}, ()) for value in i)]
    short = [i for i in plain if len(repr(i)) <= SHORT]
    return max(short, key=lambda i: len(repr(i)), default=(plain or inputs)[0])


def source_of(task: str) -> str:
    """Return the source of a bundled task's program."""
    return _bundled()[task][0].solution


def _kind(value: object) -> type:
    return type(value)


def _parameters(source: str, function: str) -> tuple[str, ...]:
    for node in python_tree(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return tuple(argument.arg for argument in node.args.args)
    raise AssertionError(f"{function} is not defined")
