"""Studies: many episodes under stated conditions, from one file.

.. code-block:: python

    study = load_study("study.toml")
    record = Record("study")
    run_study(study, record)
    rows = record.results()
"""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.studies.baseline import (
    BaselineFigures as BaselineFigures,
    baseline_about as baseline_about,
    baseline_figures as baseline_figures,
    judge_title as judge_title,
)
from explorer.studies.earnings import earnings as earnings
from explorer.studies.executing import (
    play_points as play_points,
    processes as processes,
)
from explorer.studies.exports import (
    estimate_parts as estimate_parts,
    shown_estimate as shown_estimate,
)
from explorer.studies.findings import (
    Findings as Findings,
    calibrations as calibrations,
    estimate_fields as estimate_fields,
    estimates as estimates,
    forms as forms,
    has_files as has_files,
    of_baseline as of_baseline,
    of_kept as of_kept,
    of_log as of_log,
)
from explorer.studies.folders import (
    STUDIES_VARIABLE as STUDIES_VARIABLE,
    Kept as Kept,
    StudyStore as StudyStore,
    StudyStoreError as StudyStoreError,
    StudyWork as StudyWork,
    study_store as study_store,
    work_at as work_at,
)
from explorer.studies.format import (
    SCHEMA as SCHEMA,
)
from explorer.studies.headlines import (
    Comparison as Comparison,
    Headline as Headline,
    comparisons as comparisons,
    headlines as headlines,
)
from explorer.studies.inspect import (
    EvalsError as EvalsError,
    LogEstimate as LogEstimate,
    LogPlan as LogPlan,
    LogScores as LogScores,
    Pair as Pair,
    ScoredSample as ScoredSample,
    allowed_by as allowed_by,
    compare_logs as compare_logs,
    log_estimates as log_estimates,
    log_scores as log_scores,
    plan_from_logs as plan_from_logs,
)
from explorer.studies.models import (
    Forecast as Forecast,
    check_players as check_players,
    forecast as forecast,
    in_all as in_all,
    key_uses as key_uses,
)
from explorer.studies.people import (
    people_seats as people_seats,
    people_tasks as people_tasks,
)
from explorer.studies.people_format import ENDS as ENDS
from explorer.studies.people_plan import (
    Analysis as Analysis,
    Answer as Answer,
    AnswerError as AnswerError,
    End as End,
    PeoplePlan as PeoplePlan,
    PeopleStage as PeopleStage,
    Question as Question,
)
from explorer.studies.points import (
    Arm as Arm,
    Point as Point,
    arms as arms,
    points as points,
    seed_of as seed_of,
)
from explorer.studies.predictions import (
    CountedEvidence as CountedEvidence,
    Prediction as Prediction,
    counted_evidence as counted_evidence,
    predicted as predicted,
    predictions as predictions,
)
from explorer.studies.progress import (
    Progress as Progress,
    Run as Run,
    RunStage as RunStage,
)
from explorer.studies.reading import (
    load_study as load_study,
    read_study as read_study,
)
from explorer.studies.record import Record as Record
from explorer.studies.results import (
    Failure as Failure,
    Finished as Finished,
    ResultRow as ResultRow,
    fields_of as fields_of,
    finished as finished,
    finished_episode as finished_episode,
)
from explorer.studies.rows import Rows as Rows
from explorer.studies.run import (
    Engine as Engine,
    run_study as run_study,
)
from explorer.studies.statistics import (
    DEFINITIONS as DEFINITIONS,
    MEASURES as MEASURES,
    OVER_PROVERS as OVER_PROVERS,
    Estimate as Estimate,
    JudgeHacking as JudgeHacking,
    StepsRow as StepsRow,
    SummaryRow as SummaryRow,
    agreements as agreements,
    bootstrap_interval as bootstrap_interval,
    calibration as calibration,
    calibration_error as calibration_error,
    compare as compare,
    estimate as estimate,
    frame as frame,
    gaps as gaps,
    judge_hacking as judge_hacking,
    matches as matches,
    over_provers as over_provers,
    ratings as ratings,
    summarize as summarize,
)
from explorer.studies.strengths import strengths as strengths
from explorer.studies.study import (
    Condition as Condition,
    PlayerChoice as PlayerChoice,
    StudyProtocol as StudyProtocol,
    RecordBusyError as RecordBusyError,
    RecordError as RecordError,
    Study as Study,
    StudyError as StudyError,
    problem_of as problem_of,
)
from explorer.studies.study_form import (
    LIARS as LIARS,
    SOURCES as SOURCES,
    Wanted as Wanted,
    protocols_on as protocols_on,
    strategies_in as strategies_in,
    study_text as study_text,
)
from explorer.studies.tables import (
    PREDICTED as PREDICTED,
    Number as Number,
    ResultTable as ResultTable,
    TableCell as TableCell,
    agreement_table as agreement_table,
    forecast_table as forecast_table,
    gaps_table as gaps_table,
    groups_table as groups_table,
    predictions_table as predictions_table,
    provers_table as provers_table,
    ratings_table as ratings_table,
)
from explorer.studies.terminal import (
    stage_line as stage_line,
    table as table,
)
from explorer.studies.trained import (
    TRAINING_ENGINE as TRAINING_ENGINE,
    of_training as of_training,
)
from explorer.usage import (
    UsageBudget as UsageBudget,
    Prices as Prices,
    Usage as Usage,
)

__all__, __getattr__, __dir__ = exported(__name__)
