"""How many people one process can serve, derived from how many files it may have open.

A connection is an open file to the operating system, and so is each file of the database. A process
that has no more of them can neither answer nor look anything up, so it never gets there: newcomers
are told to come back while there is still room to tell them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

from nip_core.displays import displayed

__all__ = ["BURST", "SPARE", "Capacity", "capacity", "raise_limit"]

# What the processor carries: a lecture hall has a few hundred people.
MOST_PAGES = 1000
# A page has a session and a line for news. Browsers fetch files over further connections.
LINES = 2
MOST_CONNECTIONS = LINES * MOST_PAGES + 1000
# Open files of our own: the database, the log, programs that are run, requests to models.
OWN = 100
# Connections that are accepted at once, before any of them is looked at.
BURST = 64
# Connections beyond the limit that are answered: health checks, and all others with 503.
SPARE = 50
# Several classes may share an address, and still leave room for people elsewhere.
NEAR_SHARE = 0.7
SCHOOL = 320


@displayed
@dataclass(frozen=True, slots=True)
class Capacity:
    """How much one process serves at a time.

    Parameters
    ----------
    files : int
        How many files it may have open.
    connections : int
        Connections of all kinds.
    pages : int
        Open pages.
    near : int
        Open pages of one network address.
    """

    files: int
    connections: int
    pages: int
    near: int

    @classmethod
    def of(cls, files: int) -> Capacity:
        """What so many files are enough for."""
        free = max(files - OWN - BURST - SPARE, files // 2)
        connections = min(free, MOST_CONNECTIONS)
        pages = max(1, min((connections - connections // 8) // LINES, MOST_PAGES))
        near = max(int(pages * NEAR_SHARE), min(pages, SCHOOL))
        return cls(files, connections, pages, near)

    def told(self) -> str:
        """A line for the operator."""
        said = f"Up to {self.pages:,} pages can be open at a time."
        if self.pages == MOST_PAGES:
            return said
        return (
            f"{said} For more, let this process have more than {self.files:,} files open "
            "(ulimit -n, or LimitNOFILE of systemd)."
        )


# More files than this are of no use.
WANTED = MOST_CONNECTIONS + OWN + BURST + SPARE


def raise_limit() -> int:
    """Let this process have as many files open as it can use, and return how many it may have."""
    if sys.platform == "win32":
        return WANTED
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft == unlimited or soft >= WANTED:
        return WANTED
    raised = WANTED if hard == unlimited else min(hard, WANTED)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    except (OSError, ValueError):
        # Some systems have a lower limit of their own.
        return soft
    return raised


@cache
def capacity() -> Capacity:
    """What this process serves at a time. The first call raises its limit of open files."""
    return Capacity.of(raise_limit())
