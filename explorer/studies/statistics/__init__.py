"""The statistics of a study: numbers with intervals, each with its definition as data."""

from __future__ import annotations

from explorer.lazy import exported
from explorer.studies.statistics.agreement import (
    Agreement,
    Scale,
    Unit,
    agreement,
    agreements,
)
from explorer.studies.statistics.estimates import (
    Estimate,
    Estimates,
    bootstrap_interval,
    clustered_error,
    of_mean,
    of_rate,
    sign_flips,
)
from explorer.studies.statistics.gaps import (
    OVER_PROVERS,
    Gaps,
    OverProvers,
    gap_recovered,
    gaps,
    honest_advantage,
    over_provers,
)
from explorer.studies.statistics.measures import DEFINITIONS, MEASURES, Definition, Measure
from explorer.studies.statistics.paired import (
    Comparison,
    Pilot,
    SamplePlan,
    compare,
    difference,
    paired,
    pilot,
    plan,
)
from explorer.studies.statistics.ratings import (
    RatedMatch,
    Rating,
    bradley_terry,
    elo,
    matches,
    ratings,
)
from explorer.studies.statistics.summary import (
    GROUPINGS,
    Bin,
    Summary,
    SummaryRow,
    calibration,
    calibration_error,
    estimate,
    frame,
    summarize,
)

__all__, __getattr__, __dir__ = exported(__name__)
