"""The computations behind the Rewards page, without the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import loader

if TYPE_CHECKING:
    from explorer.rewards.answers import (
        MID_POINT,
        components_table,
        in_short,
        recorded_play,
        recorded_rewards,
        rule_table,
        sample_steps,
        sample_table,
        sampled,
        seats,
    )
    from explorer.rewards.charts import (
        CHARTS,
        exploitability_chart,
        frontier_chart,
        opening_chart,
        prior_chart,
        rounds_chart,
        sample_chart,
        sweep_chart,
    )
    from explorer.rewards.sweep import (
        QUANTILES,
        current_value,
        is_flat,
        parameter_label,
        sweepable,
        swept_values,
        telling,
    )
    from explorer.rewards.theory import (
        CHECK,
        exploitable,
        frontier_at,
        opening,
        opening_sentence,
        over_rounds,
    )
    from explorer.rewards.valuation import (
        CHANCES,
        MOST_LOGITS,
        PLAYS,
        Valuation,
        model_csv,
        read_rows,
        rewards_csv,
        rewards_json,
        rewards_python,
        shortened,
    )

__all__ = [
    "CHANCES",
    "CHARTS",
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
    "frontier_at",
    "frontier_chart",
    "in_short",
    "is_flat",
    "model_csv",
    "opening",
    "opening_chart",
    "opening_sentence",
    "over_rounds",
    "parameter_label",
    "prior_chart",
    "read_rows",
    "recorded_play",
    "recorded_rewards",
    "rewards_csv",
    "rewards_json",
    "rewards_python",
    "rounds_chart",
    "rule_table",
    "sample_chart",
    "sample_steps",
    "sample_table",
    "sampled",
    "seats",
    "shortened",
    "sweep_chart",
    "sweepable",
    "swept_values",
    "telling",
]

__getattr__ = loader(__name__)


def __dir__() -> list[str]:
    return __all__
