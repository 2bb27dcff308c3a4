"""Running bundled programs, and only those, on inputs from anybody.

A request names a bundled task by its id, and the process that runs the program reads it from the
library: it receives only an id and a literal, never code. Memory and steps are limited, and one
request runs at a time.
"""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.programs.changes import (
    OPERATORS as OPERATORS,
    is_own as is_own,
    place_of as place_of,
)
from explorer.programs.programs import (
    MAX_DEPTH as MAX_DEPTH,
    MAX_LITERAL as MAX_LITERAL,
    NotALiteralError as NotALiteralError,
    Program as Program,
    arguments_of as arguments_of,
    program_of as program_of,
    read_literal as read_literal,
    source_of as source_of,
)
from explorer.programs.runner import (
    InPlace as InPlace,
    NotYetRunError as NotYetRunError,
    Runner as Runner,
    end_process as end_process,
    runner as runner,
    with_programs as with_programs,
)
from explorer.programs.worker import (
    MAX_OUTPUT as MAX_OUTPUT,
    MAX_STEPS as MAX_STEPS,
    Outcome as Outcome,
    TraceStep as TraceStep,
    bundled as bundled,
    respond as respond,
)

__all__, __getattr__, __dir__ = exported(__name__)
