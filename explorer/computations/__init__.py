"""Long computations for pages, in processes of their own.

A page begins a computation and looks again later; it never waits long. There are two processes: one
for quick computations, one for those of several seconds. Each has a queue of bounded length, runs
with a lower priority than the server, and has a limit on its memory. A computation ends when its
page no longer looks for it.
"""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.computations.pool import (
    BusyError as BusyError,
    Computation as Computation,
    Computations as Computations,
    finished as finished,
    Lane as Lane,
    computations as computations,
    end_computations as end_computations,
)

__all__, __getattr__, __dir__ = exported(__name__)
