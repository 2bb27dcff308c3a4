"""Run every measurement, print a table, and write one JSON file that can be compared.

python -m benchmarks                            all of them; `make bench` does that
python -m benchmarks stepping "a room of sixty"
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from benchmarks.timing import show

RESULTS = Path(__file__).parent / "results"

# Each is a function of a module here that yields its rows, and skips what this machine cannot do.
MEASUREMENTS = {
    "construction": "stepping.measure_construction",
    "stepping": "stepping.measure",
    "stepping any protocol": "stepping.measure_tables",
    "playing": "playing.measure",
    "answering": "answering.measure",
    "asking models": "asking.measure",
    "storage": "storage.measure",
    "gestures": "editing.measure",
    "edits of a drawing": "drawing.measure_answers",
    "frames of a drawing": "drawing.measure_frames",
    "exact values": "values.measure_exact",
    "commitments": "values.measure_commitments",
    "commitments against two": "values.measure_two_provers",
    "best replies": "values.measure_documents",
    "opposed sides": "values.measure_opposed",
    "studies": "studies.measure",
    "schedule data": "schedule.measure_data",
    "schedule reruns": "schedule.measure_reruns",
    "schedule clicks": "schedule.measure_clicks",
    "schedule steps": "schedule.measure_steps",
    "moves at the table": "moves.measure",
    "start": "start.measure",
    "the static site": "site.measure",
    "notebook": "notebook.measure",
    "a class of thirty": "classroom.measure",
    "a class through a lesson": "lesson_walk.measure",
    "a room of sixty": "rooms.measure",
}


def measurement(name: str) -> Callable[[], Iterator[dict[str, Any]]]:
    """Return a measurement by its name; only its own module is imported."""
    module, _, function = MEASUREMENTS[name].partition(".")
    return getattr(import_module(f"benchmarks.{module}"), function)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASUREMENTS))
    asked = parser.parse_args().names or MEASUREMENTS
    if unknown := [name for name in asked if name not in MEASUREMENTS]:
        parser.error(f"There is no {unknown[0]!r}; there are {', '.join(MEASUREMENTS)}.")
    results: dict[str, Any] = {
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": {
            "cores": os.cpu_count(),
            "processor": platform.machine(),
            "python": platform.python_version(),
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
        },
    }
    for name in asked:
        print(f"\n{name}")
        results[name] = []
        for row in measurement(name)():
            results[name].append(row)
            print("  " + show(row), flush=True)
        if not results[name]:
            print("  not measured: a program that it drives is not installed")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{results['when'].replace(':', '')}.json"
    path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(f"\nWritten to {path.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
