"""Run every measurement, print a table, and write one JSON file that can be compared."""

from __future__ import annotations

import datetime
import json
import os
import platform
from pathlib import Path
from typing import Any

import torch

from benchmarks import (
    answering,
    asking,
    classroom,
    notebook,
    playing,
    schedule,
    start,
    stepping,
    storage,
    studies,
    values,
)
from benchmarks.timing import show

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Measure and write."""
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
    for name, measure in (
        ("construction", stepping.measure_construction),
        ("stepping", stepping.measure),
        ("playing", playing.measure),
        ("answering", answering.measure),
        ("asking models", asking.measure),
        ("storage", storage.measure),
        ("exact values", values.measure_exact),
        ("sampled values", values.measure_sampled),
        ("studies", studies.measure),
        ("sweeps", studies.measure_sweeps),
        ("schedule data", schedule.measure_data),
        ("schedule reruns", schedule.measure_reruns),
        ("schedule clicks", schedule.measure_clicks),
        ("start", start.measure),
        ("notebook", notebook.measure),
        ("a class of thirty", classroom.measure),
    ):
        print(f"\n{name}")
        results[name] = []
        for row in measure():
            results[name].append(row)
            print("  " + show(row), flush=True)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{results['when'].replace(':', '')}.json"
    path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(f"\nWritten to {path.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
