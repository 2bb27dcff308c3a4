"""Running bundled programs, and nothing else, on inputs that anybody may have written.

What is run is named by the id of a bundled task, and the program is read from the library by the
process that runs it: no code ever reaches it from outside, an id and a literal do. It has little
memory, a bounded number of steps, and one request at a time.
"""

from __future__ import annotations

from explorer.lazy import exported
from explorer.programs.programs import (
    MAX_DEPTH,
    MAX_LITERAL,
    NotALiteralError,
    Program,
    arguments_of,
    program_of,
    read_literal,
    source_of,
)
from explorer.programs.runner import InPlace, NotYetRunError, Runner, runner, with_programs
from explorer.programs.worker import MAX_OUTPUT, MAX_STEPS, Outcome, TraceStep, bundled, respond

__all__, __getattr__, __dir__ = exported(__name__)
