"""The computations behind the Rewards page, without the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported

if TYPE_CHECKING:
    from explorer.rewards.answers import (
        MID_POINT as MID_POINT,
        components_table as components_table,
        in_short as in_short,
        recorded_play as recorded_play,
        recorded_rewards as recorded_rewards,
        rule_table as rule_table,
        sample_steps as sample_steps,
        sample_table as sample_table,
        sampled as sampled,
        seats as seats,
    )
    from explorer.rewards.charts import (
        CHARTS as CHARTS,
        exploitability_chart as exploitability_chart,
        frontier_chart as frontier_chart,
        opening_chart as opening_chart,
        prior_chart as prior_chart,
        rounds_chart as rounds_chart,
        sample_chart as sample_chart,
        sweep_chart as sweep_chart,
    )
    from explorer.rewards.random_play import (
        at_random as at_random,
        habits_python as habits_python,
        random_in_short as random_in_short,
        random_rows as random_rows,
    )
    from explorer.rewards.sweep import (
        QUANTILES as QUANTILES,
        current_value as current_value,
        is_flat as is_flat,
        parameter_label as parameter_label,
        sweepable as sweepable,
        swept_values as swept_values,
        telling as telling,
    )
    from explorer.rewards.theory import (
        CHECK as CHECK,
        exploitable as exploitable,
        frontier_at as frontier_at,
        judge_of as judge_of,
        opening as opening,
        opening_sentence as opening_sentence,
        over_rounds as over_rounds,
    )
    from explorer.rewards.valuation import (
        CHANCES as CHANCES,
        DEFAULT_PROTOCOL as DEFAULT_PROTOCOL,
        KEYS as KEYS,
        MOST_LOGITS as MOST_LOGITS,
        PLAYS as PLAYS,
        Valuation as Valuation,
        can_be_shortened as can_be_shortened,
        model_csv as model_csv,
        read_rows as read_rows,
        rewards_csv as rewards_csv,
        rewards_json as rewards_json,
        rewards_python as rewards_python,
        shortened as shortened,
    )

__all__, __getattr__, __dir__ = exported(__name__)
