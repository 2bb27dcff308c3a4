"""What CI does with failed tests: a flake never fails a run, a failure always does."""

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.depth import each, exhaustive
from tests.flaky import faults

ROOT = Path(__file__).parent.parent
FLAKE = """
def test_flaky():
    seen = pathlib.Path("seen")
    if not seen.exists():
        seen.touch()
        assert False, "only now"
"""
# Fails alone too, but not always.
SOMETIMES = """
def test_sometimes():
    seen = pathlib.Path("count")
    count = int(seen.read_text()) if seen.exists() else 0
    seen.write_text(str(count + 1))
    assert count not in (0, 2)
"""
STEADY = """
@pytest.mark.parametrize("number", range({}))
def test_steady(number):
    assert number < 0
"""

BROKEN = """
@pytest.fixture
def broken():
    1 / 0

def test_it(broken):
    pass
"""


def run(folder, *parts, workers=0):
    """Run a suite as CI does; return its exit status, the last line and all lines."""
    code = "import pathlib\nimport pytest\ndef test_fine():\n    pass\n" + "\n".join(parts)
    (folder / "test_it.py").write_text(code, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    options = ["-p", "tests.retrying", "--maxfail=15", "-n", str(workers), "-rfE"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = ran.stdout.splitlines()
    return ran.returncode, lines[-1], lines


def noted(folder):
    file = folder / "reports/flakes.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@exhaustive
def test_a_flake_is_green_and_named(tmp_path):
    status, last, lines = run(tmp_path, FLAKE)
    assert status == 0
    assert "1 passed, 1 flaky" in last
    assert "failed" not in last
    assert any(line.startswith("test_it.py::test_flaky is flaky") for line in lines)
    (note,) = noted(tmp_path)
    assert note["test"] == "test_it.py::test_flaky"
    assert "only now" in note["why"]
    # The second time, the summary says where to list it.
    (tmp_path / "seen").unlink()
    status, _, lines = run(tmp_path, FLAKE)
    assert status == 0
    assert any("tests/flaky.toml" in line for line in lines)
    assert len(noted(tmp_path)) == 2


@exhaustive
def test_what_fails_once_more_is_red_beside_a_flake(tmp_path):
    status, last, lines = run(tmp_path, FLAKE, SOMETIMES, STEADY.format(1), workers=2)
    assert status == 1
    assert "2 failed, 1 passed, 1 flaky" in last
    assert any(line.startswith("FAILED test_it.py::test_steady[0]") for line in lines)
    assert any("test_steady[0] failed again" in line for line in lines)
    assert any("test_sometimes failed again" in line for line in lines)
    assert [note["test"] for note in noted(tmp_path)] == ["test_it.py::test_flaky"]


@exhaustive
def test_more_than_ten_failures_are_not_run_again(tmp_path):
    status, last, lines = run(tmp_path, FLAKE, STEADY.format(10))
    assert (status, noted(tmp_path)) == (1, [])
    assert "11 failed, 1 passed" in last
    assert not any("again" in line for line in lines)


@exhaustive
@pytest.mark.parametrize("workers", [0, 2])
def test_fifteen_failures_stop_a_run(tmp_path, workers):
    status, _, lines = run(tmp_path, STEADY.format(200), workers=workers)
    assert status in (1, 2)
    assert any("stopping after 15 failures" in line for line in lines)
    assert sum(line.startswith("FAILED") for line in lines) < 100


@exhaustive
@pytest.mark.parametrize("code", ["import missing", BROKEN], ids=["import", "fixture"])
def test_what_cannot_be_imported_or_set_up_is_red(tmp_path, code):
    status, last, _ = run(tmp_path, code)
    assert status in (1, 2)
    assert "1 error" in last


TODAY = datetime.date(2026, 12, 1)
GOOD = {"reason": "It reads once.", "until": datetime.date(2026, 12, 31)}
HERE = "tests/test_retrying.py::test_a_flake_is_green_and_named"


@each(
    ("test", "entry", "fault"),
    [
        (HERE, GOOD, None),
        (HERE, {**GOOD, "until": TODAY}, None),
        (HERE, {**GOOD, "until": datetime.date(2026, 11, 30)}, "was to be repaired by 2026-11-30"),
        (HERE, {**GOOD, "until": datetime.date(2027, 3, 1)}, "within 42 days"),
        (HERE, {**GOOD, "until": "soon"}, "needs a last day"),
        (HERE, {**GOOD, "reason": " "}, "needs a reason"),
        ("tests/test_retrying.py::test_gone", GOOD, "does not exist"),
        ("tests/play/test_noninterference.py::TASKS", GOOD, "must not be flaky"),
        ("tests/explorer/storage/test_kills.py::KILLS", GOOD, "must not be flaky"),
    ],
)
def test_entries_of_the_list(test, entry, fault):
    found = faults({test: entry}, TODAY)
    assert len(found) == (fault is not None)
    assert fault is None or fault in found[0]
