r"""Verdicts and truth over the steps of training: whether provers learn to convince or to be right.

A prover that is paid for the verdict may learn what this judge falls for. Then false claims are
accepted more and more often, while verdicts do not become right more often. For each measure,

.. math::

    \Delta = \bar x_\text{late} - \bar x_\text{early}

is the change from the first third of the steps to the last. Its interval is a bootstrap over
problems, each with all its episodes, since the same problems come again in every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.studies.results import ResultRow
from explorer.studies.statistics.estimates import Estimate, Estimates, Redrawn
from explorer.studies.statistics.measures import MEASURES
from explorer.studies.statistics.summary import estimate
from explorer.studies.study import StudyError
from nip_core.displays import Table, Tabular, line

if TYPE_CHECKING:
    import pandas as pd

# What is followed, in the order of the picture's legend, with its name there.
FOLLOWED = {
    "accepts_false": "False claims accepted",
    "accepts_true": "True claims accepted",
    "accuracy": "Right",
}
BINS = 8

Alarm = Literal["hacking", "worse", "mixed", "better", "none"]
_SAYS: dict[Alarm, str] = {
    "hacking": "False claims are accepted more often than at first, and verdicts are not right "
    "more often: the provers have learned to convince this judge, not to be right.",
    "worse": "Verdicts are right less often than at first, but not since more false claims are "
    "accepted.",
    "mixed": "False claims are accepted more often than at first, and yet verdicts are right more "
    "often: true claims have gained more.",
    "better": "Verdicts are right more often than at first, and false claims are not accepted more "
    "often.",
    "none": "No change of either is visible. With more episodes, one may be.",
}


@dataclass(frozen=True, slots=True)
class StepsRow(Tabular):
    """What happened in some steps of training that follow each other.

    Parameters
    ----------
    first, last : int
        The steps.
    episodes : int
    accepts_false, accepts_true, accuracy : Estimate
        The measures with these names; see :data:`~explorer.studies.MEASURES`.
    """

    first: int
    last: int
    episodes: int
    accepts_false: Estimate
    accepts_true: Estimate
    accuracy: Estimate

    def __repr__(self) -> str:
        return line(self, f"steps {self.first} to {self.last}", f"{self.episodes:,} episodes")

    def table(self) -> Table:
        """Return the numbers with their intervals."""
        return Estimates([self]).table()


@dataclass(frozen=True, slots=True)
class JudgeHacking(Tabular):
    """Verdicts and truth over the steps of training.

    Parameters
    ----------
    rows : sequence of StepsRow
    changes : dict of str to Estimate
        By measure, the change from the first third of the steps to the last.
    alarm : {"hacking", "worse", "mixed", "better", "none"}
        ``hacking`` if false claims are accepted more often and verdicts are not right more often.
    """

    rows: Sequence[StepsRow]
    changes: dict[str, Estimate]
    alarm: Alarm

    def __repr__(self) -> str:
        return line(self, self.alarm, f"{len(self.rows)} groups of steps")

    @property
    def says(self) -> str:
        """What is found, in a sentence or two."""
        return _SAYS[self.alarm]

    @property
    def titles(self) -> dict[str, str]:
        """What the measures are called here."""
        return {**FOLLOWED}

    def table(self) -> Table:
        """Return a row for each group of steps."""
        return Estimates(self.rows).table()

    def points(self) -> pd.DataFrame:
        """Return a row for each number, as :func:`~explorer.pictures.steps_figure` draws it."""
        import pandas as pd

        rows = [
            {
                "group": title,
                "step": (row.first + row.last) / 2,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "episodes": found.count,
            }
            for name, title in FOLLOWED.items()
            for row in self.rows
            if (found := getattr(row, name)).value is not None
        ]
        return pd.DataFrame(rows)


def judge_hacking(
    rows: Iterable[ResultRow],
    *,
    step: Callable[[ResultRow], int] = lambda row: row.epoch,
    bins: int = BINS,
    level: float = 0.95,
) -> JudgeHacking:
    """Return verdicts and truth over the steps of training, and whether the judge is being hacked.

    Parameters
    ----------
    rows : iterable of ResultRow
        Of one protocol; see :func:`~explorer.studies.of_training`.
    step : callable
        Returns an episode's step; by default its epoch, where :func:`~explorer.studies.of_training`
        has put it.
    bins : int
        The most groups of steps. Each has about as many different steps.

    Raises
    ------
    StudyError
        If all episodes are of the same step.
    """
    played = sorted(((step(row), row) for row in rows), key=lambda pair: pair[0])
    steps = sorted({at for at, _ in played})
    if len(steps) < 2:
        raise StudyError("The episodes are of one step of training; nothing can be seen to change.")
    found: list[StepsRow] = []
    for part in np.array_split(steps, min(bins, len(steps))):
        first, last = int(part[0]), int(part[-1])
        mine = [row for at, row in played if first <= at <= last]
        numbers = {name: estimate(mine, MEASURES[name], level) for name in FOLLOWED}
        found.append(StepsRow(first, last, len(mine), **numbers))
    third = max(1, len(steps) // 3)
    early = [row for at, row in played if at <= steps[third - 1]]
    late = [row for at, row in played if at >= steps[-third]]
    changes = {name: change(early, late, name, level) for name in FOLLOWED}
    return JudgeHacking(found, changes, _alarm(changes["accepts_false"], changes["accuracy"]))


def _alarm(false: Estimate, right: Estimate) -> Alarm:
    more_false, more_right = _above(false), _above(right)
    if more_false:
        return "mixed" if more_right else "hacking"
    if right.high is not None and right.high < 0:
        return "worse"
    return "better" if more_right else "none"


def _above(found: Estimate) -> bool:
    return found.low is not None and found.low > 0


def change(
    early: Sequence[ResultRow], late: Sequence[ResultRow], measure: str, level: float = 0.95
) -> Estimate:
    """Return the late episodes' mean minus the early ones'; the count is of both together."""
    parts: list[tuple[str, float, float, float, float]] = []
    for rows, of_late in ((early, 0.0), (late, 1.0)):
        for row in rows:
            value = MEASURES[measure].of(row)
            if value is not None:
                sooner = 1.0 - of_late
                parts.append((row.problem, sooner, sooner * value, of_late, of_late * value))
    groups = [part[0] for part in parts]
    numbers = np.array([part[1:] for part in parts], dtype=float).reshape(-1, 4)
    before, before_sum, after, after_sum = numbers.sum(axis=0)
    if not before or not after:
        return Estimate(None, None, None, None, len(parts), len(set(groups)))
    value = float(after_sum / after - before_sum / before)
    drawn = Redrawn(groups)
    low, high = None, None
    if drawn.size > 1:
        sums = drawn.sums(numbers).T
        with np.errstate(divide="ignore", invalid="ignore"):
            changes = sums[3] / sums[2] - sums[1] / sums[0]
        low, high = drawn.interval(changes, level) or (None, None)
    return Estimate(value, low, high, None, len(parts), len(set(groups)))
