"""The process that computes: reads requests, and writes each result as soon as it has it.

It is started as a script with the library's folder as its argument.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, BinaryIO

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

MEMORY = 3 << 30
# Lower than the server's, so that pages get the processor first.
NICENESS = 10
READY, RESULT, END, FAILED = "ready", "result", "end", "failed"
SIZE = struct.Struct(">I")


def write(stream: BinaryIO, message: object) -> None:
    """Write a message, with its length before it."""
    content = pickle.dumps(message)
    stream.write(SIZE.pack(len(content)) + content)
    stream.flush()


def read(stream: BinaryIO) -> Any:
    """Return the next message; raise an EOFError if there is none.

    Both ends of the stream are programs of ours.
    """
    head = stream.read(SIZE.size)
    content = stream.read(SIZE.unpack(head)[0]) if len(head) == SIZE.size else b""
    if not content:
        raise EOFError
    return pickle.loads(content)


def function_of(name: str) -> Callable[..., Iterator[Any]]:
    """Return a function by its module and name: ``"explorer.rewards.chance:by_chance"``."""
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


def limit() -> None:
    """Limit this process's memory, and give the server precedence, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(NICENESS)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Compute what is asked for until the input ends; a number alone cancels its computation."""
    waiting: list[tuple[int, str, tuple[Any, ...]]] = []
    flags: dict[int, threading.Event] = {}
    more = threading.Semaphore(0)

    def follow() -> None:
        try:
            while True:
                request = read(requests)
                if isinstance(request, int):
                    if flag := flags.get(request):
                        flag.set()
                else:
                    flags[request[0]] = threading.Event()
                    waiting.append(request)
                    more.release()
        except (EOFError, OSError):
            os._exit(0)

    threading.Thread(target=follow, name="requests", daemon=True).start()
    write(answers, (0, READY, None))
    while True:
        more.acquire()
        number, name, arguments = waiting.pop(0)
        try:
            for result in function_of(name)(*arguments, cancelled=flags[number]):
                write(answers, (number, RESULT, result))
            write(answers, (number, END, None))
        except Exception as error:
            write(answers, (number, FAILED, str(error)))
        del flags[number]


def main() -> None:
    """Serve the program that has started this one."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # Nothing that is printed may be read as an answer.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    limit()
    # Loaded before the first request, which then is answered sooner.
    for module in sys.argv[2:]:
        import_module(module)
    serve(requests, answers)


if __name__ == "__main__":
    main()
