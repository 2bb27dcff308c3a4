"""What came out of a study: numbers with intervals, each with its definition as data."""

from __future__ import annotations

from explorer.studies.statistics.estimates import (
    Estimate,
    bootstrap_interval,
    clustered_error,
    mcnemar,
    of_mean,
    of_rate,
    sign_flips,
)
from explorer.studies.statistics.gaps import Gaps, OverProvers, gap_recovered, gaps, over_provers
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

__all__ = [
    "DEFINITIONS",
    "GROUPINGS",
    "MEASURES",
    "Bin",
    "Comparison",
    "Definition",
    "Estimate",
    "Gaps",
    "Measure",
    "OverProvers",
    "Pilot",
    "SamplePlan",
    "Summary",
    "SummaryRow",
    "bootstrap_interval",
    "calibration",
    "calibration_error",
    "clustered_error",
    "compare",
    "difference",
    "estimate",
    "frame",
    "gap_recovered",
    "gaps",
    "mcnemar",
    "of_mean",
    "of_rate",
    "over_provers",
    "paired",
    "pilot",
    "plan",
    "sign_flips",
    "summarize",
]


def __dir__() -> list[str]:
    return __all__
