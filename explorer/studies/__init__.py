"""Studies: many episodes under stated conditions, from one file.

.. code-block:: python

    study = load_study("study.toml")
    record = Record("study")
    run_study(study, record)
    rows = record.results()
"""

from __future__ import annotations

from explorer.studies.executing import play, play_points, processes
from explorer.studies.exports import estimate_parts, shown_estimate
from explorer.studies.format import FORMAT, SCHEMA
from explorer.studies.models import Forecast, check_players, forecast, key_uses
from explorer.studies.points import Arm, Point, points
from explorer.studies.progress import Progress, Run, Stage
from explorer.studies.reading import load_study, read_study
from explorer.studies.record import Record
from explorer.studies.results import Failure, Finished, Result, finished
from explorer.studies.rows import Rows
from explorer.studies.run import Engine, run_study
from explorer.studies.study import (
    Condition,
    PlayerChoice,
    ProtocolChoice,
    RecordBusyError,
    RecordError,
    Study,
    StudyError,
    problem_of,
)
from explorer.studies.sweeps import exact, sweep
from explorer.studies.terminal import stage_line
from explorer.usage import Budget, Prices, Usage

__all__ = [
    "FORMAT",
    "SCHEMA",
    "Arm",
    "Budget",
    "Condition",
    "Engine",
    "Failure",
    "Finished",
    "Forecast",
    "PlayerChoice",
    "Point",
    "Prices",
    "Progress",
    "ProtocolChoice",
    "Record",
    "RecordBusyError",
    "RecordError",
    "Result",
    "Rows",
    "Run",
    "Stage",
    "Study",
    "StudyError",
    "Usage",
    "check_players",
    "estimate_parts",
    "exact",
    "finished",
    "forecast",
    "key_uses",
    "load_study",
    "play",
    "play_points",
    "points",
    "problem_of",
    "processes",
    "read_study",
    "run_study",
    "shown_estimate",
    "stage_line",
    "sweep",
]


def __dir__() -> list[str]:
    return __all__
