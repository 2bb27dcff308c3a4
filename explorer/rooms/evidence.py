"""What the evidence in a room's messages predicts for its conditions, beside what was measured.

As for studies, no verdict that follows arguments is used, so what is predicted can fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from explorer.rooms.results import RightCount, TableOutcome, revealed_episodes, right_counts
from explorer.rooms.room import Room
from nip_core.displays import displayed
from nip_core.language import Specification
from nip_core.values import MeasuredEvidence, Reading, measured_evidence, predicted_right

__all__ = ["ExpectedRight", "expected_right"]

# Seconds for the prediction of one condition, which is kept. Most take hundredths.
SECONDS = 1.0
LEVEL = 0.95


@displayed
@dataclass(frozen=True, slots=True)
class ExpectedRight:
    """How often a condition's verdicts should be right, and how often they were."""

    measured: MeasuredEvidence
    predicted: Reading
    count: RightCount

    def row(self) -> dict[str, object]:
        """Return the numbers as a row of a table."""
        rates = {
            rate.name: f"{rate.share:.0%} of {rate.count}" if rate.is_measured else rate.reason
            for rate in self.measured.rates
        }
        right, played = self.count.right, self.count.played
        return {
            "condition": self.count.condition,
            **rates,
            "verdict right, predicted": self.predicted.said,
            "verdict right, measured": f"{right / played:.3f} ({right} of {played})",
        }


def expected_right(room: Room, outcomes: Sequence[TableOutcome]) -> list[ExpectedRight]:
    """Return what evidence predicts for each condition that has outcomes which count."""
    counted = [outcome for outcome in outcomes if outcome.counted]
    ids = {outcome.episode_id for outcome in counted}
    episodes = [
        (table.condition, episode)
        for table, episode in revealed_episodes(room)
        if table.episode_id in ids
    ]
    found: list[ExpectedRight] = []
    for count in right_counts(counted, [condition.name for condition in room.plan.conditions]):
        mine = [episode for condition, episode in episodes if condition == count.condition]
        if mine:
            # All three intervals hold together with the level.
            measured = measured_evidence(mine, level=1 - (1 - LEVEL) / 3)
            found.append(ExpectedRight(measured, _predicted(mine[0].rules, measured), count))
    return found


@lru_cache(32)
def _predicted(spec: Specification, measured: MeasuredEvidence) -> Reading:
    return predicted_right(spec, measured, seconds=SECONDS)
