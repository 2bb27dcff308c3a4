"""Studies: many episodes under stated conditions, from one file.

.. code-block:: python

    study = load_study("study.toml")
    record = Record("study")
    run_study(study, record)
    rows = record.results()
"""

from __future__ import annotations

from explorer.lazy import exported
from explorer.studies.baseline import BaselineFigures, baseline_about, baseline_figures
from explorer.studies.executing import play, play_points, processes
from explorer.studies.exports import estimate_parts, shown_estimate
from explorer.studies.findings import (
    Findings,
    calibrations,
    estimate_fields,
    estimates,
    forms,
    has_files,
    of_baseline,
    of_kept,
    of_log,
)
from explorer.studies.folders import (
    STUDIES_VARIABLE,
    Kept,
    StudyStore,
    StudyStoreError,
    Work,
    study_store,
    work_at,
)
from explorer.studies.format import FORMAT, SCHEMA
from explorer.studies.inspect import EvalsError, Pair, allowed_by
from explorer.studies.models import Forecast, check_players, forecast, in_all, key_uses
from explorer.studies.points import Arm, Point, points
from explorer.studies.progress import Progress, Run, Stage
from explorer.studies.reading import load_study, read_study
from explorer.studies.record import Record
from explorer.studies.results import Failure, Finished, Result, finished
from explorer.studies.rows import Rows
from explorer.studies.run import Engine, run_study
from explorer.studies.statistics import (
    DEFINITIONS,
    MEASURES,
    OVER_PROVERS,
    Estimate,
    SummaryRow,
    agreements,
    calibration,
    calibration_error,
    compare,
    estimate,
    frame,
    gaps,
    matches,
    over_provers,
    ratings,
    summarize,
)
from explorer.studies.strengths import strengths
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
from explorer.studies.study_form import LIARS, Wanted, study_text
from explorer.studies.sweeps import exact, sweep
from explorer.studies.tables import (
    Number,
    ResultTable,
    TableCell,
    agreement_table,
    forecast_table,
    gaps_table,
    groups_table,
    provers_table,
    ratings_table,
)
from explorer.studies.terminal import stage_line
from explorer.usage import Budget, Prices, Usage

# The former name, in Python code that people have copied from the Studies page.
shelf = study_store

__all__, __getattr__, __dir__ = exported(__name__)
