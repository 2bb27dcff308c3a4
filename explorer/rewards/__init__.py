"""The computations behind the Rewards page, without the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported

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

__all__, __getattr__, __dir__ = exported(__name__)
