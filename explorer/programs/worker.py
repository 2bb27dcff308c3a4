"""The process that runs bundled programs: reads requests, a line each, and writes answers.

It is started as a script with the library's folder as its argument, and imports little.
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

from explorer.programs.changes import changed
from explorer.programs.programs import NotALiteralError, read_literal, source_of
from nip_core.displays import displayed
from nip_core.tasks import problems

# The limit of steps, in reached lines of the program: unlike seconds, the same on every machine.
MAX_STEPS = 200_000
# The largest absolute value of an integer argument. A built-in such as `range` that counts up to a
# large number reaches no line of the program, so the limit of steps does not stop it. With this
# value, every bundled program takes less than a fifth of a second.
MAX_NUMBER = 1_000_000
# The longest returned text in characters.
MAX_OUTPUT = 1_000
# The system ends calls that reach no line of the program for this many seconds.
CPU_SECONDS = 1
MEMORY = 512 << 20

# The most steps that are recorded, and the most characters of each value in them.
MAX_TRACED = 400
MAX_VALUE = 80

SOURCE = "<bundled program>"
READY = "ready"


@displayed
@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of running a program."""

    kind: Literal[
        "returned",
        "raised",
        "too long",  # it was stopped, or was not started because of a large number
        "too large",  # it was stopped
        "arguments",  # their number is wrong
        "refused",  # the program is unknown, or the literal is invalid
        "unavailable",  # nothing can be run here
    ]
    text: str = ""  # what was returned, as a literal; or the name of the exception


@displayed
@dataclass(frozen=True, slots=True)
class TraceStep:
    """A line that a program has run, and what it has changed."""

    line: int  # from 1; 0 for the arguments
    changes: tuple[tuple[str, str], ...]  # the changed names, with their new values as literals


class _TooManyStepsError(BaseException):
    """Raised at the limit of steps. Not an Exception, so that programs do not catch it."""


class _Steps:
    """Counts the lines that a program reaches, and stops it at the limit."""

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
    """Also records what each line of the called function changes, within a limit."""

    def __init__(self, function: str, most: int) -> None:
        super().__init__(most)
        self.function = function
        self.steps: list[TraceStep] = []
        self.known: dict[str, str] = {}
        self.line = 0
        self.frame: FrameType | None = None

    def __call__(self, frame: FrameType, event: str, value: object) -> Any:
        tracer = super().__call__(frame, event, value)
        if tracer is None:
            return None
        if self.frame is None and frame.f_code.co_name == self.function:
            self.frame = frame
        if frame is self.frame and event in ("line", "return") and len(self.steps) < MAX_TRACED:
            self._note(frame)
            self.line = frame.f_lineno
        return tracer

    def _note(self, frame: FrameType) -> None:
        values = {name: _shown(value) for name, value in frame.f_locals.items()}
        changed = [(name, text) for name, text in values.items() if self.known.get(name) != text]
        self.known = values
        self.steps.append(TraceStep(self.line, tuple(changed)))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."


def call(code: CodeType, function: str, arguments: tuple[Any, ...], steps: _Steps) -> Outcome:
    """Run a program from its beginning, so that nothing of an earlier run remains, and call it."""
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
    """Limit this process's memory, where the system supports it; it also writes no files."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def limit_time() -> None:
    """Have the system end this process after this many further seconds of processor time."""
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
    """Return the outcome of a request, with its steps if they are requested."""
    try:
        arguments = read_literal(request["arguments"])
    except NotALiteralError:
        return Outcome("refused"), ()
    if request["task"] not in programs or not isinstance(arguments, tuple):
        return Outcome("refused"), ()
    if _has_number_above(largest, cast("object", arguments)):
        return Outcome("too long"), ()
    code, function = programs[request["task"]]
    if "change" in request:
        made = changed(source_of(request["task"]), request["change"])
        if made is None:
            return Outcome("refused"), ()
        code = compile(made, SOURCE, "exec")
    steps = _Traced(function, most_steps) if request.get("steps") else _Steps(most_steps)
    outcome = call(code, function, cast("tuple[Any, ...]", arguments), steps)
    return outcome, steps.steps if isinstance(steps, _Traced) else ()


def _has_number_above(largest: int, value: object) -> bool:
    """Return whether a value contains, at any depth, an integer too large to count up to."""
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value)
        return any(_has_number_above(largest, part) for part in (*pairs.keys(), *pairs.values()))
    if isinstance(value, list | tuple | set | frozenset):
        parts = cast("Iterable[object]", value)
        return any(_has_number_above(largest, part) for part in parts)
    return isinstance(value, int) and abs(value) > largest


def bundled() -> dict[str, tuple[CodeType, str]]:
    """Return all bundled programs, with the names of their functions, by task id."""
    return {
        task.id: (compile(task.solution, SOURCE, "exec"), problem.function)
        for problem in problems()
        for task in (problem.correct, problem.wrong)
    }


def respond(programs: dict[str, tuple[CodeType, str]], request: str) -> tuple[str, bool]:
    """Return the answer to a request, as JSON, and whether this process can go on after it."""
    outcome, steps = answer(programs, json.loads(request))
    noted = [[step.line, step.changes] for step in steps]
    # After that, the state of the memory is uncertain, so the next request gets a new process.
    return json.dumps([outcome.kind, outcome.text, noted]), outcome.kind != "too large"


def main(programs: dict[str, tuple[CodeType, str]]) -> None:
    """Answer requests until the input ends."""
    # The program's own output must not be read as an answer, and it must not read requests.
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
