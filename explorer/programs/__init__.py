"""Running bundled programs, and only those, on inputs from anybody.

A request names a bundled task by its id, and the process that runs the program reads it from the
library: it receives only an id and a literal, never code. Memory and steps are limited, and one
request runs at a time.
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
