"""A handle on the process that runs bundled programs: kept running, limited, and replaceable."""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import nip_core
from explorer.programs import worker
from explorer.programs.programs import MAX_LITERAL
from explorer.programs.worker import Outcome, TraceStep
from nip_core.displays import line

# Seconds. The process normally ends itself earlier, by its processor time. This is for machines on
# which it cannot do so, or that do not schedule it.
ANSWER_TIMEOUT = 20.0
REMEMBERED = 4_096
# In a browser, a program with fewer steps and smaller numbers runs in the calling worker. Others
# run in a worker of their own, which can be ended.
FEW_STEPS = 20_000
SMALL_NUMBER = 10_000

# Queued instead of a line: the process has ended, or its answer takes too long.
_ENDED = ""
_LATE = "late"

Answer = tuple[Outcome, tuple[TraceStep, ...]]
T = TypeVar("T")
# Takes a request, and returns the answer of another worker, or "" if that had to be ended.
Elsewhere = Callable[[str], Awaitable[str]]


class NotYetRunError(Exception):
    """A program must run in another worker before there is an answer; see :func:`with_programs`."""

    def __init__(self, request: str) -> None:
        super().__init__("A program has to be run elsewhere first.")
        self.request = request


class Runner:
    """Runs bundled programs in a process of its own, which is started when it is first needed.

    Threads may share it; one request is run at a time. Answers are remembered, since programs have
    no other inputs.
    """

    def __init__(self, file: str = worker.__file__) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._late = False
        # A process that cannot start is not tried again for every question.
        self._hopeless = False
        self._known: OrderedDict[str, Answer] = OrderedDict()
        # The number of started processes, and of requests.
        self.started = 0
        self.asked = 0

    def __repr__(self) -> str:
        return line(self, f"{self.asked:,} asked")

    def run(self, task: str, arguments: str) -> Outcome:
        """Run the program of a bundled task, given its id, on arguments: the literal of a tuple."""
        return self._answer({"task": task, "arguments": arguments})[0]

    def changed(self, task: str, arguments: str, change: Sequence[object]) -> Outcome:
        """Run the program of a task with a change; see :mod:`explorer.programs.changes`."""
        return self._answer({"task": task, "arguments": arguments, "change": [*change]})[0]

    def trace(self, task: str, arguments: str) -> Answer:
        """Do the same, and record what each line changes."""
        return self._answer({"task": task, "arguments": arguments, "steps": True})

    def _answer(self, request: dict[str, Any]) -> Answer:
        if len(request["arguments"]) > MAX_LITERAL:
            return Outcome("refused"), ()
        key = json.dumps(request)
        with self._lock:
            if key not in self._known:
                self._late = False
                answer = self._ask(key)
                if self._late or answer[0].kind == "unavailable":
                    # Not remembered, since another attempt may succeed.
                    return answer
                self._known[key] = answer
                if len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
            self._known.move_to_end(key)
            return self._known[key]

    def close(self) -> None:
        """End the process. It is started again if something is to be run."""
        with self._lock:
            self._end()

    def _ask(self, request: str) -> Answer:
        self.asked += 1
        # If the process had ended already after its last answer, this request did not cause that.
        for _ in range(2):
            fresh = self._process is None
            process = self._process or self._start()
            if process is None:
                return Outcome("unavailable"), ()
            line = self._exchange(process, request)
            if line not in (_ENDED, _LATE):
                return _answer_in(line)
            self._end()
            self._late = line == _LATE
            if fresh or self._late:
                break
        return Outcome("too long"), ()

    def _exchange(self, process: subprocess.Popen[str], request: str) -> str:
        assert process.stdin is not None
        try:
            process.stdin.write(f"{request}\n")
            process.stdin.flush()
        except OSError:
            return _ENDED
        return self._line()

    def _line(self) -> str:
        try:
            return self._lines.get(timeout=ANSWER_TIMEOUT)
        except queue.Empty:
            return _LATE

    def _start(self) -> subprocess.Popen[str] | None:
        """Return a ready process; None if none can be started, which is then not tried again."""
        if self._hopeless:
            return None
        library = Path(nip_core.__file__).parent.parent
        self.started += 1
        try:
            # The process gets no part of our environment. The fixed hash seed makes the order of
            # sets the same each time.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-B", self._file, str(library)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                env={"PYTHONHASHSEED": "0", "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")},
                encoding="utf-8",
            )
        except OSError:
            self._hopeless = True
            return None
        self._lines = queue.SimpleQueue()
        reading = (self._process, self._lines)
        threading.Thread(target=_read, args=reading, name="bundled", daemon=True).start()
        if self._line() in (_ENDED, _LATE):
            self._end()
            self._hopeless = True
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            end_process(process)


def end_process(process: subprocess.Popen[Any]) -> None:
    """End a process and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


class InPlace(Runner):
    """Runs bundled programs in this process, for a browser, where no other can be started.

    Steps and arguments are limited as usual.
    """

    elsewhere: Elsewhere | None = None  # runs slow requests in a worker that can be ended

    @cached_property
    def _programs(self) -> dict[str, Any]:
        return worker.bundled()

    def _ask(self, request: str) -> Answer:
        self.asked += 1
        question = json.loads(request)
        if self.elsewhere is None:
            outcome, steps = worker.answer(self._programs, question)
            return outcome, tuple(steps)
        outcome, steps = worker.answer(self._programs, question, FEW_STEPS, SMALL_NUMBER)
        if outcome.kind == "too long":
            raise NotYetRunError(request)
        return outcome, tuple(steps)

    async def run_elsewhere(self, request: str) -> None:
        """Have another worker answer a request, and remember the answer."""
        assert self.elsewhere is not None
        line = await self.elsewhere(request)
        self._known[request] = _answer_in(line) if line else (Outcome("too long"), ())


async def with_programs(work: Callable[[], T]) -> T:
    """Repeat some work each time a program has run in another worker for it.

    The work must not change anything before it has all answers.
    """
    while True:
        try:
            return work()
        except NotYetRunError as error:
            await cast("InPlace", runner()).run_elsewhere(error.request)


def _answer_in(line: str) -> Answer:
    kind, text, steps = json.loads(line)
    noted = (TraceStep(at, tuple(map(tuple, changes))) for at, changes in steps)
    return Outcome(kind, text), tuple(noted)


def _read(process: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
    """Forward the output of a process, and finally report its end."""
    assert process.stdout is not None
    with suppress(OSError, ValueError):
        for line in process.stdout:
            lines.put(line)
    lines.put(_ENDED)


@cache
def runner() -> Runner:
    """Return the runner of this process, which ends with it."""
    if sys.platform == "emscripten":
        return InPlace()
    made = Runner()
    atexit.register(made.close)
    return made
