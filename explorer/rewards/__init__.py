"""What the Rewards page asks and answers, without the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import loader

if TYPE_CHECKING:
    from explorer.rewards.answers import components_table, rule_table, sample_table
    from explorer.rewards.charts import (
        exploitability_chart,
        frontier_chart,
        opening_chart,
        prior_chart,
        rounds_chart,
    )
    from explorer.rewards.export import model_csv, rewards_csv, rewards_json, rewards_python
    from explorer.rewards.recorded import recorded_play, recorded_rewards
    from explorer.rewards.sampling import sampled
    from explorer.rewards.seats import MID_POINT, in_short
    from explorer.rewards.sweep import (
        QUANTILES,
        current_value,
        is_flat,
        sweepable,
        swept_values,
        telling,
    )
    from explorer.rewards.theory import CHECK, exploitable, opening, over_rounds
    from explorer.rewards.valuation import (
        CHANCES,
        MOST_LOGITS,
        PLAYS,
        Valuation,
        read_rows,
        shortened,
    )

__all__ = [
    "CHANCES",
    "CHECK",
    "MID_POINT",
    "MOST_LOGITS",
    "PLAYS",
    "QUANTILES",
    "Valuation",
    "components_table",
    "current_value",
    "exploitability_chart",
    "exploitable",
    "frontier_chart",
    "in_short",
    "is_flat",
    "model_csv",
    "opening",
    "opening_chart",
    "over_rounds",
    "prior_chart",
    "read_rows",
    "recorded_play",
    "recorded_rewards",
    "rewards_csv",
    "rewards_json",
    "rewards_python",
    "rounds_chart",
    "rule_table",
    "sample_table",
    "sampled",
    "shortened",
    "sweepable",
    "swept_values",
    "telling",
]

__getattr__ = loader(__name__)


def __dir__() -> list[str]:
    return __all__
