"""The process that runs bundled programs: reads requests, a line each, and writes answers.

It is started as a file, with the folder of the library as its argument, and imports little.
"""

from __future__ import annotations

import inspect
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Literal, cast

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

from explorer.programs.programs import NotALiteralError, read_literal
from nip_core.displays import displayed
from nip_core.tasks import problems

# Lines of the program, each time one is reached: the same on every machine, unlike seconds.
MAX_STEPS = 200_000
# The largest whole number that a program is given, and its opposite: what counts up to a larger one
# without reaching a line of the program, as range and the product of a list do, is not stopped by
# the steps. With this one, no bundled program takes a fifth of a second.
MAX_NUMBER = 1_000_000
# Characters of what is returned.
MAX_OUTPUT = 1_000
# Calls that reach no line of the program for so many seconds are ended by the system.
CPU_SECONDS = 1
MEMORY = 512 << 20

# Of a run that is noted step by step, so many are, with so many characters of each value.
MAX_TRACED = 400
MAX_VALUE = 80

SOURCE = "<bundled program>"
READY = "ready"


@displayed
@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of running a program.

    Parameters
    ----------
    kind : str
        ``"returned"`` or ``"raised"``; ``"too long"`` if it was stopped, or was not started because
        of a large number; ``"too large"`` if it was stopped;
        ``"arguments"`` if the function does not take so many; ``"refused"`` if there is no such
        program or no such literal; ``"unavailable"`` if nothing can be run here.
    text : str
        What was returned, as a literal; or the name of the exception.
    """

    kind: Literal[
        "returned", "raised", "too long", "too large", "arguments", "refused", "unavailable"
    ]
    text: str = ""


@displayed
@dataclass(frozen=True, slots=True)
class TraceStep:
    """A line that a program has run, and what it has changed.

    Parameters
    ----------
    line : int
        From 1; 0 for what was given at the beginning.
    changes : tuple of (str, str)
        The names whose values are others than before, and the values as literals.
    """

    line: int
    changes: tuple[tuple[str, str], ...]


class _TooManyStepsError(BaseException):
    """No program catches it by accident."""


class _Steps:
    """Counts the lines that a program reaches, and stops it at the last."""

    def __init__(self, most: int = MAX_STEPS) -> None:
        self.left = most

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != SOURCE:
            return None
        self.left -= 1
        if self.left < 0:
            raise _TooManyStepsError
        return self


class _Traced(_Steps):
    """Notes besides what each line of the called function changes, as far as there is room."""

    def __init__(self, function: str, most: int) -> None:
        super().__init__(most)
        self.function = function
        self.steps: list[TraceStep] = []
        self.known: dict[str, str] = {}
        self.line = 0
        self.frame: FrameType | None = None

    def __call__(self, frame: FrameType, event: str, value: object) -> Any:
        found = super().__call__(frame, event, value)
        if found is None:
            return None
        if self.frame is None and frame.f_code.co_name == self.function:
            self.frame = frame
        if frame is self.frame and event in ("line", "return") and len(self.steps) < MAX_TRACED:
            self._note(frame)
            self.line = frame.f_lineno
        return found

    def _note(self, frame: FrameType) -> None:
        values = {name: _shown(value) for name, value in frame.f_locals.items()}
        changed = [(name, text) for name, text in values.items() if self.known.get(name) != text]
        self.known = values
        self.steps.append(TraceStep(self.line, tuple(changed)))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."


def call(code: CodeType, function: str, arguments: tuple[Any, ...], steps: _Steps) -> Outcome:
    """Run a program from the beginning, so that nothing is left of an earlier run, and call it."""
    names: dict[str, Any] = {"__name__": "bundled"}
    try:
        exec(code, names)
        called: Callable[..., Any] = names[function]
        try:
            inspect.signature(called).bind(*arguments)
        except TypeError:
            return Outcome("arguments")
        before = sys.gettrace()
        sys.settrace(steps)
        try:
            value = called(*arguments)
        finally:
            sys.settrace(before)
        text = repr(value)
    except _TooManyStepsError:
        return Outcome("too long")
    except MemoryError:
        return Outcome("too large")
    except Exception as error:
        return Outcome("raised", type(error).__name__)
    return Outcome("returned", text) if len(text) <= MAX_OUTPUT else Outcome("too large")


def limit_memory() -> None:
    """Lower this process's priority, where the system supports it."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def limit_time() -> None:
    """Have the system end this process after so many further seconds of processor time."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = math.ceil(used.ru_utime + used.ru_stime) + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def answer(
    programs: dict[str, tuple[CodeType, str]],
    request: Any,
    most_steps: int = MAX_STEPS,
    largest: int = MAX_NUMBER,
) -> tuple[Outcome, Sequence[TraceStep]]:
    """Return the outcome of a request, with its steps if they are asked for."""
    try:
        arguments = read_literal(request["arguments"])
    except NotALiteralError:
        return Outcome("refused"), ()
    if request["task"] not in programs or not isinstance(arguments, tuple):
        return Outcome("refused"), ()
    if _has_number_above(largest, cast("object", arguments)):
        return Outcome("too long"), ()
    code, function = programs[request["task"]]
    steps = _Traced(function, most_steps) if request.get("steps") else _Steps(most_steps)
    outcome = call(code, function, cast("tuple[Any, ...]", arguments), steps)
    return outcome, steps.steps if isinstance(steps, _Traced) else ()


def _has_number_above(largest: int, value: object) -> bool:
    """Is there a whole number, at any depth, that a program could count up to for long?"""
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value)
        return any(_has_number_above(largest, each) for each in (*pairs.keys(), *pairs.values()))
    if isinstance(value, list | tuple | set | frozenset):
        parts = cast("Iterable[object]", value)
        return any(_has_number_above(largest, each) for each in parts)
    return isinstance(value, int) and abs(value) > largest


def bundled() -> dict[str, tuple[CodeType, str]]:
    """Return all programs that there are, by the ids of their tasks, and what is called in them."""
    return {
        task.id: (compile(task.solution, SOURCE, "exec"), problem.function)
        for problem in problems()
        for task in (problem.correct, problem.wrong)
    }


def respond(programs: dict[str, tuple[CodeType, str]], request: str) -> tuple[str, bool]:
    """Return the answer to a request, as JSON, and whether this process can go on after it."""
    outcome, steps = answer(programs, json.loads(request))
    noted = [[step.line, step.changes] for step in steps]
    # After that, the memory may be in any state, so the next request gets a new process.
    return json.dumps([outcome.kind, outcome.text, noted]), outcome.kind != "too large"


def main(programs: dict[str, tuple[CodeType, str]]) -> None:
    """Answer requests until the input ends."""
    # What a program may print, or read, is neither an answer nor a request.
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    limit_memory()
    print(READY, file=answers, flush=True)
    for line in requests:
        limit_time()
        answered, goes_on = respond(programs, line)
        print(answered, file=answers, flush=True)
        if not goes_on:
            return


if __name__ == "__main__":
    main(bundled())
