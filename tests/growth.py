"""Costs that can be compared for different sizes: not the wall clock, which is unreliable on a busy
machine.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["megabytes", "seconds"]

ROOT = Path(__file__).parent.parent

# On Linux, getrusage starts with the peak of the process that started this one, which would hide
# its own growth.
_LARGEST = """
import pathlib, resource
def largest():
    status = pathlib.Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(status.read_text().partition("VmHWM:")[2].split()[0])
"""


def seconds(do: Callable[[], object], tries: int = 3) -> float:
    """Return the shortest processor time of several runs."""
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        do()
        best = min(best, time.process_time() - start)
    return best


def megabytes(before: str, code: str) -> tuple[float, str]:
    """Return how much code adds to the peak memory of a new process, and its output.

    Parameters
    ----------
    before : str
        Code that does not count: imports, and making the input.
    code : str
    """
    text = f"{_LARGEST}\n{before}\nstart = largest()\n{code}\nprint(largest() - start)"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    *said, kilobytes = done.stdout.splitlines()
    return int(kilobytes) / 1e3, "\n".join(said)
