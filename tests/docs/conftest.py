"""The documentation site, built once for all tests of a process."""

import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Built(NamedTuple):
    """A built site, what the command printed, and the seconds of processor time."""

    site: Path
    status: int
    printed: str
    seconds: float


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    out = tmp_path_factory.mktemp("docs")
    before = processor_seconds()
    command = [sys.executable, "-m", "docs._ext.build", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    seconds = processor_seconds() - before
    return Built(out / "html", done.returncode, done.stdout + done.stderr, seconds)
