"""In pictures of studies, no two series look the same."""

import pandas as pd

from explorer.pictures.study_charts import (
    MOST_SERIES,
    calibration_figure,
    cost_figure,
    steps_figure,
)


def test_no_two_series_look_the_same():
    groups = [f"condition {n}" for n in range(MOST_SERIES)]
    share = {"low": 0.4, "high": 0.6, "episodes": 4}
    noted = pd.DataFrame([{"group": g, "noted": 0.5, "held": 0.5, **share} for g in groups])
    costs = pd.DataFrame([{"group": g, "cost": 1.0, "value": 0.5, **share} for g in groups])
    steps = pd.DataFrame([{"group": g, "step": 1.5, "value": 0.5, **share} for g in groups])
    figures = calibration_figure(noted), cost_figure(costs, "Rounds"), steps_figure(steps)
    for figure in figures:
        series = [each for each in figure.data if each.name in groups]
        assert len(series) == MOST_SERIES
        assert len({each.marker.symbol for each in series}) == MOST_SERIES
        lines = {(each.line.dash, each.line.color) for each in series if "lines" in each.mode}
        assert len(lines) in (0, MOST_SERIES)
