"""The documentation site, built once for all tests."""

import fcntl
import json
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
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Built:
    """Build the site, once for all processes of the tests."""
    base = tmp_path_factory.getbasetemp()
    out = (base if worker_id == "master" else base.parent) / "documentation"
    out.mkdir(exist_ok=True)
    note = out / "built.json"
    with (out / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not note.exists():
            note.write_text(json.dumps(build(out)))
    return Built(out / "html", *json.loads(note.read_text()))


def build(out: Path) -> tuple[int, str, float]:
    before = processor_seconds()
    command = [sys.executable, "-m", "docs._ext.build", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr, processor_seconds() - before
