"""The statistics of a study: numbers with intervals, each with its definition as data."""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.studies.statistics.agreement import (
    Agreement as Agreement,
    Scale as Scale,
    Unit as Unit,
    agreement as agreement,
    agreements as agreements,
)
from explorer.studies.statistics.estimates import (
    Estimate as Estimate,
    Estimates as Estimates,
    bootstrap_interval as bootstrap_interval,
    clustered_error as clustered_error,
    of_mean as of_mean,
    of_rate as of_rate,
    sign_flips as sign_flips,
)
from explorer.studies.statistics.gaps import (
    OVER_PROVERS as OVER_PROVERS,
    Gaps as Gaps,
    OverProvers as OverProvers,
    gap_recovered as gap_recovered,
    gaps as gaps,
    honest_advantage as honest_advantage,
    over_provers as over_provers,
)
from explorer.studies.statistics.measures import (
    DEFINITIONS as DEFINITIONS,
    MEASURES as MEASURES,
    Definition as Definition,
    Measure as Measure,
)
from explorer.studies.statistics.paired import (
    PairedComparison as PairedComparison,
    Pilot as Pilot,
    SamplePlan as SamplePlan,
    compare as compare,
    difference as difference,
    paired as paired,
    pilot as pilot,
    plan as plan,
)
from explorer.studies.statistics.ratings import (
    RatedMatch as RatedMatch,
    Rating as Rating,
    bradley_terry as bradley_terry,
    matches as matches,
    ratings as ratings,
)
from explorer.studies.statistics.steps import (
    JudgeHacking as JudgeHacking,
    StepsRow as StepsRow,
    judge_hacking as judge_hacking,
)
from explorer.studies.statistics.summary import (
    GROUPINGS as GROUPINGS,
    Bin as Bin,
    Summary as Summary,
    SummaryRow as SummaryRow,
    calibration as calibration,
    calibration_error as calibration_error,
    estimate as estimate,
    frame as frame,
    summarize as summarize,
)

__all__, __getattr__, __dir__ = exported(__name__)
