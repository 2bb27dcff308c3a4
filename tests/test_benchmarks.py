"""The measurements still run: in a tiny form, which says nothing about speed."""

import inspect
import json
import math
import re
from pathlib import Path

from benchmarks.timing import best_seconds, show, tiny
from tests.depth import each, exhaustive
from tests.later import later

# It imports torch.
benchmarks = later("benchmarks.__main__")

ROOT = Path(__file__).parent.parent
# These start browsers, notebooks, or Inspect, which takes longest.
LARGE = (
    *("asking models", "schedule clicks", "moves at the table", "start", "the static site"),
    "notebook",
)


@exhaustive
@each("name", lambda: [name for name in benchmarks.MEASUREMENTS if name not in LARGE])
def test_it_runs(name):
    with tiny():
        rows = list(benchmarks.measurement(name)())
    assert rows
    for row in rows:
        assert all(isinstance(key, str) for key in row)
        numbers = [value for value in row.values() if isinstance(value, float | int)]
        assert any(value > 0 for value in numbers), row
        assert all(value >= 0 and not math.isinf(value) for value in numbers), row
        assert show(row)
        json.dumps(row)


@exhaustive
@each("name", LARGE)
def test_it_is_there(name):
    assert not inspect.signature(benchmarks.measurement(name)).parameters


def test_all_are_named():
    """`make bench` would not run a measurement that is not listed."""
    found = {
        f"{path.stem}.{name}"
        for path in (ROOT / "benchmarks").glob("[!_]*.py")
        for name in re.findall(r"^def (measure\w*)\(", path.read_text("utf-8"), re.MULTILINE)
    }
    assert found == set(benchmarks.MEASUREMENTS.values())
    assert {*LARGE} <= benchmarks.MEASUREMENTS.keys()


def test_the_tiny_form_is_left_again():
    calls = []
    with tiny():
        best_seconds(lambda: calls.append(1))
        assert len(calls) == 2
    best_seconds(lambda: calls.append(1), rounds=2, at_least=0)
    assert len(calls) == 2 + 2 + 2
