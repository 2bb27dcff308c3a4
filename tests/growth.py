"""What something costs, so that growth can be compared: a busy machine's clock says nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["megabytes", "seconds"]

ROOT = Path(__file__).parent.parent

# On Linux getrusage starts from what the process was that started this one: its own growth would
# be hidden behind that.
_LARGEST = """
import pathlib, resource
def largest():
    status = pathlib.Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(status.read_text().partition("VmHWM:")[2].split()[0])
"""


def seconds(do: Callable[[], object], tries: int = 3) -> float:
    """The processor's time for something, the best of some tries."""
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        do()
        best = min(best, time.process_time() - start)
    return best


def megabytes(before: str, code: str) -> tuple[float, str]:
    """What code adds to a new process's largest memory, and what it prints.

    Parameters
    ----------
    before : str
        What does not count: imports, and making the input.
    code : str
    """
    text = f"{_LARGEST}\n{before}\nstart = largest()\n{code}\nprint(largest() - start)"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    *said, kilobytes = done.stdout.splitlines()
    return int(kilobytes) / 1e3, "\n".join(said)
